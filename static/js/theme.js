/*
 * Colours and code size, chosen by the person and kept in this browser.
 * A classic script in <head>: it has to act before the first paint. Without a choice the system decides.
 */
(function () {
  "use strict";
  var root = document.documentElement;
  var settings = {
    theme: ["light", "dark"],
    "code-size": ["12", "14", "16"],
  };

  function read(name) {
    try {
      return localStorage.getItem("touchstone." + name) || "";
    } catch {
      return ""; // Storage may be blocked; the defaults then hold.
    }
  }

  function keep(name, value) {
    try {
      if (value) localStorage.setItem("touchstone." + name, value);
      else localStorage.removeItem("touchstone." + name);
    } catch {
      // The choice holds for this page only.
    }
  }

  function apply(name, value) {
    if (settings[name].includes(value)) root.setAttribute("data-" + name, value);
    else root.removeAttribute("data-" + name);
  }

  function show() {
    for (var name in settings) {
      var value = root.getAttribute("data-" + name) || "";
      document.querySelectorAll('[data-setting="' + name + '"] input').forEach(function (input) {
        input.checked = input.value === value;
      });
    }
  }

  for (var name in settings) apply(name, read(name));

  document.addEventListener("DOMContentLoaded", show);
  window.addEventListener("pageshow", show); // Firefox restores old radio states after a reload.
  document.addEventListener("change", function (event) {
    var group = event.target.closest("[data-setting]");
    if (!group || !(group.dataset.setting in settings)) return;
    keep(group.dataset.setting, event.target.value);
    apply(group.dataset.setting, event.target.value);
  });
  window.addEventListener("storage", function (event) {
    var key = (event.key || "").replace("touchstone.", "");
    if (!(key in settings)) return;
    apply(key, event.newValue || "");
    show();
  });
})();
