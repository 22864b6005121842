/*
 * The viewer around the lines: going to a place and loading what hides it, the snapshot and its search, links to a line,
 * copying code of one side, the file tree's filter, and the keys for how code is shown.
 *
 * Hears:  "touchstone:goto" {path, side, line} or {position, side, line}; with `quiet` the place is only brought into
 *         sight. "touchstone:open-snapshot" {path, side, line}.
 * Says:   "touchstone:cursor-to" {section, side, line} once the line is there, for line_selection.js;
 *         "touchstone:drawn" after lines came in.
 */
const pane = document.getElementById("code");
const base = pane?.dataset.baseUrl ?? "";
const say = (text, tone = "info") =>
  document.dispatchEvent(new CustomEvent("touchstone:notice", { detail: { text, tone } }));
const emit = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

/* ---- Going to a place ---- */
function sectionOf({ path, side, position }) {
  const files = [...(pane?.querySelectorAll(".file") ?? [])];
  if (position !== undefined) return files.find((file) => file.dataset.position === String(position)) ?? null;
  const name = side === "old" ? "pathOld" : "pathNew";
  // A changed file goes before the same file of the snapshot, unless the diff does not show the line.
  return files.filter((file) => file.dataset[name] === path).sort((file) => (file.dataset.position ? -1 : 1))[0] ?? null;
}

const lineOf = (section, { side, line }) =>
  section.querySelector(`button.ln[data-side="${side}"][data-line="${line}"]`);

/* What has to load before the line is there: a closed or waiting file, a gap, or a part further down. */
function hides(section, { side, line }) {
  const file = section.querySelector("[data-open-file], [data-loads]");
  if (file) return { url: file.getAttribute("hx-get"), target: section };
  if (!line) return null;
  for (const button of section.querySelectorAll("tr.gap button.expand-all")) {
    const query = new URL(button.getAttribute("hx-get"), location.href).searchParams;
    const first = Number(query.get(side));
    if (first <= line && line < first + Number(query.get("count"))) {
      return { url: button.getAttribute("hx-get"), target: button.closest("tr") };
    }
  }
  for (const part of section.querySelectorAll(".file-part.waits")) {
    const [first, last] = (part.dataset[side] ?? "0-0").split("-").map(Number);
    if (first <= line && line <= last) return { url: part.dataset.part, target: part };
  }
  return null;
}

async function goTo(place) {
  let section = sectionOf(place);
  if (!section) {
    if (place.path && !place.quiet) await openSnapshot(place);
    return;
  }
  for (let tries = 0; tries < 120; tries += 1) {
    const there = place.line ? lineOf(section, place) : !section.querySelector("[data-loads]");
    const hidden = there ? null : hides(section, place);
    if (!hidden) break;
    await window.htmx.ajax("GET", hidden.url, { target: hidden.target, swap: "outerHTML" });
    section = sectionOf(place) ?? section;
  }
  if (place.quiet) {
    const line = place.line && lineOf(section, place);
    (line || section).scrollIntoView({ block: line ? "center" : "start" });
    return;
  }
  if (place.line && !lineOf(section, place)) {
    // Changed, but not at this line, and its unchanged lines are not known here: the snapshot has them.
    const path = place.path ?? (place.side === "old" ? section.dataset.pathOld : section.dataset.pathNew);
    if (section.dataset.position && document.getElementById("snapshot-search")) {
      await openSnapshot({ ...place, path });
      return;
    }
  }
  emit("touchstone:cursor-to", { section, side: place.side, line: place.line });
}

document.addEventListener("touchstone:goto", (event) => goTo(event.detail));

/* ---- Parts of long files ---- */
/* One at a time and in quiet moments, those in sight first: laying rows out must not hold up a person who types. */
const near = new Set();
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) near.add(target);
      else near.delete(target);
    }
    loadParts();
  },
  // On a narrow screen the page scrolls and not the pane.
  { root: pane && getComputedStyle(pane).overflowY !== "visible" ? pane : null, rootMargin: "600px 0px" },
);
let loading = false;

