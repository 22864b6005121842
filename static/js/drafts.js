/*
 * Saving while one types. The server's rows are the state; this module carries text to them and holds it until they
 * acknowledge it: what is typed is in local storage within half a second and leaves it when the save is acknowledged.
 *
 * A form[data-autosave] has data-seat and data-label ("" for a new label, "answer" for the answer on the case) and posts to
 * data-save-url or its action. Saves of one form follow each other: a save whose answer was lost is sent again, unchanged
 * and under its own mark, before anything newer. A refused save keeps the text and says why.
 *
 * Says:   "touchstone:saved" on document with the server's answer; "touchstone:filled" on a form whose text was restored.
 * Hears:  "touchstone:attach" on a form that just came in, "touchstone:save" on a form (save now), "touchstone:flush" on
 *         document, detail {waits: []} to which it adds a promise for each unfinished save.
 */
const PREFIX = "touchstone.draft.";
const QUIET = 600;
const KEEP = 300;
const LONGEST = 3000;
const RETRY = [1000, 2000, 4000, 8000];
const SKIPPED = new Set(["csrfmiddlewaretoken", "expected_version", "save_key", "final"]);
const drafts = new Set();

const random = () => [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => (byte % 36).toString(36)).join("");
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function clock(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

function token() {
  return document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
}

/* Resolves to whether the page got a fresh token, which it does once its person is signed in again. */
async function renewed() {
  const waits = [];
  document.dispatchEvent(new CustomEvent("touchstone:renew", { detail: { waits } }));
  return (await Promise.all(waits)).some(Boolean);
}

class Draft {
  constructor({ seat, label, url, form = null, record = null }) {
    const keyParts = form?.elements.save_key?.value.split(".") ?? [];
    this.seat = seat;
    this.label = label;
    this.url = url;
    this.form = form;
    this.writer = record?.writer ?? (keyParts[0] || random());
    this.count = record?.count ?? 0;
    this.version = record?.version ?? Number(form?.elements.expected_version?.value ?? 0);
    this.pending = record?.pending ?? null;
    this.stored = form ? this.values() : null;
    this.held = record?.values ?? null;
    this.tries = 0;
    this.stopped = false;
    this.isSignedOut = false;
    this.sending = null;
    this.timers = {};
    this.dirtySince = 0;
    drafts.add(this);
  }

  get key() {
    return `${PREFIX}${this.seat}.${this.label || `new-${this.writer}`}`;
  }

  values() {
    if (!this.form) return this.held;
    return [...new FormData(this.form)].filter(([name]) => !SKIPPED.has(name)).map(([name, value]) => [name, String(value)]);
  }

  get isDirty() {
    return Boolean(this.pending) || Boolean(this.sending) || !same(this.values(), this.stored);
  }

  /* Typed text goes to local storage first. */
  keep() {
    clearTimeout(this.timers.keep);
    this.timers.keep = null;
    const { writer, count, version, pending, label, url } = this;
    try {
      localStorage.setItem(
        this.key,
        JSON.stringify({ writer, count, version, pending, label, url, values: this.values(), at: Date.now() }),
      );
    } catch {
      // Storage is full or blocked: the page still holds the text, and leaving it asks first.
    }
  }

  forget() {
    try {
      localStorage.removeItem(this.key);
    } catch {
      // Nothing was kept.
    }
  }

  typed({ now = false } = {}) {
    this.dirtySince ||= Date.now();
    this.timers.keep ??= setTimeout(() => this.keep(), KEEP);
    this.show("unsaved", "not saved yet");
    if (this.stopped) return;
    clearTimeout(this.timers.save);
    const wait = now ? 0 : Math.max(0, Math.min(QUIET, LONGEST - (Date.now() - this.dirtySince)));
    this.timers.save = setTimeout(() => this.save(), wait);
  }

  async save() {
    clearTimeout(this.timers.save);
    if (this.sending) return this.sending;
    if (!this.pending) {
      const values = this.values();
      if (same(values, this.stored)) {
        this.forget();
        this.dirtySince = 0;
        this.show("", "");
        return undefined;
      }
      this.count += 1;
      this.pending = { key: `${this.writer}.${this.count}`, values, version: this.version };
      this.keep();
    }
    this.sending = this.send().finally(() => {
      this.sending = null;
    });
    await this.sending;
    if (!this.stopped && !this.pending && !same(this.values(), this.stored)) return this.save();
    return undefined;
  }

  async send({ again = false } = {}) {
    const { key, values, version } = this.pending;
    this.isSignedOut = false;
    const body = new URLSearchParams(values);
    body.set("csrfmiddlewaretoken", token());
    body.set("expected_version", String(version));
    body.set("save_key", key);
    this.show("unsaved", "saving…");
    let response;
    try {
      response = await fetch(this.url, {
        method: "POST",
        body,
        headers: { Accept: "application/json", "X-CSRFToken": token() },
        credentials: "same-origin",
      });
    } catch {
      this.later("not saved: no connection; trying again");
      return;
    }
    if (response.status === 403 && !again && (await renewed())) {
      await this.send({ again: true });
      return;
    }
    if (response.redirected || response.status === 403) {
      this.stopped = true;
      this.isSignedOut = true;
      this.fail("not saved: you are signed out. The text is kept here:");
      this.offerSignIn();
      return;
    }
    if (response.status >= 500 || response.status === 429) {
      this.later("not saved: the server did not take it; trying again");
      return;
    }
    const data = await response.json().catch(() => ({}));
    if (response.ok) this.acknowledged(data, values);
    else this.refused(response.status, data, values);
  }

  later(text) {
    this.fail(text);
    const wait = RETRY[Math.min(this.tries, RETRY.length - 1)];
    this.tries += 1;
    clearTimeout(this.timers.save);
    this.timers.save = setTimeout(() => this.save(), wait);
  }

  acknowledged(data, values) {
    const before = this.stored ?? [];
    this.tries = 0;
    this.pending = null;
    this.version = data.version;
    this.stored = values;
    const isNew = !this.label && data.label;
    if (isNew) {
      this.forget();
      this.label = data.label;
      this.url = data.url;
    }
    if (this.form) {
      this.form.elements.expected_version.value = data.version;
      if (isNew) {
        this.form.dataset.label = data.label;
        this.form.action = data.url;
      }
    }
    this.fix(data);
    const done = same(this.values(), this.stored);
    if (done) {
      this.forget();
      this.dirtySince = 0;
    } else this.keep();
    this.errors({});
    this.gaps(data.gaps);
    const text = `saved ${clock(data.saved_at)}`;
    if (done) this.show("", text);
    const was = new Map(before);
    for (const [name, value] of values) if (was.get(name) !== value) this.field(name, text);
    document.dispatchEvent(new CustomEvent("touchstone:saved", { detail: { ...data, form: this.form, text, isNew } }));
  }

  /* The server writes places in one way; take its text where nobody typed on meanwhile. */
  fix(data) {
    for (const [role, text] of Object.entries(data.place_texts ?? {})) {
      const name = `places_${role}`;
      const sent = this.stored.find(([field]) => field === name);
      if (!sent || sent[1] === text) continue;
      const box = this.form?.elements[name];
      if (box && box.value === sent[1] && document.activeElement !== box) {
        box.value = text;
        sent[1] = text;
      }
    }
  }

  refused(status, data, values) {
    this.tries = 0;
    this.pending = null;
    this.keep();
    if (data.conflict) {
      this.stopped = true;
      this.fail("not saved: changed elsewhere; choose which version holds");
      this.conflict(data);
      return;
    }
    // The same values would be refused again: wait until something else is typed.
    this.stored = values;
    if (data.errors) {
      const [message] = Object.values(data.errors);
      this.errors(data.errors);
      this.fail(`not saved: ${message}`);
      return;
    }
    this.stopped = true;
    this.fail(`not saved: ${data.message ?? "this is no longer there. The text is kept on this page."}`);
  }

  conflict(data) {
    const box = this.form?.querySelector("[data-conflict]");
    if (!box) return;
    box.innerHTML = data.conflict;
    box.querySelector("[tabindex]")?.focus();
    box.querySelector("[data-keep-mine]")?.addEventListener("click", () => {
      box.replaceChildren();
      this.stopped = false;
      this.version = data.version;
      this.stored = null;
      this.save();
    });
    box.querySelector("[data-take-stored]")?.addEventListener("click", () => {
      this.close();
      document.dispatchEvent(new CustomEvent("touchstone:reopen", { detail: { label: this.label } }));
    });
  }

  close() {
    this.forget();
    this.stopped = true;
    this.pending = null;
    clearTimeout(this.timers.save);
    clearTimeout(this.timers.keep);
    drafts.delete(this);
  }

  /* ---- What the person sees ---- */
  show(tone, text) {
    for (const box of [this.form?.querySelector("[data-saved-form]"), document.querySelector("[data-saved-all]")]) {
      if (!box) continue;
      box.className = `saved ${tone}`.trim();
      if (box.textContent !== text && (text || tone)) box.textContent = text;
    }
  }

  fail(text) {
    this.show("failed", text);
  }

  /* This page's own address leads to the sign-in page as long as nobody is signed in. */
  offerSignIn() {
    for (const box of [this.form?.querySelector("[data-saved-form]"), document.querySelector("[data-saved-all]")]) {
      const link = document.createElement("a");
      link.href = location.href;
      link.target = "_blank";
      link.rel = "noopener";
      link.textContent = "sign in in another tab";
      box?.append(" ", link, ", then come back");
    }
  }

  field(name, text) {
    const slot = this.form?.querySelector(`[data-saved-for="${name.startsWith("places_") ? "anchors" : name}"]`);
    if (slot) slot.textContent = text;
  }

  errors(found) {
    for (const old of this.form?.querySelectorAll("[data-field-error]") ?? []) old.remove();
    for (const [name, message] of Object.entries(found)) {
      const slot = this.form?.querySelector(`[data-saved-for="${name}"]`);
      if (!slot) continue;
      slot.textContent = "";
      const line = document.createElement("p");
      line.className = "errorlist";
      line.dataset.fieldError = name;
      line.setAttribute("role", "alert");
      line.textContent = message;
      slot.parentElement.before(line);
    }
  }

  gaps(found) {
    if (!found) return;
    for (const slot of this.form?.querySelectorAll("[data-gap-for]") ?? []) {
      const sentence = found[slot.dataset.gapFor];
      slot.replaceChildren();
      if (!sentence) continue;
      const word = document.createElement("span");
      word.title = sentence;
      word.textContent = "needed";
      slot.append(word);
    }
  }
}

/* ---- Forms of this page ---- */
function read(key) {
  try {
    const record = JSON.parse(localStorage.getItem(key) ?? "null");
    return record && Array.isArray(record.values) ? record : null;
  } catch {
    return null;
  }
}

function fill(form, values) {
  for (const box of form.querySelectorAll("input[type=radio], input[type=checkbox]")) {
    if (!SKIPPED.has(box.name)) box.checked = values.some(([name, value]) => name === box.name && value === box.value);
  }
  for (const [name, value] of values) {
    const field = form.elements[name];
    if (field && !(field instanceof RadioNodeList) && field.type !== "radio") field.value = value;
  }
}

function attach(form) {
  if (form.dataset.attached) return;
  form.dataset.attached = "1";
  const { seat, label } = form.dataset;
  // A draft of the same label whose form was swapped away and which is still on its way goes on under the new form.
  const running = [...drafts].find((one) => one.seat === seat && one.label === label && label);
  const record = label ? read(`${PREFIX}${seat}.${label}`) : null;
  const draft = new Draft({ seat, label, url: form.dataset.saveUrl ?? form.getAttribute("action"), form, record });
  if (running) {
    draft.writer = running.writer;
    draft.count = running.count;
    draft.pending = running.pending;
    running.stopped = true;
    clearTimeout(running.timers.save);
    clearTimeout(running.timers.keep);
    drafts.delete(running);
  }
  form.draft = draft;
  if (!record) return;
  draft.stored = draft.values();
  fill(form, record.values);
  form.dispatchEvent(new CustomEvent("touchstone:filled", { bubbles: true }));
  if (!draft.isDirty) {
    draft.forget();
    return;
  }
  draft.show("unsaved", `restored what you typed at ${clock(record.at)}`);
  draft.save();
}

function attachAll(root) {
  if (root.matches?.("form[data-autosave]")) attach(root);
  for (const form of root.querySelectorAll?.("form[data-autosave]") ?? []) attach(form);
}

/* What an earlier page could not send is sent now, without a form: each text goes where it belongs, or stays kept. */
function recover() {
  const seat = document.querySelector("[data-seat]")?.dataset.seat;
  if (!seat) return;
  const open = new Set([...drafts].map((one) => one.key));
  let keys = [];
  try {
    keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${seat}.`) && !open.has(key));
  } catch {
    return;
  }
  for (const key of keys) {
    const record = read(key);
    if (!record || record.label === "answer") continue;
    const draft = new Draft({ seat, label: record.label, url: record.url, record });
    draft.save();
  }
  if (keys.length) {
    const text = "Text that an earlier page could not send is being saved now.";
    document.dispatchEvent(new CustomEvent("touchstone:notice", { detail: { text, tone: "info" } }));
  }
}

document.addEventListener("input", (event) => {
  const draft = event.target.form?.draft;
  if (!draft || SKIPPED.has(event.target.name)) return;
  if (draft.stopped && !draft.form.querySelector("[data-conflict] .conflict")) draft.stopped = false;
  draft.typed({ now: event.target.matches("select, [type=radio], [type=checkbox]") });
});

// Coming back from the tab in which one signed in again: what waited is sent at once.
function comeBack() {
  for (const draft of document.hidden ? [] : drafts) {
    if (!draft.isSignedOut) continue;
    draft.isSignedOut = false;
    draft.stopped = false;
    draft.save();
  }
}

document.addEventListener("visibilitychange", comeBack);
window.addEventListener("focus", comeBack);

document.addEventListener("touchstone:attach", (event) => attach(event.target));
document.addEventListener("touchstone:save", (event) => event.target.draft?.typed({ now: true }));

document.addEventListener("touchstone:flush", (event) => {
  for (const draft of drafts) if (!draft.stopped && draft.isDirty) event.detail.waits.push(draft.save());
});

// A form that leaves the page is saved at once; its draft goes on until the server has it.
document.addEventListener("htmx:beforeSwap", (event) => {
  for (const form of event.detail.target?.querySelectorAll?.("form[data-autosave]") ?? []) {
    const draft = form.draft;
    if (!draft) continue;
    if (draft.isDirty && !draft.stopped) {
      draft.keep();
      draft.save();
    } else if (!draft.isDirty) drafts.delete(draft);
  }
});

document.addEventListener("htmx:load", (event) => attachAll(event.target));

// Submitting the dialogue leaves the page by itself; everything in it travels with the submission.
document.addEventListener("htmx:beforeRequest", (event) => {
  const draft = event.target.draft;
  if (draft?.label === "answer") {
    clearTimeout(draft.timers.save);
    draft.stopped = true;
  }
});

document.addEventListener("submit", (event) => {
  const draft = event.target.draft;
  if (draft && !event.defaultPrevented) draft.leaving = true;
});

window.addEventListener("beforeunload", (event) => {
  let unsaved = false;
  for (const draft of drafts) {
    if (draft.leaving || draft.label === "answer" || !draft.isDirty) continue;
    draft.keep();
    unsaved = true;
    if (!draft.stopped) draft.save();
  }
  if (unsaved) event.preventDefault();
});

attachAll(document);
recover();
