/*
 * Choosing lines in a [data-line-selection] pane: by click, shift-click, ctrl-click, drag and keyboard, on either side,
 * in any number of ranges. It holds the cursor and the selection and knows nothing of labels.
 *
 * Says:   "touchstone:selection" on document, detail {lines, words, begins}: `lines` are places as text ("src/a.py new
 *         40-46, 52"), `begins` tells a step that can be undone; "touchstone:cursor" {section, side, line};
 *         "touchstone:goto" for a part or file that has not loaded yet.
 * Hears:  "touchstone:selection-clear", "touchstone:selection-undo"; "touchstone:cursor-to" {section, side, line} moves
 *         the cursor there; "touchstone:go" {to} to the next or the last change.
 */
const pane = document.querySelector("[data-line-selection]");
const ranges = []; // {section, path, side, first, last}
const past = []; // earlier selections
const MOST_PAST = 50;
let cursor = null; // the number button that j and k move
let selecting = false; // v: moving extends
let extending = false; // the Extend button: the next click extends
let drag = null;
let waiting = null; // where to go once a file has loaded

const sections = () => [...pane.querySelectorAll(".file")];
const sectionOf = (element) => element?.closest(".file") ?? null;
const buttonsOf = (section) => [...section.querySelectorAll("button.ln")];

function pathOf(section, side) {
  return (side === "old" ? section.dataset.pathOld : section.dataset.pathNew) ?? "";
}

function place(button) {
  const section = sectionOf(button);
  const side = button.dataset.side;
  return { section, side, path: pathOf(section, side), line: Number(button.dataset.line) };
}

function codeCells(button) {
  const cell = button.closest("td");
  const row = cell.parentElement;
  if (!row.closest("table").classList.contains("split")) return [cell, row.querySelector("td.c")];
  return [cell, cell.nextElementSibling?.nextElementSibling];
}

/* ---- Drawing ---- */
function draw() {
  for (const cell of pane.querySelectorAll("td.pick")) cell.classList.remove("pick");
  for (const button of pane.querySelectorAll('button.ln[aria-pressed="true"]')) button.removeAttribute("aria-pressed");
  const bySection = new Map();
  for (const range of ranges) {
    const section = pane.contains(range.section) ? range.section : findSection(range.path, range.side);
    if (!section) continue;
    range.section = section;
    bySection.set(section, [...(bySection.get(section) ?? []), range]);
  }
  for (const [section, held] of bySection) {
    for (const button of buttonsOf(section)) {
      const line = Number(button.dataset.line);
      if (!held.some((one) => one.side === button.dataset.side && one.first <= line && line <= one.last)) continue;
      button.setAttribute("aria-pressed", "true");
      for (const cell of codeCells(button)) cell?.classList.add("pick");
    }
  }
}

function findSection(path, side) {
  return sections().find((section) => pathOf(section, side) === path) ?? null;
}

function merged() {
  const groups = new Map();
  for (const { path, side, first, last } of ranges) {
    const key = `${side} ${path}`;
    if (!groups.has(key)) groups.set(key, { path, side, held: [] });
    groups.get(key).held.push([first, last]);
  }
  for (const group of groups.values()) {
    group.held.sort((a, b) => a[0] - b[0]);
    group.held = group.held.reduce((kept, [first, last]) => {
      const before = kept.at(-1);
      if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
      else kept.push([first, last]);
      return kept;
    }, []);
  }
  return [...groups.values()];
}

function say({ begins = false } = {}) {
  const text = (held, dash) => held.map(([first, last]) => (first === last ? first : `${first}${dash}${last}`)).join(", ");
  const found = merged();
  document.dispatchEvent(
    new CustomEvent("touchstone:selection", {
      detail: {
        begins,
        lines: found.map(({ path, side, held }) => `${path} ${side} ${text(held, "-")}`),
        words: found.map(({ path, side, held }) => `${path.split("/").at(-1)} ${text(held, "–")} ${side}`).join("; "),
      },
    }),
  );
}

function changed(how) {
  draw();
  say(how);
}

/* ---- Choosing ---- */
function start(button, { add = false } = {}) {
  const { section, path, side, line } = place(button);
  if (!path) return;
  remember();
  if (!add) ranges.length = 0;
  ranges.push({ section, path, side, first: line, last: line, from: line });
  changed({ begins: true });
}

function extend(button) {
  const { path, side, line } = place(button);
  const range = ranges.at(-1);
  if (!range || range.path !== path || range.side !== side) return false;
  range.first = Math.min(range.from, line);
  range.last = Math.max(range.from, line);
  changed();
  return true;
}

function clear() {
  const begins = ranges.length > 0;
  if (begins) remember();
  ranges.length = 0;
  selecting = false;
  setExtending(false);
  changed({ begins });
}

