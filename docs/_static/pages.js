/* What the theme and Sphinx leave out for those who read with a keyboard or a screen reader. */
(() => {
  const WIDE = "pre, .table-wrapper, .cell_output, .mathjax_ignore, div.math, .math-wrapper";
  const LANDMARKS = { ".sidebar-drawer": "Pages of this site", ".toc-drawer": "On this page" };
  const all = (selector) => document.querySelectorAll(selector);

  function block(name, ...content) {
    const made = Object.assign(document.createElement("div"), { className: name });
    made.append(...content);
    return made;
  }

  /* What is wider than its place is scrolled by the arrow keys, once the keyboard gets there. */
  function reachWide() {
    for (const box of all(WIDE)) {
      const scrolls = box.scrollWidth > box.clientWidth && box.clientWidth > 0;
      const reached = box.querySelector("a, button, input, select, textarea, [tabindex]");
      if (scrolls && !reached) box.tabIndex = 0;
      else if (box.getAttribute("tabindex") === "0") box.removeAttribute("tabindex");
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const [selector, name] of Object.entries(LANDMARKS)) {
      for (const landmark of all(selector)) landmark.setAttribute("aria-label", name);
    }
    /* Sphinx writes the arguments of a signature as definitions, of which none has a term. */
    for (const list of all("dl:not(:has(> dt))")) {
      const lines = [...list.children].map((line) => block("", ...line.childNodes));
      list.replaceWith(block("sig-arguments", ...lines));
    }
    /* The empty corner of a table is no header, though all who write tables write it as one. */
    for (const corner of all("th")) {
      if (!corner.textContent.trim()) corner.replaceWith(document.createElement("td"));
    }
    /* Its own words say what a click shows. */
    for (const summary of all("details.hide > summary")) summary.removeAttribute("aria-label");
    reachWide();
  });
  window.addEventListener("load", reachWide);
  window.addEventListener("resize", reachWide);
  document.addEventListener("toggle", reachWide, { capture: true });
})();
