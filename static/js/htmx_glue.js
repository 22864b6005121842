/*
 * What htmx leaves to the page: where the focus goes after a swap, errors that are seen and heard, and one
 * submit per click. Nothing here decides what a person may do.
 *
 * Focus: the first [data-focus] in what was swapped in, else its first invalid field.
 * Errors: 409 and 422 are swapped (see htmx-config in base.html); everything else becomes a toast. A short
 * text/plain answer is shown as the server wrote it.
 * Own notices: document.dispatchEvent(new CustomEvent("touchstone:notice", {detail: {text, tone}})).
 * A sign-in in another tab makes the CSRF token of this page worthless. A refusal (403) takes a fresh one from the
 * page's own address; "touchstone:renew", detail {waits: []}, asks for it and adds a promise of whether it came.
 */
const WHAT = {
  0: ["The server did not answer.", "Check the connection, then try again. What you typed is kept on this page."],
  400: ["The server could not read this request.", "Reload the page and try again."],
  403: ["This was refused.", "You may have signed in or out in another tab. Try again; if it is refused again, reload the page."],
  404: ["This is no longer there.", "Reload the page to see what is."],
  405: ["This cannot be done here.", "Reload the page and try again."],
  413: ["This is larger than the server accepts.", "Send less at a time."],
  429: ["Too many requests in a short time.", "Wait a minute, then try again."],
  500: ["Something failed on the server.", "Nothing more was changed. Try again; if it fails again, tell the site's keeper."],
  503: ["The server is busy or being updated.", "Try again in a minute. What you typed is kept on this page."],
};
const MAX_TEXT = 300;
const MAX_TOASTS = 3;

/* Outside an open modal dialog everything is inert, so the region moves into the dialog while one is open. */
function toastRegion() {
  let region = document.getElementById("toasts");
  if (!region) {
    region = document.createElement("div");
    region.id = "toasts";
    region.className = "toasts";
    region.setAttribute("role", "status");
    region.setAttribute("aria-live", "polite");
    region.setAttribute("aria-label", "Notices");
  }
  const modals = document.querySelectorAll("dialog:modal");
  const host = modals[modals.length - 1] ?? document.body;
  if (region.parentElement !== host) host.append(region);
  return region;
}

document.addEventListener(
  "close",
  (event) => {
    const region = document.getElementById("toasts");
    if (region && event.target.contains(region)) document.body.append(region);
  },
  true,
);

function toast(text, tone = "error") {
  const region = toastRegion();
  for (const old of region.children) if (old.dataset.text === text) old.remove();
  while (region.children.length >= MAX_TOASTS) region.firstElementChild.remove();
  const box = document.createElement("div");
  box.className = `notice ${tone}`;
  box.dataset.text = text;
  box.setAttribute("data-dismissable", "");
  const line = document.createElement("p");
  line.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet icon";
  close.setAttribute("data-dismiss", "");
  close.setAttribute("aria-label", "Dismiss");
  close.textContent = "×";
  box.append(line, close);
  region.append(box);
}

function explain(xhr) {
  const status = xhr?.status ?? 0;
  const type = xhr?.getResponseHeader?.("Content-Type") ?? "";
  if (type.startsWith("text/plain")) {
    const text = xhr.responseText.trim();
    if (text && text.length <= MAX_TEXT) return text;
  }
  const [what, now] = WHAT[status] ?? (status >= 500 ? WHAT[500] : WHAT[400]);
  return status ? `${what} ${now} (Error ${status})` : `${what} ${now}`;
}

/* Whoever may no longer see the page gets no token: another person's sign-in must not carry this one's work. */
async function freshToken() {
  const response = await fetch(location.href, { credentials: "same-origin" });
  if (!response.ok || new URL(response.url).pathname !== location.pathname) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = page.querySelector("input[name=csrfmiddlewaretoken]")?.value;
  if (!found) return false;
  for (const input of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) input.value = found;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": found }));
  return true;
}

let renewing = null;

function renew() {
  renewing ??= freshToken()
    .catch(() => false)
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

document.addEventListener("touchstone:renew", (event) => event.detail.waits.push(renew()));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 403) renew();
  toast(explain(event.detail.xhr));
});
document.addEventListener("htmx:sendError", () => toast(explain(null)));
document.addEventListener("htmx:timeout", () => toast(explain(null)));
document.addEventListener("htmx:swapError", () =>
  toast("The answer arrived but could not be shown. Reload the page."),
);
document.addEventListener("touchstone:notice", (event) => {
  const { text, tone } = event.detail ?? {};
  if (text) toast(String(text), ["info", "success", "warn", "error"].includes(tone) ? tone : "info");
});

function focusInside(root) {
  if (!(root instanceof Element)) return;
  const wanted =
    (root.matches("[data-focus]") && root) ||
    root.querySelector("[data-focus]") ||
    root.querySelector('[aria-invalid="true"]:not([type="hidden"])');
  if (!wanted) return;
  if (wanted.tabIndex < 0 && !wanted.hasAttribute("tabindex")) wanted.setAttribute("tabindex", "-1");
  wanted.focus({ preventScroll: false });
}

document.addEventListener("htmx:afterSettle", (event) => focusInside(event.target));
document.addEventListener("DOMContentLoaded", () => {
  if (!location.hash) focusInside(document.getElementById("main") ?? document.body);
});

/* Plain forms: the second submit of a double click is dropped. htmx forms use hx-disabled-elt. */
const sending = new WeakSet();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method === "dialog" || form.target === "_blank") return;
  if (form.matches("[hx-post], [hx-put], [hx-patch], [hx-delete], [hx-get], [data-resubmit]")) return;
  if (form.method !== "post") return;
  if (sending.has(form)) {
    event.preventDefault();
    return;
  }
  sending.add(form);
  form.setAttribute("aria-busy", "true");
});

// Coming back through the history shows the form as it was left: it must be usable again.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.forms) {
    sending.delete(form);
    form.removeAttribute("aria-busy");
  }
});
