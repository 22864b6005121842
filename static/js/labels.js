/*
 * The panel of labels: opening and making them, places and quotes from what is selected, undo, reading marks, the
 * dialogues, and signs of activity. Every decision is the server's; what stands in the panel came from it.
 */
const bar = document.getElementById("casebar");
const editor = document.getElementById("label-editor");
const list = document.getElementById("label-list");
const HEARTBEAT = 30000;
let selected = { lines: [], words: "" };
let steps = []; // what undo takes back, the last first

const token = () => document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
const form = () => editor?.querySelector("form[data-autosave]");
const emit = (name, detail, target = document) => target.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));

async function flush() {
  const waits = [];
  emit("touchstone:flush", { waits });
  await Promise.allSettled(waits);
}

/* ---- Selection ---- */
document.addEventListener("touchstone:selection", (event) => {
  selected = event.detail;
  if (selected.begins) steps.push(() => emit("touchstone:selection-undo"));
  const text = document.getElementById("selection-text");
  if (!text) return;
  text.textContent = selected.words ? `Selected: ${selected.words}` : document.getElementById("selection").dataset.empty;
  document.getElementById("selection-tools").hidden = !selected.words;
  tools();
});

function tools() {
  for (const button of document.querySelectorAll("[data-place]")) button.disabled = !form();
}

/* ---- Places ---- */
function addPlaces(role, lines) {
  const box = form()?.elements[`places_${role}`];
  if (!box || !lines.length) return;
  // The parts of one alternate in several files belong together.
  const written = role === "alternate" ? lines.map((line, index) => (index ? `& ${line}` : line)) : lines;
  const held = box.value.split("\n").filter(Boolean);
  // Before the place is remembered, so that undo takes back the place first and then brings the selection back.
  emit("touchstone:selection-clear");
  rememberPlaces(box);
  box.value = [...held, ...written].join("\n");
  emit("touchstone:save", null, form());
}

function removePlace(role, line) {
  const box = form()?.elements[`places_${role}`];
  if (!box) return;
  const lines = box.value.split("\n").filter(Boolean);
  const at = lines.findIndex((one) => one === line || one === `& ${line}`);
  if (at < 0) return;
  rememberPlaces(box);
  const [gone] = lines.splice(at, 1);
  if (!gone.startsWith("& ") && lines[at]?.startsWith("& ")) lines[at] = lines[at].slice(2);
  box.value = lines.join("\n");
  emit("touchstone:save", null, form());
}

/* ---- Undo ---- */
function rememberPlaces(box) {
  const { label } = form().dataset;
  const { value } = box;
  steps.push(() => {
    const current = form();
    // The label may have been made by this very step, and then got its name.
    if (!current || (label && current.dataset.label !== label)) return;
    current.elements[box.name].value = value;
    emit("touchstone:save", null, current);
  });
}

function undo() {
  const step = steps.pop();
  if (step) step();
  else emit("touchstone:notice", { text: "There is no selection or place to take back.", tone: "info" });
  steps = steps.slice(-100);
}

/* ---- Quotes ---- */
/* Text selected in the code goes into the evidence, each line as it is. */
function quoteSelection() {
  const selection = document.getSelection();
  const text = String(selection).trim();
  const box = form()?.elements.evidence;
  if (!box || !text || !selection.anchorNode?.parentElement?.closest("td.c")) {
    emit("touchstone:notice", { text: "Open a label and select text in the code; it is quoted into the evidence.", tone: "info" });
    return;
  }
  const quote = text.includes("\n") ? `\`\`\`\n${text}\n\`\`\`` : `\`${text}\``;
  box.value = [box.value.trimEnd(), quote].filter(Boolean).join("\n");
  box.dispatchEvent(new Event("input", { bubbles: true }));
  emit("touchstone:notice", { text: "Quoted into the evidence.", tone: "success" });
}