/* What was selected before, for undo. */
function remember() {
  past.push(ranges.map((range) => ({ ...range })));
  if (past.length > MOST_PAST) past.shift();
}

function setExtending(on) {
  extending = on;
  document.querySelector("[data-selection-extend]")?.setAttribute("aria-pressed", String(on));
}

/* ---- Mouse and touch ---- */
function buttonInRow(target, side, section) {
  const row = target?.closest?.("tr");
  if (!row || sectionOf(row) !== section) return null;
  return row.querySelector(`button.ln[data-side="${side}"]`);
}

pane?.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("button.ln");
  if (!button || event.button !== 0 || event.pointerType === "touch" || event.shiftKey || event.ctrlKey || event.metaKey)
    return;
  drag = { button, section: sectionOf(button), side: button.dataset.side, moved: false };
});

document.addEventListener("pointermove", (event) => {
  if (!drag || !(event.buttons & 1)) return;
  const under = buttonInRow(document.elementFromPoint(event.clientX, event.clientY), drag.side, drag.section);
  if (!under || (under === drag.button && !drag.moved)) return;
  if (!drag.moved) {
    drag.moved = true;
    start(drag.button);
    pane.classList.add("dragging");
  }
  if (extend(under)) setCursor(under, { focus: false });
  event.preventDefault();
});

function endDrag() {
  if (!drag) return;
  pane.classList.remove("dragging");
  const { moved } = drag;
  drag = null;
  if (moved) suppressClick();
}

// The click that follows a drag is not a choice of one line.
function suppressClick() {
  const stop = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  pane.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => pane.removeEventListener("click", stop, { capture: true }), 0);
}

document.addEventListener("pointerup", endDrag);
document.addEventListener("pointercancel", endDrag);

pane?.addEventListener("click", (event) => {
  const button = event.target.closest("button.ln");
  if (!button) return;
  setCursor(button, { focus: false });
  if ((event.shiftKey || extending) && extend(button)) setExtending(false);
  else start(button, { add: event.ctrlKey || event.metaKey });
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-selection-clear]")) clear();
  if (event.target.closest("[data-selection-extend]")) setExtending(!extending);
});

/* ---- The cursor ---- */
function setCursor(button, { focus = true } = {}) {
  cursor?.closest("tr")?.classList.remove("cursor");
  cursor = button;
  if (!button) return;
  button.closest("tr").classList.add("cursor");
  const section = sectionOf(button);
  setCurrent(section);
  const detail = { section, side: button.dataset.side, line: Number(button.dataset.line) };
  document.dispatchEvent(new CustomEvent("touchstone:cursor", { detail }));
  if (!focus) return;
  button.focus({ preventScroll: true });
  const box = button.getBoundingClientRect();
  const view = pane.getBoundingClientRect();
  const top = Math.max(view.top, 0) + 60;
  const bottom = Math.min(view.bottom, window.innerHeight) - 40;
  if (box.top < top || box.bottom > bottom) button.scrollIntoView({ block: "center" });
}

