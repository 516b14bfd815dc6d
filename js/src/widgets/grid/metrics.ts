/**
 * The metrics of a crosstab cell: each one's formula, denominator, words and format,
 * in one place. Every metric is arithmetic on four sizes, so switching between them
 * needs no kernel. Names of metrics are the frame's column names.
 *
 * Rows and columns here are those of the query. A transposed view moves cells, not
 * numbers: only the words change, since what was a column is then seen as a row.
 */
import type { Figures } from "./figures";
import { formatCount, formatIndex, formatPercentage, formatSize } from "./format";

export type MetricKey =
  | "index"
  | "column_percentage"
  | "row_percentage"
  | "percentage"
  | "size"
  | "sample";

export interface Metric {
  readonly key: MetricKey;
  value(figures: Figures): number;
  /** Respondents behind the denominator; Infinity for a metric that has none. */
  denominator(figures: Figures): number;
  format(value: number): string;
}

const none = () => Number.POSITIVE_INFINITY;

/** A quotient; nobody in the denominator makes it NaN, never zero. */
function ratio(numerator: number, denominator: number): number {
  return denominator === 0 ? Number.NaN : numerator / denominator;
}

export const METRICS: readonly Metric[] = [
  {
    key: "index",
    value: (f) => ratio(100 * f.size * f.baseSize, f.rowSize * f.columnSize),
    // An index reads both ways, so the weaker of its two bases speaks.
    denominator: (f) => Math.min(f.rowSample, f.columnSample),
    format: formatIndex,
  },
  {
    key: "column_percentage",
    value: (f) => ratio(100 * f.size, f.columnSize),
    denominator: (f) => f.columnSample,
    format: formatPercentage,
  },
  {
    key: "row_percentage",
    value: (f) => ratio(100 * f.size, f.rowSize),
    denominator: (f) => f.rowSample,
    format: formatPercentage,
  },
  {
    key: "percentage",
    value: (f) => ratio(100 * f.size, f.baseSize),
    denominator: (f) => f.baseSample,
    format: formatPercentage,
  },
  { key: "size", value: (f) => f.size, denominator: none, format: formatSize },
  { key: "sample", value: (f) => f.sample, denominator: none, format: formatCount },
];

const BY_KEY = new Map(METRICS.map((metric) => [metric.key as string, metric]));

/** The metric of that name; index for a name of a later version. */
export function metricOf(key: string): Metric {
  return BY_KEY.get(key) ?? (METRICS[0] as Metric);
}

/** The switch's words, true to what is seen as a row and as a column. */
export function metricLabel(key: MetricKey, transposed: boolean): string {
  switch (key) {
    case "index":
      return "Index";
    case "column_percentage":
      return transposed ? "Row %" : "Column %";
    case "row_percentage":
      return transposed ? "Column %" : "Row %";
    case "percentage":
      return "% of base";
    case "size":
      return "Size";
    case "sample":
      return "Sample";
  }
}

/** What a metric says, for its button's tooltip. */
export function metricMeaning(key: MetricKey, transposed: boolean): string {
  const [row, column] = transposed ? ["column", "row"] : ["row", "column"];
  switch (key) {
    case "index":
      return "How much likelier than in the base; 100 is the base";
    case "column_percentage":
      return `Share of the ${column} that is in the ${row}`;
    case "row_percentage":
      return `Share of the ${row} that is in the ${column}`;
    case "percentage":
      return "Share of the base that is in both";
    case "size":
      return "People in both, weighted";
    case "sample":
      return "Respondents in both, unweighted";
  }
}

export const LOW_BASE = 100;
export const VERY_LOW_BASE = 30;

/** `*` under 100 respondents in the denominator, `**` under 30. */
export function lowBaseMark(denominator: number): "" | "*" | "**" {
  if (denominator < VERY_LOW_BASE) return "**";
  return denominator < LOW_BASE ? "*" : "";
}

/** Why a cell has no number, or null when it has one. */
export function whyEmpty(figures: Figures, value: number): string | null {
  if (Number.isFinite(value)) return null;
  if (figures.baseSize === 0)
    return "Nobody is in the base of this cell: no wave in common, or an empty base";
  if (figures.rowSize === 0 && figures.columnSize === 0)
    return "Nobody in the base is in this row or in this column";
  if (figures.columnSize === 0) return "Nobody in the base is in this column";
  if (figures.rowSize === 0) return "Nobody in the base is in this row";
  return "No number for this cell";
}
