/*
 * A form[data-kept="NAME/BASE"] whose unsaved text outlives the page: what is typed is in local storage within a second.
 * BASE is the version it was typed against: a save that was acknowledged makes another, and what was kept under an older
 * one goes. When the page is opened again, what was kept is offered, never put back unasked.
 */
const PREFIX = "touchstone.kept.";
const WAIT = 700;
const SKIPPED = new Set(["csrfmiddlewaretoken", "base", "do", "count"]);

function valuesOf(form) {
  return [...new FormData(form)].filter(([name, value]) => !SKIPPED.has(name) && typeof value === "string");
}

for (const form of document.querySelectorAll("form[data-kept]")) {
  const key = PREFIX + form.dataset.kept;
  const offer = form.querySelector("[data-kept-offer]");
  const state = form.querySelector("[data-kept-state]");
  const shown = JSON.stringify(valuesOf(form));
  let timer = 0;

  const store = () => {
    clearTimeout(timer);
    timer = 0;
    try {
      localStorage.setItem(key, JSON.stringify(valuesOf(form)));
      if (state) state.textContent = "not saved yet, kept in this browser";
    } catch {
      // Storage is full or blocked: the page still holds the text.
    }
  };
  const forget = () => {
    clearTimeout(timer);
    timer = 0;
    localStorage.removeItem(key);
  };

  let kept = null;
  try {
    const family = key.slice(0, key.lastIndexOf("/") + 1);
    for (const other of Object.keys(localStorage)) {
      if (other.startsWith(family) && other !== key) localStorage.removeItem(other);
    }
    kept = localStorage.getItem(key);
  } catch {
    // Storage is blocked: nothing was kept.
  }
  if (kept && kept !== shown && offer) {
    offer.hidden = false;
    offer.querySelector("[data-kept-restore]").addEventListener("click", () => {
      const values = new Map(JSON.parse(kept));
      for (const field of form.elements) {
        if (!field.name || SKIPPED.has(field.name) || field.type === "submit") continue;
        if (field.type === "checkbox") field.checked = values.has(field.name);
        else if (field.type === "radio") field.checked = values.get(field.name) === field.value;
        else if (values.has(field.name)) field.value = values.get(field.name);
      }
      offer.hidden = true;
      store();
    });
    offer.querySelector("[data-kept-drop]").addEventListener("click", () => {
      forget();
      offer.hidden = true;
    });
  }
  form.addEventListener("input", () => {
    timer ||= setTimeout(store, WAIT);
  });
  // Sent is not acknowledged: it stays kept until the page shows a newer version.
  form.addEventListener("submit", store);
  window.addEventListener("pagehide", () => {
    if (timer) store();
  });
}
