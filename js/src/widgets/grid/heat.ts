/**
 * Heat by index: how far from 100 a cell is, on a diverging scale. It answers numbers
 * and signs; the two colours are the style sheet's, so that a theme can change them
 * without a repaint.
 */

/** Where the scale ends on either side (the table's 2nd and 98th percentile). */
export interface HeatScale {
  readonly low: number;
  readonly high: number;
}

/** The nearest the ends may come to 100: in a flat table small noise must stay pale. */
const LEAST_REACH = 10;

/** From -1 (at or under the low end) over 0 (index 100, or no index) to 1. */
export function heatOf(index: number, scale: HeatScale): number {
  if (!Number.isFinite(index)) return 0;
  const reach =
    index >= 100 ? Math.max(LEAST_REACH, scale.high - 100) : Math.max(LEAST_REACH, 100 - scale.low);
  return Math.max(-1, Math.min(1, (index - 100) / reach));
}

/** The ends as shown in the legend. */
export function legendEnds(scale: HeatScale): HeatScale {
  return {
    low: Math.min(scale.low, 100 - LEAST_REACH),
    high: Math.max(scale.high, 100 + LEAST_REACH),
  };
}

export const OVER = 120;
export const UNDER = 80;

/** The sign besides the colour: the trade's own bounds of over- and under-indexing. */
export function heatSign(index: number): "over" | "under" | "" {
  if (index >= OVER) return "over";
  return index <= UNDER ? "under" : "";
}
