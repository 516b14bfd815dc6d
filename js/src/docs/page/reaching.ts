/** Keyboard and screen reader access to the page. */

const WIDE = ".output_area, .input_area, pre, .mathjax_ignore";

/** Makes wide content focusable, so that arrow keys scroll it. */
export function makeReachable(page: Document): void {
  for (const box of page.querySelectorAll<HTMLElement>(WIDE)) {
    const scrolls = box.clientWidth > 0 && box.scrollWidth > box.clientWidth;
    if (scrolls && !box.querySelector("a, button, summary")) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

/** Removes the header role of empty corner cells, which table libraries write as `th`. */
export function clearCorners(page: Document): void {
  for (const corner of page.querySelectorAll("th:empty")) {
    const { colSpan } = corner as HTMLTableCellElement;
    corner.replaceWith(Object.assign(page.createElement("td"), { colSpan }));
  }
}