async function loadParts() {
  if (loading) return;
  loading = true;
  while (near.size) {
    const [part] = near;
    near.delete(part);
    seen.unobserve(part);
    if (!part.isConnected) continue;
    await window.htmx.ajax("GET", part.dataset.part, { target: part, swap: "outerHTML" });
    await new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve, { timeout: 300 }));
  }
  loading = false;
}

function watchParts() {
  for (const part of pane?.querySelectorAll(".file-part.waits") ?? []) seen.observe(part);
}

/* ---- The snapshot ---- */
let before = null; // where the focus was when a file was opened

async function openSnapshot({ path, side, line }) {
  const at = document.getElementById("snapshot-file");
  if (!at || !path) return;
  before ??= document.activeElement;
  await window.htmx.ajax("GET", `${base}blob/${side}/?path=${encodeURIComponent(path)}`, { target: at, swap: "outerHTML" });
  const section = document.getElementById("snapshot-file");
  if (!section?.matches(".file")) return;
  hidePopover();
  if (line) await goTo({ path, side, line, position: section.dataset.position });
  else {
    section.scrollIntoView({ block: "start" });
    section.focus({ preventScroll: true });
  }
}

function closeSnapshot() {
  const section = document.getElementById("snapshot-file");
  if (!section?.matches(".file")) return false;
  const empty = document.createElement("div");
  empty.id = "snapshot-file";
  empty.hidden = true;
  section.replaceWith(empty);
  const back = before?.isConnected ? before : pane;
  before = null;
  back.focus({ preventScroll: true });
  back.scrollIntoView?.({ block: "nearest" });
  return true;
}

function hidePopover() {
  const tree = document.getElementById("tree");
  if (tree?.matches(":popover-open")) tree.hidePopover();
}

document.addEventListener("touchstone:open-snapshot", (event) => openSnapshot(event.detail));

/* ---- Other occurrences ---- */
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

function occurrences(word) {
  const field = document.getElementById("snapshot-text");
  if (!field) {
    say("Only the patch is known: there is no snapshot to search in.");
    return;
  }
  field.value = word;
  document.getElementById("snapshot-how").value = "word";
  const tree = document.getElementById("tree");
  if (tree.popover && getComputedStyle(tree).display === "none") tree.showPopover();
  field.form.requestSubmit();
  document.addEventListener(
    "htmx:afterSettle",
    () => document.querySelector("#snapshot-found a")?.focus(),
    { once: true },
  );
}

function wordAt(x, y) {
  const at = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
  const node = at?.offsetNode ?? at?.startContainer;
  const offset = at?.offset ?? at?.startOffset;
  const cell = node?.parentElement?.closest("td.c");
  if (!cell || node.nodeType !== Node.TEXT_NODE) return "";
  // A word may be cut into several coloured pieces: look at the whole line.
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let text = "";
  let position = 0;
  for (let one = walker.nextNode(); one; one = walker.nextNode()) {
    if (one === node) position = text.length + offset;
    text += one.textContent;
  }
  return [...text.matchAll(WORD)].find(({ 0: word, index }) => index <= position && position <= index + word.length)?.[0] ?? "";
}

/* The words of the cursor's line to choose from; a selection in the code goes before. */
function askSymbol() {
  const chosen = String(document.getSelection()).trim();
  if (chosen && !/\s/.test(chosen) && document.getSelection().anchorNode?.parentElement?.closest("td.c")) {
    occurrences(chosen);
    return;
  }
  const row = pane.querySelector("tr.cursor");
  if (!row) {
    say("Go to a line with j and k first, or hold alt and click a word.");
    return;
  }
  const button = row.querySelector("button.ln:focus") ?? row.querySelector("button.ln");
  const words = [...new Set(codeCell(row, button.dataset.side)?.textContent.match(WORD) ?? [])].filter(
    (word) => word.length > 1,
  );
  if (!words.length) {
    say("This line has no word to look for.");
    return;
  }
  const list = document.getElementById("symbols-list");
  list.replaceChildren(
    ...words.slice(0, 40).map((word) => {
      const choice = document.createElement("button");
      choice.type = "button";
      choice.className = "button small";
      choice.dataset.symbol = word;
      choice.textContent = word;
      return choice;
    }),
  );
  document.getElementById("symbols").showModal();
}

