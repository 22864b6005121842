/*
 * Adjudication: showing the place that is asked about, and taking selected lines into an edited finding.
 * What is decided, and what is shown of whom, is the server's matter.
 */
let selected = [];
let shownItem = "";

document.addEventListener("click", (event) => {
  const take = event.target.closest("[data-take-lines]");
  if (!take) return;
  const field = document.getElementById(take.dataset.takeLines);
  field.value = [field.value.trim(), ...selected].filter(Boolean).join("\n");
  field.focus();
  document.dispatchEvent(new CustomEvent("touchstone:selection-clear"));
});

function offerLines() {
  for (const button of document.querySelectorAll("[data-take-lines]")) button.hidden = selected.length === 0;
}

document.addEventListener("touchstone:selection", (event) => {
  selected = event.detail.lines;
  offerLines();
});

/* The first place of the disagreement is brought into sight; the focus stays where it is. */
function showItem() {
  const panel = document.getElementById("panel");
  const item = panel?.dataset.item ?? "";
  if (!item || item === shownItem) return;
  shownItem = item;
  const link = panel.querySelector(".compare [data-goto]");
  if (!link) return;
  const { path, side, line } = link.dataset;
  document.dispatchEvent(
    new CustomEvent("touchstone:goto", { detail: { path, side, line: Number(line) || null, quiet: true } }),
  );
}

document.addEventListener("htmx:afterSettle", () => {
  offerLines();
  showItem();
});

showItem();
