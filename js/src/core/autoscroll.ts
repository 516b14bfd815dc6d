/** Scrolls during a drag, which browsers do slowly, late or not at all. */

/** Pixels from an edge within which a drag scrolls, and most pixels that one event scrolls. */
const EDGE = 48;
const FASTEST = 24;

/**
 * The scroll distance for a pointer at `y` in a view from `top` to `bottom`; faster near the edge.
 */
export function scrollStep(y: number, top: number, bottom: number): number {
  // In a low view each edge takes a third, so that the middle remains as a drop target.
  const edge = Math.min(EDGE, (bottom - top) / 3);
  if (edge <= 0) return 0;
  const into = Math.max(top + edge - y, 0) - Math.max(y - (bottom - edge), 0);
  const step = (FASTEST * Math.min(Math.abs(into), edge)) / edge;
  return -Math.sign(into) * Math.ceil(step);
}

/** Scrolls the scrolling parent of `element` when the pointer is near its upper or lower edge. */
export function scrollAtEdge(element: Element, y: number): void {
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (at.scrollHeight <= at.clientHeight || !canScroll(at)) continue;
    const { top, bottom } = at.getBoundingClientRect();
    const view = element.ownerDocument.documentElement.clientHeight;
    const step = scrollStep(y, Math.max(top, 0), Math.min(bottom, view));
    const before = at.scrollTop;
    if (step !== 0) at.scrollTop += step;
    if (at.scrollTop !== before) return;
  }
}

function canScroll(element: Element): boolean {
  return /auto|scroll/.test(getComputedStyle(element).overflowY);
}
