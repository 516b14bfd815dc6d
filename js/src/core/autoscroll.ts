/** Scrolling while something is dragged: browsers do it slowly, late or not at all. */

/** Pixels from an edge within which dragging scrolls, and pixels that one event scrolls at most. */
const EDGE = 48;
const FASTEST = 24;

/** How far to scroll for a pointer at `y` in a view from `top` to `bottom`; faster near the edge. */
export function scrollStep(y: number, top: number, bottom: number): number {
  // Of a low view each edge has a third, so that there is a middle to drop on.
  const edge = Math.min(EDGE, (bottom - top) / 3);
  if (edge <= 0) return 0;
  const into = Math.max(top + edge - y, 0) - Math.max(y - (bottom - edge), 0);
  const step = (FASTEST * Math.min(Math.abs(into), edge)) / edge;
  return -Math.sign(into) * Math.ceil(step);
}

/** Scrolls what holds `element` when the pointer is near its upper or lower edge. */
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
