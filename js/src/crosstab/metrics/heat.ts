/**
 * Heat map: the difference of a cell from its base on a diverging scale, by one of three measures.
 * Returns numbers and signs; the style sheet sets the colours, so that a theme change needs no
 * repaint.
 */
import type { CellCounts } from "../data/cellCounts";
import { type Metric, type MetricKey, metricOf } from "./metrics";

export const HEATS = ["index", "difference", "z", "none"] as const;
export type HeatKey = (typeof HEATS)[number];

/** The ends of the scale (the table's 2nd and 98th percentile, without low bases). */
export interface HeatScale {
  readonly low: number;
  readonly high: number;
}

/** The ends of the scales that depend on the table. */
export interface HeatScales {
  readonly index: HeatScale;
  readonly difference: HeatScale;
}

/** The neutral value of a measure, the bounds of its signs, and the least extent of its scale. */
interface Measure {
  readonly middle: number;
  readonly over: number;
  readonly under: number;
  /** In a table with small differences, noise must be pale. */
  readonly reach: number;
}

/** Levels of confidence in percent, by which the heat map of z is coloured. */
export const LIKELY = 95;
export const SURE = 99;
const LIKELY_SHADE = 0.25;
const SURE_SHADE = 0.6;

const MEASURES: Record<Exclude<HeatKey, "none">, Measure> = {
  // Common bounds of under- and over-indexing.
  index: { middle: 100, over: 120, under: 80, reach: 10 },
  difference: { middle: 0, over: 5, under: -5, reach: 2 },
  z: { middle: 0, over: LIKELY, under: -LIKELY, reach: SURE },
};

/** The heat map of one table; null for none. */
export interface Heat extends Measure, HeatScale {
  readonly metric: Metric;
  /** What is coloured; of z the level at which it is significant. */
  value(figures: CellCounts): number;
}

export function heatFor(key: HeatKey, scales: HeatScales | null): Heat | null {
  const measure = key === "none" ? undefined : MEASURES[key];
  if (measure === undefined) return null;
  const { middle, reach } = measure;
  const metric = metricOf(key as MetricKey);
  const ends = key === "z" || scales === null ? null : scales[key as keyof HeatScales];
  return {
    ...measure,
    metric,
    value: key === "z" ? ({ level = Number.NaN }) => level : metric.value,
    low: Math.min(ends?.low ?? middle, middle - reach),
    high: Math.max(ends?.high ?? middle, middle + reach),
  };
}

/** From -1 (at or below the low end) over 0 (neutral, or no value) to 1; two steps for z. */
export function heatOf(value: number, heat: Heat): number {
  if (!Number.isFinite(value)) return 0;
  if (heat.metric.key === "z") return significance(value);
  const { middle, low, high } = heat;
  const reach = value >= middle ? high - middle : middle - low;
  return Math.max(-1, Math.min(1, (value - middle) / reach));
}

/**
 * Two pale steps only: a more significant difference is not a larger one, and with many respondents
 * almost every difference is significant.
 */
function significance(level: number): number {
  const size = Math.abs(level);
  return Math.sign(level) * (size >= SURE ? SURE_SHADE : size >= LIKELY ? LIKELY_SHADE : 0);
}

/** Shades on either side of the scale; each has a rule in the style sheet. */
const STEPS = 12;

/** The shade of a cell, from -12 to 12; 0 has no colour. `render/color_scale.py` has the same rule. */
export function heatStep(value: number, heat: Heat): number {
  const shade = heatOf(value, heat);
  // A class and not a custom property: cells of the same shade share one style.
  return Math.sign(shade) * Math.round(STEPS * Math.abs(shade));
}

/** The sign beside the colour. */
export function heatSign(value: number, { over, under }: Heat): "over" | "under" | "" {
  if (value >= over) return "over";
  return value <= under ? "under" : "";
}
