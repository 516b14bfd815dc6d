/**
 * Windowing: which of many equal rows (or columns) are in view, and which pooled element shows
 * which. Pure functions, used by lists and by both axes of a grid.
 */

export interface Span {
  /** First index drawn. */
  start: number;
  /** One past the last index drawn. */
  end: number;
}

export interface Axis {
  /** Scroll offset in px; may overshoot while a touch screen bounces. */
  scroll: number;
  /** Visible length in px. */
  viewport: number;
  /** Length of one item in px. */
  size: number;
  count: number;
  /** Items drawn beyond each edge, so that a fast scroll finds them ready. */
  overscan?: number;
}

/** The items to draw for a scroll position. */
export function visibleSpan({ scroll, viewport, size, count, overscan = 6 }: Axis): Span {
  if (count <= 0 || size <= 0) return { start: 0, end: 0 };
  const furthest = Math.max(0, count * size - viewport);
  const offset = Math.min(Math.max(0, scroll), furthest);
  const start = Math.max(0, Math.floor(offset / size) - overscan);
  const end = Math.min(count, Math.ceil((offset + viewport) / size) + overscan);
  return { start, end: Math.max(start, end) };
}

/** The smallest scroll that brings an item fully into view. */
export function scrollToShow(
  index: number,
  axis: Pick<Axis, "scroll" | "viewport" | "size">,
): number {
  const top = index * axis.size;
  const bottom = top + axis.size;
  if (top < axis.scroll) return top;
  if (bottom > axis.scroll + axis.viewport) return bottom - axis.viewport;
  return axis.scroll;
}

/**
 * Gives each index in view a slot for as long as it is in view, so that elements are reused and
 * only new indices are redrawn. Slots are 0, 1, 2 …, never more than were in view at once.
 */
export class SlotPool {
  readonly #slotOf = new Map<number, number>();
  readonly #free: number[] = [];
  #made = 0;

  /** Slots for all indices of the span, in index order. */
  assign(span: Span): { index: number; slot: number }[] {
    for (const [index, slot] of this.#slotOf) {
      if (index < span.start || index >= span.end) {
        this.#slotOf.delete(index);
        this.#free.push(slot);
      }
    }
    const assigned: { index: number; slot: number }[] = [];
    for (let index = span.start; index < span.end; index++) {
      assigned.push({ index, slot: this.#slotFor(index) });
    }
    return assigned;
  }

  #slotFor(index: number): number {
    const known = this.#slotOf.get(index);
    if (known !== undefined) return known;
    const slot = this.#free.pop() ?? this.#made++;
    this.#slotOf.set(index, slot);
    return slot;
  }
}
