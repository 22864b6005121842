/*
 * Small behaviours that elements ask for by attribute:
 *   details.menu                  closes on Escape, on a click elsewhere and when focus leaves
 *   [data-dialog="ID"]            opens <dialog id="ID"> as a modal; [data-dialog-close] closes the dialog around it
 *   [data-dismiss]                removes the [data-dismissable] around it
 *   [data-expand="ID"]            shows or hides #ID (its hidden attribute) and keeps aria-expanded
 *   [data-copy="ID"]              copies the text of #ID, or of data-copy-text
 *   form[data-autosubmit]         a GET form that sends itself when a select, radio or checkbox changes
 *   [data-check-all="NAME"]       a checkbox that checks all checkboxes of that name in its form
 */
function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!except || !menu.contains(except)) menu.open = false;
  }
}

function say(text, tone) {
  document.dispatchEvent(new CustomEvent("touchstone:notice", { detail: { text, tone } }));
}

async function copy(button) {
  const text = button.dataset.copyText ?? document.getElementById(button.dataset.copy)?.textContent?.trim();
  if (!text) return;
  try {
    await navigator.clipboard.writeText(text);
    const old = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = old;
    }, 1500);
  } catch {
    say("The browser did not allow copying. Select the text and copy it by hand.", "warn");
  }
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : document.body;
  closeMenus(target);

  const opener = target.closest("[data-dialog]");
  if (opener) {
    const dialog = document.getElementById(opener.dataset.dialog);
    if (dialog && !dialog.open) dialog.showModal();
    return;
  }
  if (target.closest("[data-dialog-close]")) {
    target.closest("dialog")?.close();
    return;
  }
  // A click on the dialog element itself is a click on its backdrop: its content fills it.
  if (target instanceof HTMLDialogElement && target.open && !("dialogStay" in target.dataset)) {
    const box = target.getBoundingClientRect();
    const inside =
      event.clientX >= box.left &&
      event.clientX <= box.right &&
      event.clientY >= box.top &&
      event.clientY <= box.bottom;
    if (!inside && event.detail > 0) target.close();
    return;
  }
  if (target.closest("[data-dismiss]")) {
    target.closest("[data-dismissable]")?.remove();
    return;
  }
  const expander = target.closest("[data-expand]");
  if (expander) {
    const part = document.getElementById(expander.dataset.expand);
    if (part) {
      part.hidden = !part.hidden;
      expander.setAttribute("aria-expanded", String(!part.hidden));
    }
    return;
  }
  const copier = target.closest("[data-copy], [data-copy-text]");
  if (copier) copy(copier);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.activeElement?.closest("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
    event.preventDefault();
  } else {
    closeMenus(null);
  }
});

document.addEventListener("focusin", (event) => closeMenus(event.target));

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("[data-check-all]")) {
    const scope = field.form ?? document;
    for (const box of scope.querySelectorAll(`input[type="checkbox"][name="${CSS.escape(field.dataset.checkAll)}"]`)) {
      if (!box.disabled) box.checked = field.checked;
    }
    return;
  }
  if (field.form?.matches("[data-autosubmit]") && field.matches("select, [type=radio], [type=checkbox]")) {
    field.form.requestSubmit();
  }
});
