/**
 * The metrics of a crosstab cell: formula, denominator and format of each. Their names, labels and
 * forms are generated from the table in Python. Every metric but those that the kernel computes is
 * computed from four weighted counts and their samples, so switching metrics needs no kernel.
 *
 * Rows and columns are those of the query. A transposed view moves cells, not numbers: only the
 * labels change.
 */
import type { MetricName } from "../../protocol";
import { DISPLAY, METRICS as FACTS, LOW_BASE, VERY_LOW_BASE } from "../../protocol/constants";
import { type CellCounts, type KernelMetric, ownSizes } from "../data/cellCounts";
import { strings } from "../strings";
import { formatOf, type Kind, type Numbers } from "./format";

export type MetricKey = MetricName;

export interface Metric {
  readonly key: MetricKey;
  readonly kind: Kind;
  /** Whether the page computes it; others come from the kernel. */
  readonly byPage: boolean;
  value(figures: CellCounts): number;
  /** Respondents in the denominator; Infinity for a metric without one. */
  denominator(figures: CellCounts): number;
  format(value: number, numbers?: Numbers): string;
}

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

/** The values that are computed here; those of other metrics come from the kernel, with the tests. */
const VALUES: Partial<Record<MetricName, (figures: CellCounts) => number>> = {
  column_percentage: (f) => percent(f.size, f.columnSize),
  index: (f) => percent(ratio(f.size, f.columnSize), ratio(f.rowSize, f.baseSize)),
  row_percentage: (f) => percent(f.size, f.rowSize),
  percentage: (f) => percent(f.size, f.baseSize),
  size: (f) => ownSizes(f).size,
  sample: (f) => f.sample,
  difference: (f) => 100 * (ratio(f.size, f.columnSize) - ratio(f.rowSize, f.baseSize)),
  // Letters have no number.
  letters: () => Number.NaN,
};

const SAMPLES = {
  row: (f: CellCounts) => f.rowSample,
  column: (f: CellCounts) => f.columnSample,
  base: (f: CellCounts) => f.baseSample,
  rest: (f: CellCounts) => f.baseSample - f.columnSample,
};

export const METRICS: readonly Metric[] = (Object.keys(FACTS) as MetricName[]).map((key) => {
  const { kind, decimals, rests_on, by_page } = FACTS[key];
  const [first = () => Number.POSITIVE_INFINITY, second = first] = rests_on.map(
    (side: keyof typeof SAMPLES) => SAMPLES[side],
  );
  return {
    key,
    kind,
    byPage: by_page,
    value: VALUES[key] ?? ((figures) => figures[key as KernelMetric] ?? Number.NaN),
    // An index has two bases; the smaller one counts.
    denominator: (figures) => Math.min(first(figures), second(figures)),
    format: formatOf(kind, decimals),
  };
});

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
export function isShare({ kind }: Metric): boolean {
  return kind === "percentage";
}

/** The label of a metric for the visible rows and columns. */
export function metricLabel(key: MetricKey, transposed: boolean): string {
  return FACTS[transposed ? FACTS[key].transposed : key].label;
}

/** What a metric means, for its button's tooltip. */
export function metricMeaning(key: MetricKey, transposed: boolean): string {
  const [row, column] = transposed ? ["column", "row"] : ["row", "column"];
  const words = FACTS[key].meaning.replace("{row}", row).replace("{column}", column);
  return words.charAt(0).toUpperCase() + words.slice(1);
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
export function whyEmpty(figures: CellCounts, value: number, key?: MetricKey): string | null {
  const { empty } = strings.metric;
  if (figures.baseSize === 0) return figures.reason ? empty.because(figures.reason) : empty.base;
  if (Number.isFinite(value)) return null;
  if (figures.rowSize === 0 && figures.columnSize === 0) return empty.both;
  if (figures.columnSize === 0) return empty.column;
  if (figures.rowSize === 0) return empty.row;
  if (key === "change" && figures.unchanged) return empty.because(figures.unchanged);
  if (figures.untested) return strings.notTested(figures.untested);
  return empty.other;
}