function setCurrent(section) {
  for (const other of pane.querySelectorAll(".file.current")) if (other !== section) other.classList.remove("current");
  section?.classList.add("current");
  for (const link of document.querySelectorAll("[data-tree-file]")) {
    if (link.dataset.treeFile === section?.dataset.position) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function currentSection() {
  const held = sectionOf(cursor);
  if (held && pane.contains(held)) return held;
  const marked = pane.querySelector(".file.current");
  if (marked) return marked;
  const top = Math.max(pane.getBoundingClientRect().top, 0) + 50;
  return sections().find((section) => section.getBoundingClientRect().bottom > top) ?? null;
}

const hasLine = (row) => Boolean(row.querySelector("button.ln"));
const rowsOf = (section) => [...new Set([...section.querySelectorAll("button.ln")].map((button) => button.closest("tr")))];
const isFolded = (row) => document.documentElement.dataset.blankChanges === "folded" && row.classList.contains("w");

/* The line before or after a row in its file. At a part that has not loaded yet it is asked for, and there is none. */
function neighbour(row, by) {
  const beside = (element) => (by > 0 ? element.nextElementSibling : element.previousElementSibling);
  let at = row;
  for (;;) {
    const next = beside(at);
    if (next) {
      at = next;
      if (hasLine(at) && !(isFolded(at) && at.matches(".del"))) return at;
      continue;
    }
    const table = at.closest("table");
    const box = beside(table.closest(".file-part") ?? table);
    if (box?.matches(".waits")) {
      const [side, span] = box.dataset.new ? ["new", box.dataset.new] : ["old", box.dataset.old];
      const { position } = sectionOf(box).dataset;
      const line = Number(span.split("-").at(by > 0 ? 0 : 1));
      const path = pathOf(sectionOf(box), side);
      document.dispatchEvent(new CustomEvent("touchstone:goto", { detail: { position, path, side, line } }));
      return null;
    }
    const rows = (box?.matches("table") ? box : box?.querySelector("table"))?.tBodies[0]?.rows;
    if (!rows?.length) return null;
    at = by > 0 ? rows[0] : rows[rows.length - 1];
    if (hasLine(at)) return at;
  }
}

function preferred(row, side) {
  return (
    (side && row.querySelector(`button.ln[data-side="${side}"]`)) ||
    row.querySelector('button.ln[data-side="new"]') ||
    row.querySelector("button.ln")
  );
}

function live() {
  return cursor && pane.contains(cursor) ? cursor : null;
}

/* The row `step` rows on, across files. While lines are being selected the side is kept, and rows without it skipped. */
function step(by, { keep = false } = {}) {
  const at = live();
  if (!at) {
    const section = currentSection() ?? sections()[0];
    const rows = section ? rowsOf(section) : [];
    const change = rows.find(isChange) ?? rows[0];
    return change ? preferred(change) : null;
  }
  const section = sectionOf(at);
  const side = at.dataset.side;
  for (let row = neighbour(at.closest("tr"), by); row; row = neighbour(row, by)) {
    const same = row.querySelector(`button.ln[data-side="${side}"]`);
    if (keep && !same) continue;
    return keep ? same : preferred(row, null);
  }
  if (keep || waitsBeside(at, by)) return null;
  const files = sections();
  const other = files[files.indexOf(section) + by];
  if (!other) return null;
  const theirs = rowsOf(other);
  if (theirs.length) return preferred(by > 0 ? theirs[0] : theirs.at(-1));
  goToFile(other);
  return null;
}

function waitsBeside(button, by) {
  const parts = [...sectionOf(button).querySelectorAll(".file-part.waits")];
  const wanted = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  return parts.some((part) => button.compareDocumentPosition(part) & wanted);
}

const isChange = (row) => (row.matches(".add, .del") || Boolean(row.querySelector("td.add, td.del"))) && !isFolded(row);

function move(by) {
  const next = step(by, { keep: selecting });
  if (!next) return;
  setCursor(next);
  if (selecting) extend(next);
}

function extendByKey(by) {
  const at = live();
  if (!at) {
    move(by);
    return;
  }
  const { path, side } = place(at);
  const range = ranges.at(-1);
  if (!range || range.path !== path || range.side !== side || !at.hasAttribute("aria-pressed")) start(at);
  const next = step(by, { keep: true });
  if (!next) return;
  setCursor(next);
  extend(next);
}

/* The first line of the next run of changed lines, or of the one before. */
function toChange(by) {
  const files = sections();
  const at = live();
  let file = at ? files.indexOf(sectionOf(at)) : files.indexOf(currentSection());
  let row = at?.closest("tr") ?? null;
  let within = Boolean(row && isChange(row));
  for (let steps = 0; steps < 100_000; steps += 1) {
    const next = row ? neighbour(row, by) : (by > 0 ? rowsOf(files[file] ?? pane)[0] : null);
    if (!next) {
      if (row && waitsBeside(row.querySelector("button.ln"), by)) return;
      file += by;
      if (!files[file]) return;
      const rows = rowsOf(files[file]);
      if (!rows.length) {
        goToFile(files[file]);
        return;
      }
      row = by > 0 ? rows[0] : rows.at(-1);
      within = false;
    } else row = next;
    if (isChange(row) && !within) {
      let first = row;
      // Backwards a run is met at its end: go to where it begins.
      for (let more = by < 0 ? neighbour(first, -1) : null; more && isChange(more); more = neighbour(more, -1)) first = more;
      setCursor(preferred(first));
      return;
    }
    within = isChange(row);
  }
}

function goToFile(section) {
  setCurrent(section);
  section.scrollIntoView({ block: "start" });
  const rows = rowsOf(section);
  if (rows.length) {
    setCursor(preferred(rows.find(isChange) ?? rows[0]));
    section.scrollIntoView({ block: "start" });
  } else {
    cursor?.closest("tr")?.classList.remove("cursor");
    cursor = null;
    const { position } = section.dataset;
    if (section.querySelector("[data-loads]")) {
      document.dispatchEvent(new CustomEvent("touchstone:goto", { detail: { position } }));
    } else section.querySelector("[data-open-file], .file-note a, .read-mark button")?.focus({ preventScroll: true });
  }
}

function toFile(by, { unread = false } = {}) {
  const files = sections();
  let at = files.indexOf(currentSection());
  // While no file is current the one in view comes first.
  if (by > 0 && !live() && !pane.querySelector(".file.current")) at -= 1;
  for (let next = at + by; next >= 0 && next < files.length; next += by) {
    if (!unread || !files[next].classList.contains("read")) {
      goToFile(files[next]);
      return;
    }
  }
}

function otherSide() {
  const at = live();
  const other = at?.closest("tr").querySelector(`button.ln[data-side="${at.dataset.side === "new" ? "old" : "new"}"]`);
  if (!other) return;
  setCursor(other);
  if (selecting) start(other);
}

function toggleSelecting() {
  const at = live() ?? step(1);
  if (!at) return;
  if (selecting) {
    selecting = false;
    return;
  }
  setCursor(at);
  selecting = true;
  start(at);
}

function addRange() {
  const at = live();
  if (!at) return;
  selecting = true;
  start(at, { add: true });
}

function expand() {
  const section = currentSection();
  if (!section) return;
  const closed = section.querySelector("[data-open-file]");
  if (closed) {
    waiting = { position: section.dataset.position };
    closed.click();
    return;
  }
  const gaps = [...section.querySelectorAll("tr.gap")];
  const row = live()?.closest("tr");
  const below = row && gaps.find((gap) => row.compareDocumentPosition(gap) & Node.DOCUMENT_POSITION_FOLLOWING);
  const gap = below ?? gaps.at(-1);
  gap?.querySelector("button")?.click();
}

/* ---- Going to a place, once viewer.js has it loaded ---- */
document.addEventListener("touchstone:cursor-to", (event) => {
  const { section, side, line } = event.detail;
  const button = line && section.querySelector(`button.ln[data-side="${side}"][data-line="${line}"]`);
  if (button) setCursor(button);
  else if (line) {
    setCurrent(section);
    section.scrollIntoView({ block: "start" });
  } else if (rowsOf(section).length) goToFile(section);
});
document.addEventListener("touchstone:go", (event) => toChange(event.detail.to === "change-next" ? 1 : -1));
document.addEventListener("touchstone:selection-clear", () => clear());
document.addEventListener("touchstone:selection-undo", () => {
  ranges.splice(0, ranges.length, ...(past.pop() ?? []));
  selecting = false;
  changed();
});

document.addEventListener("htmx:afterSettle", () => {
  if (!pane) return;
  draw();
  if (!waiting) return;
  const section = sections().find((one) => one.dataset.position === waiting.position);
  const rows = section ? rowsOf(section) : [];
  if (!rows.length) return;
  waiting = null;
  setCursor(preferred(rows.find(isChange) ?? rows[0]));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-tree-file], [data-goto-file]");
  if (!link || event.ctrlKey || event.metaKey) return;
  const position = link.dataset.treeFile ?? link.dataset.gotoFile;
  const section = sections().find((one) => one.dataset.position === position);
  if (!section) return;
  event.preventDefault();
  link.closest("dialog")?.close();
  if (link.closest("[popover]:popover-open")) link.closest("[popover]").hidePopover();
  goToFile(section);
});

/* ---- Keys ---- */
if (pane) {
  const key = (id, keys, label, group, run) =>
    document.dispatchEvent(new CustomEvent("touchstone:shortcut", { detail: { id, keys, label, group, run } }));
  key("line-next", "j arrowdown", "Next line", "Lines", () => move(1));
  key("line-before", "k arrowup", "Line before", "Lines", () => move(-1));
  key("change-next", "J", "Next change", "Lines", () => toChange(1));
  key("change-before", "K", "Change before", "Lines", () => toChange(-1));
  key("select", "v", "Select lines: start, then j and k, then v to stop", "Lines", toggleSelecting);
  key("select-add", "V", "Select a further range", "Lines", addRange);
  key("select-down", "shift+arrowdown", "Extend the selection down", "Lines", () => extendByKey(1));
  key("select-up", "shift+arrowup", "Extend the selection up", "Lines", () => extendByKey(-1));
  key("select-clear", "escape", "Clear the selection", "Lines", () => clear());
  key("to-code", "alt+c", "Back to the code", "Lines", () => (live() ? setCursor(live()) : pane.focus()));
  key("other-side", "t", "Other side of an unchanged line", "Lines", otherSide);
  key("expand", "e", "Show more lines, or open a closed file", "Files", expand);
  key("file-next", "]", "Next file", "Files", () => toFile(1));
  key("file-before", "[", "File before", "Files", () => toFile(-1));
  key("unread-next", "}", "Next unread file", "Files", () => toFile(1, { unread: true }));
  key("unread-before", "{", "Unread file before", "Files", () => toFile(-1, { unread: true }));
  key("file-read", "x", "Mark the file as read or unread", "Files", () => {
    currentSection()?.querySelector(".read-mark button")?.click();
  });
}
