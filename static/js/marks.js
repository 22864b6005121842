/*
 * Findings in the margin. Every element with data-marks (JSON rows of path, side, first, last, role) is a finding whose
 * places are drawn: bars beside the line numbers, a sign on the first line of each place, words for screen readers.
 *   data-mark-name  "Label 1"; what it is called       data-mark-sign  "1"; what stands on its sign
 *   data-severity-mark  the colour of a primary place  data-slot  "b", "c": its bars go into the second, third column
 * Pointing at a finding, or at anything with data-shows (the same rows), lights its places; pointing at a line, or
 * standing on it, lights its findings.
 *
 * Hears: "touchstone:drawn", "touchstone:marks" (findings changed), "touchstone:cursor" {section, side, line}.
 * Says:  "touchstone:goto" for the keys > and <; clicks the [data-open-label] of a finding whose sign is pressed.
 */
const pane = document.getElementById("code");
const ORDER = ["supporting", "alternate", "note", "low", "medium", "high", "critical"];
const SIGNS = { primary: "●", alternate: "◇", supporting: "○" };
const COLUMNS = { a: "mark", b: "mark2", c: "mark3" };
let findings = [];
let keeper = null; // the words of number buttons without marks

function read() {
  findings = [...document.querySelectorAll("[data-marks]")].map((element, index) => ({
    index,
    element,
    name: element.dataset.markName || "Finding",
    sign: element.dataset.markSign || "",
    severity: element.dataset.severityMark || "note",
    column: COLUMNS[element.dataset.slot] ?? "mark",
    places: rowsOf(element.dataset.marks),
  }));
}

function rowsOf(text) {
  try {
    return JSON.parse(text).map(([path, side, first, last, role]) => ({ path, side, first, last, role }));
  } catch {
    return [];
  }
}

const pathOf = (section, side) => (side === "old" ? section.dataset.pathOld : section.dataset.pathNew) ?? "";

/* The places in one file, by side, each with its finding. */
function placesIn(section) {
  const found = { old: [], new: [] };
  for (const finding of findings) {
    for (const place of finding.places) {
      if (pathOf(section, place.side) === place.path) found[place.side].push({ ...place, finding });
    }
  }
  return found;
}

function codeCell(cell) {
  const row = cell.parentElement;
  if (!row.closest("table").classList.contains("split")) return row.querySelector("td.c");
  return cell.nextElementSibling?.nextElementSibling;
}

function draw() {
  if (!pane) return;
  read();
  for (const cell of pane.querySelectorAll("[data-mark], [data-mark2], [data-mark3]")) {
    for (const column of ["mark", "mark2", "mark3"]) delete cell.dataset[column];
  }
  for (const marks of pane.querySelectorAll(".line-marks")) marks.remove();
  for (const [words, text] of keeper ?? []) words.textContent = text;
  keeper = new Map();
  if (!findings.some(({ places }) => places.length)) return;
  for (const section of pane.querySelectorAll(".file")) {
    const sides = placesIn(section);
    if (!sides.old.length && !sides.new.length) continue;
    const signed = new Set();
    for (const button of section.querySelectorAll("button.ln")) {
      const line = Number(button.dataset.line);
      const here = sides[button.dataset.side].filter(({ first, last }) => first <= line && line <= last);
      if (here.length) mark(button, here, signed);
    }
  }
}

function mark(button, here, signed) {
  const cell = button.closest("td");
  for (const { role, finding } of here) {
    const wanted = role === "primary" ? finding.severity : role;
    if (ORDER.indexOf(wanted) > ORDER.indexOf(cell.dataset[finding.column] ?? "")) cell.dataset[finding.column] = wanted;
  }
  const words = button.querySelector("i");
  if (words) {
    if (!keeper.has(words)) keeper.set(words, words.textContent);
    words.textContent += here.map(({ role, finding }) => `, ${finding.name} ${role}`).join("");
  }
  const fresh = here.filter((place) => {
    const key = `${place.finding.index} ${place.side} ${place.first} ${place.role}`;
    if (signed.has(key)) return false;
    signed.add(key);
    return true;
  });
  const code = codeCell(cell);
  if (!fresh.length || !code) return;
  let box = code.querySelector(":scope > .line-marks");
  if (!box) {
    box = document.createElement("span");
    box.className = "line-marks";
    code.prepend(box);
  }
  for (const { role, finding, first, last } of fresh) {
    const sign = document.createElement("button");
    sign.type = "button";
    sign.className = "line-mark";
    sign.tabIndex = -1;
    sign.dataset.finding = finding.index;
    sign.dataset.role = role;
    if (role === "primary") sign.dataset.severity = finding.severity;
    sign.textContent = `${SIGNS[role] ?? ""}${finding.sign}`;
    const lines = first === last ? `line ${first}` : `lines ${first} to ${last}`;
    sign.title = `${finding.name}: ${role} place, ${lines}`;
    sign.setAttribute("aria-label", sign.title);
    box.append(sign);
  }
}

