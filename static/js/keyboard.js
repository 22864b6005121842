/*
 * Keyboard shortcuts, in one place.
 *
 * An element declares its key and is clicked (a field is focused) when the key is pressed:
 *   <button data-shortcut="n" data-shortcut-label="New label" data-shortcut-group="Labels">
 * Keys are written as event.key gives them: "n", "J", "?", "]", "\\"; named keys and modifiers in lower case:
 * "ctrl+enter" (also Command), "alt+s", "shift+arrowdown", "escape". Several keys: "j arrowdown" (first is shown).
 *
 * A module registers what has no element:
 *   document.dispatchEvent(new CustomEvent("touchstone:shortcut", {detail: {
 *     id: "line-next", keys: "j", label: "Next line", group: "Lines", run(event) { ... }, when() { return true; }}}));
 * `id` is stable: the person's own key is kept under it. `when` may be left out. The same id again replaces.
 *
 * Scope: elements inside [data-shortcut-scope] act only while the focus is within that element, and go first.
 * While a modal dialog is open only what is inside it acts. Nothing acts in a field that takes text, except
 * keys with ctrl or alt. Two shortcuts with one key in one scope are reported with console.error.
 */
const STORE = "touchstone.keys";
const KEPT = document.documentElement.dataset.keepAt ? document.documentElement.dataset.keys || "{}" : null;
const registered = new Map();
let own = load();
let changing = null;

function load() {
  try {
    const stored = JSON.parse(KEPT ?? localStorage.getItem(STORE) ?? "{}");
    return stored && typeof stored === "object" ? stored : {};
  } catch {
    return {};
  }
}

/* The server keeps the keys of whoever is signed in; `fields` say what changed. */
function store(fields) {
  if (KEPT !== null) {
    document.dispatchEvent(new CustomEvent("touchstone:keep", { detail: { fields } }));
    return;
  }
  try {
    localStorage.setItem(STORE, JSON.stringify(own));
  } catch {
    // Blocked storage: the change holds for this page.
  }
}

function keyOf(event) {
  let key = event.key;
  if (key === "Dead" || key === "Unidentified" || ["Shift", "Control", "Alt", "Meta"].includes(key)) return "";
  // AltGr reports ctrl and alt on some systems although it only chooses the character.
  const altGr = event.getModifierState?.("AltGraph");
  const parts = [];
  if ((event.ctrlKey || event.metaKey) && !altGr) parts.push("ctrl");
  if (event.altKey && !altGr && !(key.length === 1 && /[^\w\s]/.test(key) && !event.ctrlKey)) parts.push("alt");
  if (key === " ") key = "space";
  if (key.length > 1) {
    if (event.shiftKey) parts.push("shift");
    key = key.toLowerCase();
  }
  return [...parts, key].join("+");
}

function takesText(element) {
  if (!element) return false;
  if (element.isContentEditable) return true;
  if (element.matches("textarea, select")) return true;
  return (
    element.matches("input") &&
    !["button", "checkbox", "radio", "submit", "reset", "range", "file", "color"].includes(element.type)
  );
}

function idOf(element) {
  return element.dataset.shortcutId ?? `${element.dataset.shortcutGroup ?? ""}/${labelOf(element)}`;
}

function labelOf(element) {
  return (
    element.dataset.shortcutLabel ??
    element.getAttribute("aria-label") ??
    element.textContent.replace(/\s+/g, " ").trim()
  );
}

function keysFor(id, written) {
  return typeof own[id] === "string" ? [own[id]] : written.split(/\s+/).filter(Boolean);
}

/* Every shortcut that now exists, those of elements first. */
function all() {
  const found = [];
  for (const element of document.querySelectorAll("[data-shortcut]")) {
    const id = idOf(element);
    found.push({
      id,
      element,
      keys: keysFor(id, element.dataset.shortcut),
      label: labelOf(element),
      group: element.dataset.shortcutGroup ?? "This page",
      scope: element.closest("[data-shortcut-scope]"),
    });
  }
  for (const item of registered.values()) {
    found.push({ ...item, keys: keysFor(item.id, item.keys), scope: null });
  }
  return found;
}

function usable(item, modal) {
  if (item.element) {
    if (item.element.matches(":disabled, [aria-disabled='true']")) return false;
    if (modal && !modal.contains(item.element)) return false;
    // A closed menu or a hidden part does not act.
    return item.element.checkVisibility?.({ visibilityProperty: true }) ?? true;
  }
  return !modal && (item.when?.() ?? true);
}

function act(item, event) {
  if (!item.element) {
    item.run(event);
    return;
  }
  if (takesText(item.element)) {
    item.element.focus();
    item.element.select?.();
  } else {
    item.element.focus({ preventScroll: true });
    item.element.click();
  }
}

/* Keys that the focused control answers itself. */
function native(key, element) {
  if (!element || element === document.body) return false;
  if (key === "enter" || key === "space") return element.matches("a[href], button, summary, input, [role='button']");
  if (key.startsWith("arrow")) return element.matches("[type='radio'], [type='range']");
  return key === "tab" || key === "shift+tab";
}

