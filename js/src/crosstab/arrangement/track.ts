/** The offsets of rows or columns along an axis, all of one size or each of its own size. */
import { type Span, visibleSpan } from "../../core/windower";

export interface Track {
  readonly count: number;
  /** Total length in px. */
  readonly length: number;
  offset(index: number): number;
  size(index: number): number;
  /** The visible indices, and `overscan` more on either side. */
  span(scroll: number, viewport: number, overscan: number): Span;
}

export function evenTrack(count: number, size: number): Track {
  return {
    count,
    length: count * size,
    offset: (index) => index * size,
    size: () => size,
    span: (scroll, viewport, overscan) =>
      visibleSpan({ scroll, viewport, size, count: viewport > 0 ? count : 0, overscan }),
  };
}

export function variedTrack(count: number, sizeOf: (index: number) => number): Track {
  const ends = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) ends[i + 1] = (ends[i] as number) + sizeOf(i);
  const length = ends[count] as number;
  const offset = (index: number) => ends[Math.max(0, Math.min(count, index))] as number;
  return {
    count,
    length,
    offset,
    size: (index) => offset(index + 1) - offset(index),
    span(scroll, viewport, overscan) {
      if (count === 0 || viewport <= 0) return { start: 0, end: 0 };
      const top = Math.min(Math.max(0, scroll), Math.max(0, length - viewport));
      const first = indexAt(ends, top);
      const last = indexAt(ends, top + viewport);
      return { start: Math.max(0, first - overscan), end: Math.min(count, last + 1 + overscan) };
    },
  };
}

/** The smallest scroll that brings an item fully into view. */
export function scrollToShow(
  track: Track,
  index: number,
  scroll: number,
  viewport: number,
): number {
  const top = track.offset(index);
  const bottom = top + track.size(index);
  if (top < scroll) return top;
  return bottom > scroll + viewport ? bottom - viewport : scroll;
}

/**
 * The scroll that shows the same items where their sizes have changed: past the end of the axis
 * where its end is in view, else to the same first item.
 */
export function scrollToKeep(scroll: number, viewport: number, before: Track, now: Track): number {
  // Half of an item, because scroll bars come and go.
  const isAtEnd = before.length - scroll - viewport < before.size(before.count - 1) / 2;
  if (isAtEnd && before.count === now.count) return now.length;
  const first = before.span(scroll, 1, 0).start;
  return now.offset(first) + scroll - before.offset(first);
}

/** The last item that starts at or before `distance`. */
function indexAt(ends: Float64Array, distance: number): number {
  let [low, high] = [0, ends.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ends[middle] as number) <= distance) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