/* ---- Links to a line ---- */
function linkOfCursor() {
  const picked = [...pane.querySelectorAll('button.ln[aria-pressed="true"]')];
  const button = picked[0] ?? pane.querySelector("tr.cursor button.ln:focus, tr.cursor button.ln");
  const section = button?.closest(".file");
  if (!section) return "";
  const { side, line } = button.dataset;
  const url = new URL(location.pathname, location.origin);
  if (!section.dataset.position) {
    const path = side === "old" ? section.dataset.pathOld : section.dataset.pathNew;
    url.search = new URLSearchParams({ open: path, side, line });
    return url.href;
  }
  const same = picked.filter((one) => one.dataset.side === side && one.closest(".file") === section);
  const last = same.at(-1)?.dataset.line ?? line;
  url.search = `?at=${section.dataset.position}-${side}-${line}${last === line ? "" : `-${last}`}`;
  url.hash = section.id;
  return url.href;
}

async function copyLink() {
  const link = linkOfCursor();
  if (!link) {
    say("Go to a line first: the link leads to it.");
    return;
  }
  try {
    await navigator.clipboard.writeText(link);
    say("The link to the line is copied.", "success");
  } catch {
    say(`The browser did not allow copying. The link is ${link}`, "warn");
  }
}

function followAt(text) {
  const [position, side, line] = text.split("-");
  goTo({ position, side, line: Number(line) });
}

/* ---- Copying ---- */
function codeCell(row, side) {
  const cells = row.querySelectorAll("td.c");
  return cells.length > 1 ? cells[side === "old" ? 0 : 1] : cells[0];
}

function sideOf(cell) {
  const row = cell.parentElement;
  if (row.querySelectorAll("td.c").length > 1) return cell === row.querySelector("td.c") ? "old" : "new";
  return row.matches(".del") ? "old" : "new";
}

/* The text of a cell within a range, with marks turned back into the characters they stand for. */
function textOf(cell, range) {
  const part = document.createRange();
  part.selectNodeContents(cell);
  if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0) part.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset);
  const copy = part.cloneContents();
  for (const extra of copy.querySelectorAll(".line-note, .line-marks, .cut")) extra.remove();
  for (const mark of copy.querySelectorAll(".inv")) {
    const code = mark.dataset.c;
    mark.replaceWith(code === "CR" ? "\r" : String.fromCodePoint(parseInt(code.slice(2), 16)));
  }
  return copy.textContent;
}

document.addEventListener("copy", (event) => {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const start = selection.anchorNode?.parentElement?.closest("td.c") ?? selection.anchorNode?.closest?.("td.c");
  const table = start?.closest("table.diff");
  if (!table || !pane?.contains(table)) return;
  const side = sideOf(start);
  const cells = [];
  for (const row of start.closest(".file").querySelectorAll("tr")) {
    const cell = row.querySelector(`button.ln[data-side="${side}"]`) && codeCell(row, side);
    if (cell && range.intersectsNode(cell)) cells.push(cell);
  }
  if (!cells.length) return;
  event.clipboardData.setData("text/plain", cells.map((cell) => textOf(cell, range)).join("\n"));
  event.preventDefault();
});

// In the split layout only the side on which the selection starts can be selected.
pane?.addEventListener("pointerdown", (event) => {
  const cell = event.target.closest("td.c");
  const file = cell?.closest(".file");
  if (!file) return;
  for (const table of file.querySelectorAll("table.split")) {
    table.classList.toggle("from-old", sideOf(cell) === "old");
    table.classList.toggle("from-new", sideOf(cell) === "new");
  }
});

