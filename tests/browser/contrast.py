"""Contrast measured on rendered pixels, for cases that axe does not cover.

Axe judges text in plain colours. Here are also colours that are mixed, signs that a style sheet
puts before and after an element, words that stand for an empty field, icons, and the edges of
controls. Bounds after WCAG 2.2: 4.5 for what is read, 3 for what is only seen. What is disabled
is left out, as there.
"""

from __future__ import annotations

from playwright.sync_api import Page

__all__ = ["too_pale"]

TOO_PALE = r"""([within, READ]) => {
  const SEEN = 3;
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map();

  // The browser itself lays colours over one another, whichever way they are written.
  function painted(layers) {
    const key = JSON.stringify(layers);
    if (known.has(key)) return known.get(key);
    for (const [colour, opacity] of [["white", 1], ...layers]) {
      brush.globalAlpha = opacity;
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...brush.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    known.set(key, 0.2126 * red + 0.7152 * green + 0.0722 * blue);
    return known.get(key);
  }

  // What lies under an element's own content, from the page up, and how opaque the element is.
  function groundOf(element) {
    const chain = [];
    for (let each = element; each; each = each.parentElement ?? each.getRootNode().host ?? null) {
      chain.unshift(getComputedStyle(each));
    }
    let opacity = 1;
    const layers = [];
    for (const style of chain) {
      opacity *= Number(style.opacity);
      layers.push([style.backgroundColor, opacity]);
      // A shadow as large as the element is a ground too.
      const shade = /^(.+) 0px 0px 0px 100px inset$/.exec(style.boxShadow);
      if (shade) layers.push([shade[1], opacity]);
    }
    return { layers, opacity };
  }

  const found = new Map();
  function judge(what, { layers, opacity }, colour, bound, element) {
    const [one, other] = [painted(layers), painted([...layers, [colour, opacity]])];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const name = `${what} of ${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`;
    if (ratio < bound && !found.has(name)) {
      found.set(name, `${name}: ${ratio.toFixed(2)}, in ${element.outerHTML.slice(0, 160)}`);
    }
  }

  const says = (element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  // `"*" / ""`: what is drawn, and what is said instead.
  const sign = (content) => /^"([^"]*)"/.exec(content)?.[1].trim() ?? "";
  const bare = "input[type=checkbox], input[type=radio]";
  const edged = ".al-tick, .al-segmented, .al-button, input, select, textarea";

  let looked = 0;
  for (const root of document.querySelectorAll(within)) {
    for (const element of [root, ...root.querySelectorAll("*")]) {
      if (element.closest(":disabled, [aria-disabled=true], .al-sr-only, option")) continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const style = getComputedStyle(element);
      const ground = groundOf(element);
      if (says(element) && element.getClientRects().length) {
        looked++;
        const ink = element instanceof SVGElement ? style.fill : style.color;
        judge("text", ground, ink, READ, element);
      }
      for (const pseudo of ["::before", "::after"]) {
        const { content, color } = getComputedStyle(element, pseudo);
        // Arrows and triangles are seen; letters and stars are read.
        const bound = /^[^\p{L}\p{N}*]+$/u.test(sign(content)) ? SEEN : READ;
        if (sign(content)) judge(pseudo, ground, color, bound, element);
      }
      if (element.placeholder && !element.value) {
        const { color } = getComputedStyle(element, "::placeholder");
        judge("placeholder", ground, color, READ, element);
      }
      if (element.matches(".al-icon")) judge("icon", ground, style.color, SEEN, element);
      const edge = style.borderBottomColor;
      const isDrawn = style.borderBottomWidth !== "0px" && !/, 0\)$|\/ 0\)$/.test(edge);
      if (element.matches(edged) && !element.matches(bare) && isDrawn) {
        judge("edge", groundOf(element.parentElement), edge, SEEN, element);
      }
    }
  }
  if (looked === 0) {
    const there = [...document.querySelectorAll(within)].map((root) => {
      const hidden = [];
      for (let node = root; node; node = node.parentElement) {
        const { display, visibility, opacity } = getComputedStyle(node);
        if (display === "none" || visibility === "hidden" || opacity === "0") {
          hidden.push(node.cloneNode(false).outerHTML);
        }
      }
      return `${root.outerHTML.slice(0, 300)}, hidden by ${hidden.join(" in ") || "nothing"}`;
    });
    throw new Error(`nothing to read in ${within}: ${there.join("; ") || "no such place"}`);
  }
  return [...found.values()];
}"""


def too_pale(page: Page, within: str = ".audiencelab", *, read: float = 4.5) -> list[str]:
    """What stands out too little from its ground, each with the contrast that it has.

    read: the contrast that text must have.
    """
    return page.evaluate(TOO_PALE, [within, read])
