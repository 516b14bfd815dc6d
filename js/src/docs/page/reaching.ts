/** A page for those who read it with a keyboard or a screen reader. */

const WIDE = ".output_area, .input_area, pre, .mathjax_ignore";

/** What is wider than its place is scrolled by the arrow keys, once the keyboard gets there. */
export function makeReachable(page: Document): void {
  for (const box of page.querySelectorAll<HTMLElement>(WIDE)) {
    const scrolls = box.clientWidth > 0 && box.scrollWidth > box.clientWidth;
    if (scrolls && !box.querySelector("a, button, summary")) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

/** The empty corner of a table is no header, though all who write tables write it as one. */
export function clearCorners(page: Document): void {
  for (const corner of page.querySelectorAll("th:empty")) {
    const { colSpan } = corner as HTMLTableCellElement;
    corner.replaceWith(Object.assign(page.createElement("td"), { colSpan }));
  }
}
