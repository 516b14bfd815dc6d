/**
 * Which part of a long axis is on the screen: pure arithmetic for rows and for columns
 * alike. All items of an axis have one size; no DOM here.
 */

/** Items `first` (included) to `last` (not included). */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface Axis {
  readonly count: number;
  /** Of one item, in CSS pixels. */
  readonly size: number;
}

export const EMPTY: Span = { first: 0, last: 0 };

/** The items that touch the viewport, and `overscan` more on either side. */
export function visibleSpan(axis: Axis, scroll: number, viewport: number, overscan: number): Span {
  if (axis.count === 0 || viewport <= 0) return EMPTY;
  const first = Math.floor(Math.max(0, scroll) / axis.size) - overscan;
  const last = Math.ceil((Math.max(0, scroll) + viewport) / axis.size) + overscan;
  return {
    first: Math.min(Math.max(0, first), Math.max(0, axis.count - 1)),
    last: Math.min(axis.count, last),
  };
}

/** How many pooled items can ever be on the screen at once. */
export function poolSize(axis: Axis, viewport: number, overscan: number): number {
  if (viewport <= 0) return 0;
  return Math.min(axis.count, Math.ceil(viewport / axis.size) + 1 + 2 * overscan);
}

/** The nearest scroll position that shows an item whole. */
export function reveal(axis: Axis, item: number, scroll: number, viewport: number): number {
  const start = item * axis.size;
  const end = start + axis.size;
  if (start < scroll) return start;
  if (end > scroll + viewport) return Math.max(0, Math.min(start, end - viewport));
  return scroll;
}

/** Whole items in a page, one kept in sight for orientation. */
export function pageLength(axis: Axis, viewport: number): number {
  return Math.max(1, Math.floor(viewport / axis.size) - 1);
}

/** The blocks of `size` items that a span touches. */
export function blocksOf(span: Span, size: number): Span {
  if (span.last <= span.first) return EMPTY;
  return { first: Math.floor(span.first / size), last: Math.ceil(span.last / size) };
}