/* ---- Clicks ---- */
document.addEventListener("click", (event) => {
  const hit = (selector) => event.target.closest?.(selector);
  let found;
  if (event.altKey && hit("td.c")) {
    const word = wordAt(event.clientX, event.clientY);
    if (word) {
      event.preventDefault();
      occurrences(word);
    }
    return;
  }
  if (event.ctrlKey || event.metaKey) return;
  if ((found = hit("[data-at]"))) {
    event.preventDefault();
    followAt(found.dataset.at);
  } else if ((found = hit("[data-open-path]"))) {
    event.preventDefault();
    const { openPath: path, side, line } = found.dataset;
    if (line) goTo({ path, side, line: Number(line) });
    else openSnapshot({ path, side });
    hidePopover();
  } else if ((found = hit("[data-goto]"))) {
    event.preventDefault();
    const { path, side, line } = found.dataset;
    if (path) goTo({ path, side, line: Number(line) || null });
  } else if (hit("[data-close-snapshot]")) closeSnapshot();
  else if ((found = hit("[data-symbol]"))) {
    found.closest("dialog").close();
    occurrences(found.dataset.symbol);
  } else if ((found = hit("[data-go]"))) emit("touchstone:go", { to: found.dataset.go });
});

/* ---- The tree and the search ---- */
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-tree-filter]")) return;
  const wanted = event.target.value.trim().toLowerCase();
  let any = false;
  for (const item of document.querySelectorAll("[data-tree-path]")) {
    item.hidden = !item.dataset.treePath.includes(wanted);
    any ||= !item.hidden;
  }
  for (const folder of [...document.querySelectorAll("#tree details")].reverse()) {
    folder.parentElement.hidden = !folder.querySelector("[data-tree-path]:not([hidden])");
  }
  document.querySelector("[data-tree-none]").hidden = any;
});

document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-snapshot-side]")) return;
  const side = event.target.value;
  for (const searching of document.querySelectorAll("[data-search-base]")) {
    const url = `${searching.dataset.searchBase}${side}/`;
    for (const element of [searching, ...searching.querySelectorAll("[hx-get]")]) element.setAttribute("hx-get", url);
    searching.action = url;
    window.htmx.process(searching);
  }
  const browse = document.querySelector("[data-browse]");
  browse.href = `${browse.dataset.browse}${side}/`;
  browse.setAttribute("hx-get", browse.href);
  window.htmx.process(browse);
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (!event.target.closest?.(".file, .code-pane")) return;
  watchParts();
  emit("touchstone:drawn");
});

/* ---- Keys ---- */
const SETTINGS = { wrap: ["auto", "on", "off"], blank_changes: ["shown", "folded"] };
const SAID = {
  wrap: { auto: "Long lines wrap in the split layout", on: "Long lines wrap", off: "Long lines scroll" },
  blank_changes: { shown: "Changes of white space alone are shown", folded: "Changes of white space alone are folded" },
};

function turn(name) {
  const now = document.documentElement.dataset[name === "wrap" ? "wrap" : "blankChanges"] ?? SETTINGS[name][0];
  const value = SETTINGS[name][(SETTINGS[name].indexOf(now) + 1) % SETTINGS[name].length];
  emit("touchstone:set", { name, value });
  say(`${SAID[name][value]}.`);
}

if (pane) {
  const key = (id, keys, label, group, run, when) =>
    document.dispatchEvent(new CustomEvent("touchstone:shortcut", { detail: { id, keys, label, group, run, when } }));
  key("copy-link", "y", "Copy a link to the line", "Lines", copyLink);
  key("symbol", "*", "Other occurrences of a word in this line", "Files", askSymbol);
  key("fold-blank", "w", "Fold or show changes of white space alone", "View", () => turn("blank_changes"));
  key("wrap", "W", "Wrap or scroll long lines", "View", () => turn("wrap"));
  key("layout", "L", "Unified or split", "View", () => {
    pane.querySelector('.viewbar button[name="layout"][aria-pressed="false"]')?.click();
  });
  key("whole-file", "E", "All lines of the file, or the changes only", "Files", () => {
    const section = pane.querySelector("tr.cursor")?.closest(".file") ?? pane.querySelector(".file.current");
    section?.querySelector("[data-whole]")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const inside = event.target instanceof Element && event.target.closest("#snapshot-file");
    if (event.key === "Escape" && inside && closeSnapshot()) event.preventDefault();
  });
  watchParts();
  const query = new URLSearchParams(location.search);
  const open = query.get("open");
  if (query.has("at")) followAt(query.get("at"));
  else if (open) openSnapshot({ path: open, side: query.get("side") ?? "new", line: Number(query.get("line")) || null });
}
