/**
 * Heat map: the difference of a cell from its base on a diverging scale, by one of three measures.
 * Returns numbers and signs; the style sheet sets the colours, so that a theme change needs no
 * repaint.
 */
import type { HeatKey, HeatScale, HeatScales } from "../../protocol";
import { HEAT_LEVELS, HEAT_SCALES, HEAT_STEPS } from "../../protocol/constants";
import type { CellCounts } from "../data/cellCounts";
import { type Metric, type MetricKey, metricOf } from "./metrics";

/** The neutral value of a measure, the bounds of its signs, and the least extent of its scale. */
interface Measure {
  readonly middle: number;
  readonly over: number;
  readonly under: number;
  /** In a table with small differences, noise must be pale. */
  readonly reach: number;
}

/** Levels of confidence in percent: of the strongest colour of z, and of the palest. */
const [[SURE], [LIKELY]] = HEAT_LEVELS;

const MEASURES: Record<Exclude<HeatKey, "none">, Measure> = {
  // Common bounds of under- and over-indexing.
  index: { ...scaled("index"), over: 120, under: 80 },
  difference: { ...scaled("difference"), over: 5, under: -5 },
  z: { middle: 0, over: LIKELY, under: -LIKELY, reach: SURE },
};

function scaled(key: keyof typeof HEAT_SCALES): Pick<Measure, "middle" | "reach"> {
  const [middle, reach] = HEAT_SCALES[key];
  return { middle, reach };
}

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
  const [, shade = 0] = HEAT_LEVELS.find(([least]) => Math.abs(level) >= least) ?? [];
  return Math.sign(level) * shade;
}

/**
 * The shade of a cell, from -12 to 12; 0 has no colour. `render/color_scale.py` has the same rule,
 * and the style sheet a rule for each.
 */
export function heatStep(value: number, heat: Heat): number {
  const shade = heatOf(value, heat);
  // A class and not a custom property: cells of the same shade share one style.
  return Math.sign(shade) * Math.round(HEAT_STEPS * Math.abs(shade));
}

/** The sign beside the colour. */
export function heatSign(value: number, { over, under }: Heat): "over" | "under" | "" {
  if (value >= over) return "over";
  return value <= under ? "under" : "";
}
