/**
 * The metrics of a crosstab cell: each one's formula, denominator and format, in one place. Every
 * metric but the letters is arithmetic on four sizes and their samples, so switching between them
 * needs no kernel. Names of metrics are the frame's column names.
 *
 * Rows and columns here are those of the query. A transposed view moves cells, not
 * numbers: only the words change, since what was a column is then seen as a row.
 */
import type { Figures } from "../data/figures";
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
import { standardised } from "./zScore";

export type MetricKey =
  | "column_percentage"
  | "index"
  | "row_percentage"
  | "percentage"
  | "size"
  | "sample"
  | "difference"
  | "z"
  | "letters";

export interface Metric {
  readonly key: MetricKey;
  value(figures: Figures): number;
  /** Respondents behind the denominator; Infinity for a metric that has none. */
  denominator(figures: Figures): number;
  format(value: number, numbers?: Numbers): string;
}

/** Metrics in one cell at most. */
export const MOST_METRICS = 4;

const none = () => Number.POSITIVE_INFINITY;

/** A quotient; an empty denominator makes it NaN, never zero. */
function ratio(numerator: number, denominator: number): number {
  return denominator === 0 ? Number.NaN : numerator / denominator;
}

/**
 * A percentage as the service rounds it, so that lines that tie there tie here as well: a whole is
 * 100% of itself, and not 100.00000000000001.
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
    // An index reads both ways, so the weaker of its two bases counts.
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
  { key: "size", value: (f) => f.size, denominator: none, format: formatSize },
  { key: "sample", value: (f) => f.sample, denominator: none, format: formatCount },
  {
    key: "difference",
    value: (f) => 100 * (ratio(f.size, f.columnSize) - ratio(f.rowSize, f.baseSize)),
    denominator: (f) => f.columnSample,
    format: formatDifference,
  },
  {
    key: "z",
    value: standardised,
    // Of the column and of the rest that it is compared with.
    denominator: (f) => Math.min(f.columnSample, f.baseSample - f.columnSample),
    format: formatZ,
  },
  {
    // Words that the kernel writes (see `letters.ts`); as a number there is none.
    key: "letters",
    value: () => Number.NaN,
    denominator: (f) => f.columnSample,
    format: () => "",
  },
];

/** The metric of a new table. */
export const DEFAULT_METRIC: MetricKey = "column_percentage";

/** The metrics that the switch over the table has; the others are chosen in its menu. */
export const EVERYDAY: readonly MetricKey[] = METRICS.slice(0, 6).map(({ key }) => key);

const BY_KEY = new Map(METRICS.map((metric) => [metric.key as string, metric]));

/** The metric of that name; that of a new table for a name of a later version. */
export function metricOf(key: string): Metric {
  return (BY_KEY.get(key) ?? BY_KEY.get(DEFAULT_METRIC)) as Metric;
}

/** A share of 100, of which a bar can be drawn. */
export function isShare({ key }: Metric): boolean {
  return key.endsWith("percentage");
}

/** What is called by the other name once rows are seen as columns. */
const TURNED: Partial<Record<MetricKey, MetricKey>> = {
  column_percentage: "row_percentage",
  row_percentage: "column_percentage",
};

/** The switch's words, true to what is seen as a row and as a column. */
export function metricLabel(key: MetricKey, transposed: boolean): string {
  return strings.metric.labels[(transposed && TURNED[key]) || key];
}

/** What a metric says, for its button's tooltip. */
export function metricMeaning(key: MetricKey, transposed: boolean): string {
  const meaning = strings.metric.meanings[key];
  return transposed ? meaning("column", "row") : meaning("row", "column");
}

/** Respondents in a denominator below which it is marked `*`, and `**`. */
export interface LowBase {
  readonly low: number;
  readonly veryLow: number;
}

export const LOW_BASE: LowBase = { low: 100, veryLow: 30 };

/** `*` under 100 respondents in the denominator, `**` under 30. */
export function lowBaseMark(
  denominator: number,
  { low, veryLow }: LowBase = LOW_BASE,
): "" | "*" | "**" {
  if (denominator < veryLow) return "**";
  return denominator < low ? "*" : "";
}

/** Why a cell has no number, or null when it has one. */
export function whyEmpty(figures: Figures, value: number): string | null {
  if (Number.isFinite(value)) return null;
  const { empty } = strings.metric;
  if (figures.baseSize === 0) return empty.base;
  if (figures.rowSize === 0 && figures.columnSize === 0) return empty.both;
  if (figures.columnSize === 0) return empty.column;
  if (figures.rowSize === 0) return empty.row;
  if (figures.baseSample === figures.columnSample) return empty.rest;
  return empty.other;
}