/* ---- Opening labels ---- */
async function open(url, { focus = true } = {}) {
  if (!editor) return;
  await htmx.ajax("GET", url, { target: editor, swap: "innerHTML" });
  if (form()) emit("touchstone:attach", null, form());
  markOpen();
  if (focus) (form()?.querySelector("[data-focus]") ?? form()?.querySelector("[data-form-heading]"))?.focus();
  form()?.scrollIntoView({ block: "nearest" });
}

function markOpen() {
  const id = form()?.dataset.label;
  for (const row of list?.querySelectorAll(".label-row") ?? []) {
    if (id && row.closest("[data-label]").dataset.label === id) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  tools();
  prepare();
}

async function newLabel(link) {
  const { lines } = selected;
  await open(link.dataset.newLabel);
  if (lines.length) addPlaces("primary", lines);
}

/* The form's own behaviour: the chosen category explains itself, and only some ask for a boundary. */
function prepare() {
  const current = form();
  if (!current) return;
  const select = current.elements.category;
  const option = select?.selectedOptions[0];
  const help = current.querySelector("[data-category-help]");
  if (help) {
    help.textContent = option?.dataset.description ?? "";
    help.hidden = !help.textContent;
  }
  const boundary = current.querySelector("[data-boundary-field]");
  if (boundary) boundary.hidden = !(option && "boundary" in option.dataset) && !current.elements.boundary.value;
}

/* ---- What was saved ---- */
document.addEventListener("touchstone:saved", (event) => {
  const { row, places, label, number, isNew } = event.detail;
  if (!label || !list) return;
  const held = document.getElementById(`label-row-${label}`);
  const box = document.createElement("template");
  box.innerHTML = row;
  const fresh = box.content.firstElementChild;
  if (held) held.replaceWith(fresh);
  else list.append(fresh);
  document.getElementById("no-labels").hidden = true;
  document.getElementById("label-count").textContent = `(${list.children.length})`;
  const saved = event.detail.form;
  if (saved && saved === form()) {
    const target = saved.querySelector("[data-places-list]");
    const focused = target.contains(document.activeElement);
    if (target.innerHTML.trim() !== places.trim()) {
      target.innerHTML = places;
      if (focused) (target.querySelector("button, a") ?? saved.querySelector("[data-form-heading]"))?.focus();
    }
    if (isNew) {
      const heading = saved.querySelector("[data-form-heading]");
      heading.textContent = `Label ${number}`;
      history.replaceState(null, "", `?label=${label}`);
    }
    markOpen();
  }
  emit("touchstone:marks");
});

/* ---- Reading marks ---- */
function readMarks(root) {
  const mark = root.matches?.(".read-mark") ? root : root.querySelector?.(".read-mark");
  if (!mark) return;
  const isRead = mark.dataset.isRead === "1";
  mark.closest(".file")?.classList.toggle("read", isRead);
  const link = document.querySelector(`[data-tree-file="${mark.dataset.position}"]`);
  link?.classList.toggle("read", isRead);
  const words = link?.querySelector("[data-read-words]");
  if (words) words.textContent = isRead ? ", read" : ", not read";
}

/* ---- Clicks ---- */
document.addEventListener("click", async (event) => {
  if (event.ctrlKey || event.metaKey) return;
  const target = event.target;
  const hit = (selector) => target.closest(selector);
  let found;
  if ((found = hit("[data-new-label]"))) {
    event.preventDefault();
    newLabel(found);
  } else if ((found = hit("[data-open-label]"))) {
    event.preventDefault();
    history.replaceState(null, "", `?label=${found.closest("[data-label]").dataset.label}`);
    open(found.dataset.openLabel);
  } else if ((found = hit("[data-place]"))) {
    addPlaces(found.dataset.place, selected.lines);
  } else if ((found = hit("[data-place-file]"))) {
    placeFile(found.closest(".file"));
  } else if ((found = hit("[data-remove-place]"))) {
    removePlace(found.dataset.role, found.dataset.removePlace);
  } else if ((found = hit("[data-withdraw]")) && !found.dataset.flushed) {
    event.preventDefault();
    await flush();
    found.dataset.flushed = "1";
    found.form.requestSubmit(found);
  } else if ((found = hit("[data-open-guidelines]"))) {
    event.preventDefault();
    document.getElementById("guidelines-dialog").showModal();
    if (!found.dataset.loaded) {
      found.dataset.loaded = "1";
      htmx.ajax("GET", found.href, { target: "#guidelines-body", swap: "innerHTML" });
    }
    document.getElementById("guidelines-body").focus();
  } else if ((found = hit("[data-open-submit]"))) {
    event.preventDefault();
    openSubmit(found.href);
  } else if ((found = hit("[data-goto-gap]"))) {
    event.preventDefault();
    goToGap(found.dataset.gotoLabel, found.dataset.gotoGap);
  } else if ((found = hit("[data-panel-grip]"))) {
    const body = document.getElementById("panel-body");
    body.hidden = !body.hidden;
    found.setAttribute("aria-expanded", String(!body.hidden));
    found.textContent = body.hidden ? "Unfold" : "Fold";
  }
});

function placeFile(section) {
  const side = section.dataset.pathNew ? "new" : "old";
  const path = section.dataset.pathNew || section.dataset.pathOld;
  if (!form()) {
    emit("touchstone:notice", { text: "Open a label first, or make one with n; then name the file as its place.", tone: "info" });
    return;
  }
  const role = form().elements.places_supporting && form().elements.places_primary.value ? "supporting" : "primary";
  addPlaces(role, [`${path} ${side}`]);
}

async function openSubmit(url) {
  const dialog = document.getElementById("submit-dialog");
  await flush();
  await htmx.ajax("GET", url, { target: "#submit-body", swap: "innerHTML" });
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("[data-focus]")?.focus();
  submitButton();
}

function submitButton() {
  const current = document.getElementById("submit-form");
  const verdict = current?.querySelector("[name=verdict]:checked");
  const button = current?.querySelector("[data-submit-button]");
  if (button && verdict) button.textContent = verdict.dataset.button;
}

async function goToGap(label, field) {
  document.getElementById("submit-dialog").close();
  const row = document.getElementById(`label-row-${label}`)?.querySelector("[data-open-label]");
  if (!row) return;
  if (form()?.dataset.label !== label) await open(row.dataset.openLabel, { focus: false });
  const box = document.getElementById(`label-${field}`) ?? document.querySelector(`#field-${field} input, #field-${field} summary`);
  box?.focus();
  box?.scrollIntoView({ block: "center" });
}

/* ---- Fields ---- */
document.addEventListener("change", (event) => {
  if (event.target.name === "category") prepare();
  if (event.target.name === "verdict") submitButton();
});
document.addEventListener("touchstone:filled", prepare);
document.addEventListener("touchstone:reopen", (event) => {
  if (event.detail.label === "answer") openSubmit(document.querySelector("[data-open-submit]").href);
  else {
    const row = document.getElementById(`label-row-${event.detail.label}`)?.querySelector("[data-open-label]");
    if (row) open(row.dataset.openLabel);
  }
});

document.addEventListener("htmx:afterSettle", (event) => {
  const root = event.target;
  readMarks(root);
});

/* ---- Signs of activity: how long the work took, not what was done ---- */
let active = true;
for (const name of ["keydown", "pointerdown", "wheel", "touchstart"]) {
  document.addEventListener(name, () => (active = true), { passive: true, capture: true });
}
async function beat() {
  if (!active || document.hidden || !bar) return;
  active = false;
  try {
    await fetch(bar.dataset.activityUrl, { method: "POST", headers: { "X-CSRFToken": token() }, credentials: "same-origin" });
  } catch {
    active = true;
  }
}

if (bar) {
  document.documentElement.classList.add("scripted");
  beat();
  setInterval(beat, HEARTBEAT);
  markOpen();
  const key = (id, keys, label, run) => emit("touchstone:shortcut", { id, keys, label, group: "Labels", run });
  key("labels-undo", "z", "Take back the last selection or place", undo);
  key("quote", "q", "Quote the selected text into the evidence", quoteSelection);
}