function onKey(event) {
  if (event.defaultPrevented || event.isComposing || changing) return;
  const key = keyOf(event);
  if (!key || native(key, document.activeElement)) return;
  const modified = key.startsWith("ctrl+") || key.startsWith("alt+");
  if (!modified && takesText(document.activeElement)) return;
  const modal = document.querySelector("dialog:modal");
  const matching = all().filter((item) => item.keys.includes(key) && usable(item, modal));
  const chosen =
    matching.find((item) => item.scope?.contains(document.activeElement)) ?? matching.find((item) => !item.scope);
  if (!chosen) return;
  event.preventDefault();
  act(chosen, event);
}

function checkCollisions() {
  const seen = new Map();
  for (const item of all()) {
    for (const key of item.keys) {
      const scopes = seen.get(key) ?? new Map();
      const other = scopes.get(item.scope);
      if (other && other.id !== item.id) {
        console.error(`Shortcut "${key}" is declared twice: "${other.label}" and "${item.label}".`);
      }
      scopes.set(item.scope, item);
      seen.set(key, scopes);
    }
  }
}

/* ---- The sheet ---- */
const SHOWN = { arrowdown: "↓", arrowup: "↑", arrowleft: "←", arrowright: "→", escape: "esc", enter: "enter" };

function shown(key) {
  return key
    .split(/(?<=.)\+/)
    .map((part) => SHOWN[part] ?? part)
    .join(" ");
}

function drawSheet() {
  const sheet = document.getElementById("shortcut-sheet");
  if (!sheet) return;
  const groups = new Map();
  const listed = new Set();
  for (const item of all()) {
    if (listed.has(item.id) || !item.keys.length) continue;
    listed.add(item.id);
    if (!groups.has(item.group)) groups.set(item.group, []);
    groups.get(item.group).push(item);
  }
  const box = document.createElement("div");
  box.className = "shortcuts";
  for (const [group, items] of groups) {
    const section = document.createElement("section");
    const head = document.createElement("h3");
    head.textContent = group;
    const list = document.createElement("dl");
    for (const item of items) {
      const term = document.createElement("dt");
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.shortcutChange = item.id;
      button.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-label", `${shown(item.keys[0])}: ${item.label}. Change this key`);
      const kbd = document.createElement("kbd");
      kbd.textContent = shown(item.keys[0]);
      button.append(kbd);
      term.append(button);
      const text = document.createElement("dd");
      text.textContent = item.label;
      list.append(term, text);
    }
    section.append(head, list);
    box.append(section);
  }
  sheet.replaceChildren(box);
}

function announce(text, tone = "info") {
  document.dispatchEvent(new CustomEvent("touchstone:notice", { detail: { text, tone } }));
}

function takeKey(key) {
  const { id, button } = changing;
  stopChanging();
  if (key === "escape" || key === "tab" || key === "shift+tab") {
    button.focus();
    return;
  }
  const items = all();
  const mine = items.filter((item) => item.id === id);
  const taken = items.find(
    (item) => item.id !== id && item.keys.includes(key) && mine.some((one) => one.scope === item.scope),
  );
  if (taken) {
    announce(`${shown(key)} is already used for "${taken.label}". Choose another key.`, "warn");
    button.focus();
    return;
  }
  own[id] = key;
  store({ shortcut: id, key });
  drawSheet();
  document.querySelector(`[data-shortcut-change="${CSS.escape(id)}"]`)?.focus();
}

function stopChanging() {
  if (!changing) return;
  changing.button.setAttribute("aria-pressed", "false");
  changing.button.querySelector("kbd").textContent = changing.text;
  changing = null;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-shortcut-change]");
  stopChanging();
  if (button) {
    const kbd = button.querySelector("kbd");
    changing = { id: button.dataset.shortcutChange, button, text: kbd.textContent };
    button.setAttribute("aria-pressed", "true");
    kbd.textContent = "press a key";
    return;
  }
  if (event.target.closest?.("[data-shortcuts-reset]")) {
    own = {};
    store({ default_keys: "1" });
    drawSheet();
  }
  if (event.target.closest?.('[data-dialog="help"]')) drawSheet();
});

document.addEventListener("touchstone:shortcut", (event) => {
  const item = event.detail;
  if (!item?.id || !item.keys || typeof item.run !== "function") {
    console.error("A shortcut needs id, keys, label and run.", item);
    return;
  }
  registered.set(item.id, { group: "This page", ...item });
});

function onKeyWhileChanging(event) {
  if (!changing || event.isComposing) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const key = keyOf(event);
  if (key) takeKey(key);
}

// In the capture phase, so that a key being changed reaches nothing else on the page.
document.addEventListener("keydown", onKeyWhileChanging, true);
document.addEventListener("keydown", onKey);
document.addEventListener("htmx:afterSettle", checkCollisions);
window.addEventListener("load", checkCollisions);
