/*
 * How a person wants pages and code shown. The server keeps the settings of whoever is signed in and writes them on
 * <html>; those of anybody else stay in this browser. A classic script in <head>: it has to act before the first paint.
 *
 * Controls: the radios in a [data-setting="NAME"]; a change acts at once and is kept.
 * Says:   "touchstone:setting" on document, detail {name, value}, after a setting changed.
 * Hears:  "touchstone:set" {name, value} on document; "touchstone:keep" {fields} (kept on the server; says nothing back).
 */
(function () {
  "use strict";
  var root = document.documentElement;
  // The first value of each is the default, for which <html> has no attribute.
  var settings = {
    layout: ["unified", "split"],
    wrap: ["auto", "on", "off"],
    blank_changes: ["shown", "folded"],
    tab_size: ["8", "2", "4"],
    theme: ["system", "light", "dark"],
    code_size: ["13", "12", "14", "16"],
  };
  var address = root.getAttribute("data-keep-at");

  function attribute(name) {
    return "data-" + name.replace("_", "-");
  }

  function apply(name, value) {
    if (settings[name].indexOf(value) > 0) root.setAttribute(attribute(name), value);
    else root.removeAttribute(attribute(name));
  }

  function show() {
    for (var name in settings) {
      var value = root.getAttribute(attribute(name)) || settings[name][0];
      document.querySelectorAll('[data-setting="' + name + '"] input').forEach(function (input) {
        input.checked = input.value === value;
      });
    }
  }

  function send(fields) {
    if (!address) return Promise.resolve(false);
    var headers = JSON.parse(document.body.getAttribute("hx-headers") || "{}");
    return fetch(address, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: headers,
      credentials: "same-origin",
      keepalive: true,
    }).then(
      function (response) {
        return response.ok;
      },
      function () {
        return false;
      },
    );
  }

  function keep(name, value) {
    if (!address) {
      try {
        localStorage.setItem("touchstone." + name, value);
      } catch {
        // Storage may be blocked: the choice holds for this page only.
      }
      return Promise.resolve(true);
    }
    return send({ [name]: value });
  }

  function set(name, value) {
    if (!(name in settings) || settings[name].indexOf(value) < 0) return;
    apply(name, value);
    show();
    keep(name, value).then(function (kept) {
      if (!kept) {
        document.dispatchEvent(
          new CustomEvent("touchstone:notice", {
            detail: { text: "The setting holds for this page; the server did not keep it.", tone: "warn" },
          }),
        );
      }
      document.dispatchEvent(new CustomEvent("touchstone:setting", { detail: { name: name, value: value, kept: kept } }));
    });
  }

  if (!address) {
    for (var name in settings) {
      try {
        apply(name, localStorage.getItem("touchstone." + name) || "");
      } catch {
        // The defaults hold.
      }
    }
  }
  document.addEventListener("DOMContentLoaded", show);
  window.addEventListener("pageshow", show); // Firefox restores old radio states after a reload.
  document.addEventListener("change", function (event) {
    var group = event.target.closest("[data-setting]");
    if (group && event.target.type === "radio") set(group.dataset.setting, event.target.value);
  });
  document.addEventListener("touchstone:set", function (event) {
    set(event.detail.name, event.detail.value);
  });
  document.addEventListener("touchstone:keep", function (event) {
    send(event.detail.fields);
  });
  window.addEventListener("storage", function (event) {
    var name = (event.key || "").replace("touchstone.", "");
    if (address || !(name in settings)) return;
    apply(name, event.newValue || "");
    show();
  });
})();
