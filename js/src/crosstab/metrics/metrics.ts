/**
 * The metrics of a crosstab cell: formula, denominator and format of each. Every metric but z
 * and letters, which the kernel computes, is computed from four weighted counts and their samples, so
 * switching metrics needs no kernel. Names of metrics are the frame's column names.
 *
 * Rows and columns are those of the query. A transposed view moves cells, not numbers: only the
 * labels change.
 */
import type { MetricName } from "../../protocol";
import { DISPLAY, LOW_BASE, VERY_LOW_BASE } from "../../protocol/constants";
import { type CellCounts, ownSizes } from "../data/cellCounts";
import { strings } from "../strings";
import {
  formatCount,
  formatDifference,
  formatIndex,
  formatPercentage,
  formatSize,
  formatZ,
  type Numbers,
} from "./format";

export type MetricKey = MetricName;

export interface Metric {
  readonly key: MetricKey;
  value(figures: CellCounts): number;
  /** Respondents in the denominator; Infinity for a metric without one. */
  denominator(figures: CellCounts): number;
  format(value: number, numbers?: Numbers): string;
}

const none = () => Number.POSITIVE_INFINITY;

/** A quotient; NaN for an empty denominator, never zero. */
function ratio(numerator: number, denominator: number): number {
  return denominator === 0 ? Number.NaN : numerator / denominator;
}

/**
 * Rounded as the service rounds, so that ties there are ties here and the whole is 100%, not
 * 100.00000000000001.
 */
function percent(part: number, whole: number): number {
  return part === whole && whole !== 0 ? 100 : ratio(100 * part, whole);
}

export const METRICS: readonly Metric[] = [
  {
    key: "column_percentage",
    value: (f) => percent(f.size, f.columnSize),
    denominator: (f) => f.columnSample,
    format: formatPercentage,
  },
  {
    key: "index",
    value: (f) => percent(ratio(f.size, f.columnSize), ratio(f.rowSize, f.baseSize)),
    // An index has two bases; the smaller one counts.
    denominator: (f) => Math.min(f.rowSample, f.columnSample),
    format: formatIndex,
  },
  {
    key: "row_percentage",
    value: (f) => percent(f.size, f.rowSize),
    denominator: (f) => f.rowSample,
    format: formatPercentage,
  },
  {
    key: "percentage",
    value: (f) => percent(f.size, f.baseSize),
    denominator: (f) => f.baseSample,
    format: formatPercentage,
  },
  { key: "size", value: (f) => ownSizes(f).size, denominator: none, format: formatSize },
  { key: "sample", value: (f) => f.sample, denominator: none, format: formatCount },
  {
    key: "difference",
    value: (f) => 100 * (ratio(f.size, f.columnSize) - ratio(f.rowSize, f.baseSize)),
    denominator: (f) => f.columnSample,
    format: formatDifference,
  },
  {
    key: "z",
    // Tests come from the kernel (see `marks.ts`).
    value: (f) => f.z ?? Number.NaN,
    // The smaller of the column and the rest that it is compared with.
    denominator: (f) => Math.min(f.columnSample, f.baseSample - f.columnSample),
    format: formatZ,
  },
  {
    // Letters have no number.
    key: "letters",
    value: () => Number.NaN,
    denominator: (f) => f.columnSample,
    format: () => "",
  },
];

/** The metric of a new table. */
export const [DEFAULT_METRIC] = DISPLAY.metrics;

/** The metrics of the toolbar's switch; the others are in the display menu. */
export const EVERYDAY: readonly MetricKey[] = METRICS.slice(0, 6).map(({ key }) => key);

const BY_KEY = new Map(METRICS.map((metric) => [metric.key as string, metric]));

/** The metric of that name; that of a new table for a name of a later version. */
export function metricOf(key: string): Metric {
  return (BY_KEY.get(key) ?? BY_KEY.get(DEFAULT_METRIC)) as Metric;
}

/** Shares, for which a bar can be drawn. */
export function isShare({ key }: Metric): boolean {
  return key.endsWith("percentage");
}

/** Metrics that swap names in a transposed table. */
const TURNED: Partial<Record<MetricKey, MetricKey>> = {
  column_percentage: "row_percentage",
  row_percentage: "column_percentage",
};

/** The label of a metric for the visible rows and columns. */
export function metricLabel(key: MetricKey, transposed: boolean): string {
  return strings.metric.labels[(transposed && TURNED[key]) || key];
}

/** What a metric means, for its button's tooltip. */
export function metricMeaning(key: MetricKey, transposed: boolean): string {
  const meaning = strings.metric.meanings[key];
  return transposed ? meaning("column", "row") : meaning("row", "column");
}

/** Respondents in a denominator below which it is marked `*`, and `**`. */
export interface LowBase {
  readonly low: number;
  readonly veryLow: number;
}

export const LOW_BASES: LowBase = { low: LOW_BASE, veryLow: VERY_LOW_BASE };

/** `*` under 100 respondents in the denominator, `**` under 30. */
export function lowBaseMark(
  denominator: number,
  { low, veryLow }: LowBase = LOW_BASES,
): "" | "*" | "**" {
  if (denominator < veryLow) return "**";
  return denominator < low ? "*" : "";
}

/** Why a cell has no value; null when it has one. Without a base it has no counts either. */
export function whyEmpty(figures: CellCounts, value: number): string | null {
  const { empty } = strings.metric;
  if (figures.baseSize === 0) return figures.reason ? empty.because(figures.reason) : empty.base;
  if (Number.isFinite(value)) return null;
  if (figures.rowSize === 0 && figures.columnSize === 0) return empty.both;
  if (figures.columnSize === 0) return empty.column;
  if (figures.rowSize === 0) return empty.row;
  if (figures.untested) return strings.notTested(figures.untested);
  return empty.other;
}