/* ---- Lighting ---- */
function light(places, on) {
  for (const cell of pane.querySelectorAll("td.lit")) cell.classList.remove("lit");
  if (!on) return;
  for (const section of pane.querySelectorAll(".file")) {
    const mine = places.filter((place) => pathOf(section, place.side) === place.path);
    if (!mine.length) continue;
    for (const button of section.querySelectorAll("button.ln")) {
      const line = Number(button.dataset.line);
      if (mine.some(({ side, first, last }) => side === button.dataset.side && first <= line && line <= last)) {
        button.closest("td").classList.add("lit");
        codeCell(button.closest("td"))?.classList.add("lit");
      }
    }
  }
}

function lightFindings(section, side, line) {
  const here = section ? placesIn(section)[side].filter(({ first, last }) => first <= line && line <= last) : [];
  const lit = new Set(here.map(({ finding }) => finding.index));
  for (const { element, index } of findings) element.classList.toggle("lit", lit.has(index));
}

let shownBy = null;
let row = null;
function point(event) {
  const target = event.target instanceof Element ? event.target : null;
  const by = target?.closest("[data-marks], [data-shows]") ?? target?.closest("[data-finding]");
  if (by !== shownBy) {
    shownBy = by ?? null;
    const places = by?.dataset.finding
      ? findings[Number(by.dataset.finding)]?.places
      : rowsOf(by?.dataset.marks ?? by?.dataset.shows ?? "[]");
    light(places ?? [], Boolean(by));
  }
  const over = target?.closest(".code-pane tr") ?? null;
  if (over === row) return;
  row = over;
  const cell = target?.closest("td");
  const buttons = [...(over?.querySelectorAll("button.ln") ?? [])];
  const isOld = cell && over.querySelectorAll("td.c").length > 1 && [...over.cells].indexOf(cell) < 3;
  const button = buttons.find((one) => one.dataset.side === (isOld ? "old" : "new")) ?? buttons[0];
  lightFindings(button?.closest(".file"), button?.dataset.side, Number(button?.dataset.line));
}

document.addEventListener("pointerover", (event) => findings.length && point(event), { passive: true });
document.addEventListener("focusin", (event) => {
  const by = event.target.closest?.("[data-marks], [data-shows]");
  if (by && findings.length) light(rowsOf(by.dataset.marks ?? by.dataset.shows), true);
});
document.addEventListener("touchstone:cursor", (event) => {
  const { section, side, line } = event.detail;
  if (findings.length) lightFindings(section, side, line);
});

/* ---- From finding to finding ---- */
function step(by) {
  const files = [...pane.querySelectorAll(".file[data-position]")];
  const all = findings
    .flatMap(({ places }) => places)
    .map((place) => ({ ...place, at: files.findIndex((section) => pathOf(section, place.side) === place.path) }))
    .sort((one, other) => one.at - other.at || one.first - other.first || one.side.localeCompare(other.side));
  if (!all.length) {
    document.dispatchEvent(
      new CustomEvent("touchstone:notice", { detail: { text: "No finding has a place in this change yet.", tone: "info" } }),
    );
    return;
  }
  const button = pane.querySelector("tr.cursor button.ln:focus") ?? pane.querySelector("tr.cursor button.ln");
  const at = button ? files.indexOf(button.closest(".file")) : -1;
  const line = Number(button?.dataset.line ?? 0);
  const after = ({ at: file, first }) => file > at || (file === at && first > line);
  const ahead = ({ at: file, first }) => file < at || (file === at && first < line);
  const next = by > 0 ? (all.find(after) ?? all[0]) : (all.findLast(ahead) ?? all.at(-1));
  document.dispatchEvent(new CustomEvent("touchstone:goto", { detail: { path: next.path, side: next.side, line: next.first } }));
}

document.addEventListener("click", (event) => {
  const sign = event.target.closest?.(".line-mark");
  if (!sign) return;
  const { element } = findings[Number(sign.dataset.finding)] ?? {};
  element?.querySelector("[data-open-label]")?.click();
});

document.addEventListener("touchstone:drawn", draw);
document.addEventListener("touchstone:marks", draw);

if (pane) {
  const key = (id, keys, label, run) =>
    document.dispatchEvent(
      new CustomEvent("touchstone:shortcut", { detail: { id, keys, label, group: "Findings in the margin", run } }),
    );
  key("finding-next", ">", "Next finding", () => step(1));
  key("finding-before", "<", "Finding before", () => step(-1));
  draw();
}
