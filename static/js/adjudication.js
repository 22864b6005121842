/*
 * Adjudication: marks of A and B in the gutter, going to a place, and taking selected lines into an edited finding.
 * What is decided, and what is shown of whom, is the server's matter.
 */
const ORDER = ["supporting", "alternate", "note", "low", "medium", "high", "critical"];
const COLUMNS = { a: "mark", b: "mark2" };
const pane = document.getElementById("code");
let selected = [];
let shownItem = "";
let pending = null; // a place to show once its lines have loaded

/* ---- Marks ---- */
function wantedMarks() {
  const wanted = new Map();
  for (const item of document.querySelectorAll("#side-marks [data-marks]")) {
    for (const [path, side, first, last, role] of JSON.parse(item.dataset.marks)) {
      const key = `${side}\n${path}`;
      if (!wanted.has(key)) wanted.set(key, []);
      const mark = role === "primary" ? item.dataset.severityMark : role;
      wanted.get(key).push({ column: COLUMNS[item.dataset.slot], first, last, mark });
    }
  }
  return wanted;
}

function drawMarks() {
  const wanted = wantedMarks();
  for (const section of pane?.querySelectorAll(".file") ?? []) {
    const sides = {
      old: wanted.get(`old\n${section.dataset.pathOld}`),
      new: wanted.get(`new\n${section.dataset.pathNew}`),
    };
    if (!sides.old && !sides.new) continue;
    for (const button of section.querySelectorAll("button.ln")) {
      const line = Number(button.dataset.line);
      const cell = button.closest("td");
      for (const { column, first, last, mark } of sides[button.dataset.side] ?? []) {
        if (line < first || last < line) continue;
        if (ORDER.indexOf(mark) > ORDER.indexOf(cell.dataset[column] ?? "")) cell.dataset[column] = mark;
      }
    }
  }
}

/* ---- Places ---- */
function sectionOf({ path, side }) {
  const name = side === "old" ? "pathOld" : "pathNew";
  return [...(pane?.querySelectorAll(".file") ?? [])].find((section) => section.dataset[name] === path) ?? null;
}

const lineOf = (section, { side, line }) =>
  section.querySelector(`button.ln[data-side="${side}"][data-line="${line}"]`);

/* The gap of unchanged lines that hides a line, by the numbers in its own address. */
function gapOf(section, { side, line }) {
  for (const button of section.querySelectorAll("tr.gap button.expand-all")) {
    const query = new URL(button.getAttribute("hx-get"), location.href).searchParams;
    const first = Number(query.get(side));
    if (first <= line && line < first + Number(query.get("count"))) return button;
  }
  return null;
}

/* Scroll to a place; with `enter` the cursor goes there too. Loads what hides it, once for each thing. */
function reveal(place, { enter = false } = {}) {
  const section = sectionOf(place);
  pending = null;
  if (!section) {
    if (enter) openSnapshot(place);
    return;
  }
  const button = place.line ? lineOf(section, place) : null;
  if (button) {
    if (enter) document.dispatchEvent(new CustomEvent("touchstone:goto", { detail: place }));
    else button.scrollIntoView({ block: "center" });
    return;
  }
  const opener = section.querySelector("[data-open-file]") ?? (place.line ? gapOf(section, place) : null);
  const isLoading = Boolean(section.querySelector('.file-note[hx-trigger="intersect once"]'));
  if (opener || isLoading) pending = { place, enter };
  if (opener && (enter || opener.matches(".expand-all"))) opener.click();
  section.scrollIntoView({ block: "start" });
}

function openSnapshot({ path, side, line }) {
  const base = pane?.dataset.baseUrl;
  if (!base || !path) return;
  pending = { place: { path, side, line }, enter: true };
  window.htmx.ajax("GET", `${base}blob/${side}/?path=${encodeURIComponent(path)}`, {
    target: "#snapshot-file",
    swap: "outerHTML",
  });
}

function placeOf(link) {
  const { path, side, line } = link.dataset;
  return { path, side, line: line ? Number(line) : null };
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey) return;
  const link = event.target.closest("[data-goto]");
  if (link) {
    event.preventDefault();
    reveal(placeOf(link), { enter: true });
    return;
  }
  const take = event.target.closest("[data-take-lines]");
  if (take) {
    const field = document.getElementById(take.dataset.takeLines);
    field.value = [field.value.trim(), ...selected].filter(Boolean).join("\n");
    field.focus();
    document.dispatchEvent(new CustomEvent("touchstone:selection-clear"));
  }
});

/* ---- Selected lines ---- */
function offerLines() {
  for (const button of document.querySelectorAll("[data-take-lines]")) button.hidden = selected.length === 0;
}

document.addEventListener("touchstone:selection", (event) => {
  selected = event.detail.lines;
  offerLines();
});

/* ---- What is shown ---- */
function showItem() {
  const panel = document.getElementById("panel");
  const item = panel?.dataset.item ?? "";
  if (!item || item === shownItem) return;
  shownItem = item;
  const link = panel.querySelector(".compare [data-goto]");
  if (link) reveal(placeOf(link));
}

document.addEventListener("htmx:afterSettle", () => {
  drawMarks();
  offerLines();
  showItem();
  if (!pending) return;
  const { place, enter } = pending;
  const section = sectionOf(place);
  if (section && (lineOf(section, place) || gapOf(section, place))) reveal(place, { enter });
  else if (section && !section.querySelector(".file-note")) pending = null;
});

document.addEventListener("touchstone:open-snapshot", (event) => openSnapshot(event.detail));

drawMarks();
showItem();
