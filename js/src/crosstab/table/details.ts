/** Details of the focused cell as text: its audiences, the formula with its numbers, a sentence. */

import { written } from "../../core/numbers";
import { isolated } from "../../ui/text";
import type { Margin } from "../arrangement/queryAxis";
import { type CellCounts, hasArrived, ownSizes } from "../data/cellCounts";
import type { Name } from "../data/names";
import {
  formatCount,
  formatIndex,
  formatP,
  formatPercentage,
  formatSize,
  sizeOf,
  USUAL,
} from "../metrics/format";
import { isTestKnown, significance } from "../metrics/marks";
import {
  LOW_BASES,
  lowBaseMark,
  type MetricKey,
  metricLabel,
  metricOf,
  whyEmpty,
} from "../metrics/metrics";
import { strings } from "../strings";
import type { CellStyle } from "./displaySettings";

/** An audience with its weighted count and n: "Women 25.8M / 12,101". */
export interface Fact {
  readonly name: string;
  readonly figures: string;
}

export interface Details {
  readonly title: string;
  /** The formula with this cell's numbers, or why there is no number. */
  readonly formula: string;
  readonly meaning: string;
  readonly facts: readonly Fact[];
}

/** answered: whether the cell counts those of the base who answered. */
export interface Subject {
  readonly row: string;
  readonly column: string;
  readonly base: string;
  readonly answered?: boolean;
}

/** Number format, low bases and confidence level. */
export type DetailsStyle = Pick<CellStyle, "numbers" | "lowBase" | "hideUnder"> & {
  readonly level?: number;
};

const PLAIN: DetailsStyle = { numbers: USUAL, lowBase: LOW_BASES, hideUnder: 0 };

/** `row` and `column` of the subject and of the values are those of the query. */
export function detailsOf(
  key: MetricKey,
  figures: CellCounts,
  subject: Subject,
  transposed: boolean,
  style: DetailsStyle = PLAIN,
): Details {
  const [row, column] = [isolated(subject.row), isolated(subject.column)];
  const title = transposed ? `${column} × ${row}` : `${row} × ${column}`;
  if (!hasArrived(figures)) {
    const formula = figures.isWithheld ? strings.withheld : strings.notYet;
    return { title, formula, meaning: "", facts: [] };
  }
  const metric = metricOf(key);
  const label = metricLabel(key, transposed);
  const people = facts(figures, subject, transposed, style);
  const shown = { title, meaning: "", facts: people };
  if (key === "letters") return { ...shown, formula: `${label} ${figures.letters ?? "…"}` };
  if (!metric.byPage && !isTestKnown(figures)) return { ...shown, formula: `${label} …` };
  const value = metric.value(figures);
  const why =
    whyEmpty(figures, value, key) ??
    (metric.denominator(figures) < style.hideUnder ? strings.hidden(style.hideUnder) : null);
  if (why !== null) return { ...shown, formula: why };
  return {
    ...shown,
    formula: `${label} ${metric.format(value, style.numbers)}${formula(key, figures, style)}`,
    meaning: meaning(key, value, figures, subject, style.level ?? 0.95),
  };
}

/** A row, a column or the base: its definition, weighted base and n. */
export function audienceDetails(
  name: Name | undefined,
  margin: Margin | undefined,
  style: DetailsStyle = PLAIN,
): Details | null {
  if (name === undefined) return null;
  const sample = margin?.sample ?? Number.NaN;
  const counted = margin !== undefined && !Number.isNaN(margin.size);
  const { base } = margin ?? {};
  const beside = base ? [fact(strings.rowBaseName, base.size, base.sample, style)] : [];
  return {
    title: name.name,
    formula: "",
    meaning: name.sentence === name.name ? "" : name.sentence,
    facts: counted ? [fact(strings.baseParts, margin.size, sample, style), ...beside] : [],
  };
}

/** How counts give a metric: as text, and as a number. */
const FORMULAS: { readonly [K in MetricKey]?: Formula } = {
  index: {
    words: ({ both, row, column, base }) => `(${both} ÷ ${column}) ÷ (${row} ÷ ${base})`,
    value: ({ both, row, column, base }) => both / column / (row / base),
  },
  column_percentage: {
    words: ({ both, column }) => `${both} ÷ ${column}`,
    value: ({ both, column }) => both / column,
  },
  row_percentage: {
    words: ({ both, row }) => `${both} ÷ ${row}`,
    value: ({ both, row }) => both / row,
  },
  percentage: {
    words: ({ both, base }) => `${both} ÷ ${base}`,
    value: ({ both, base }) => both / base,
  },
  difference: {
    words: ({ both, row, column, base }) => `(${both} ÷ ${column} − ${row} ÷ ${base})`,
    value: ({ both, row, column, base }) => both / column - row / base,
  },
};

type Four<T> = Readonly<Record<"both" | "row" | "column" | "base", T>>;

interface Formula {
  words(counts: Four<string>): string;
  value(counts: Four<number>): number;
}

/** Digits beyond the usual ones that a count may need. */
const MOST_DIGITS = 6;

/**
 * The formula with the cell's counts, in as few digits as give the value that is shown: rounded
 * counts may give another.
 */
function formula(key: MetricKey, f: CellCounts, { numbers }: DetailsStyle): string {
  if (key === "size") return ` = ${written(ownSizes(f).size, 0)}`;
  if (key === "z") return testWords(f);
  const made = FORMULAS[key];
  if (made === undefined) return "";
  const people = inFormula(key, f);
  const exact = {
    both: people.size,
    row: people.rowSize,
    column: people.columnSize,
    base: f.baseSize,
  };
  const { format, value } = metricOf(key);
  const shown = format(value(f), numbers);
  const counts = (more: number) => eachOf(exact, (size) => formatSize(size, numbers, more));
  let texts = counts(0);
  for (let more = 1; more <= MOST_DIGITS; more++) {
    if (format(100 * made.value(eachOf(texts, sizeOf)), numbers) === shown) break;
    texts = counts(more);
  }
  return ` = 100 × ${made.words(texts)}`;
}

function eachOf<T, U>({ both, row, column, base }: Four<T>, made: (count: T) => U): Four<U> {
  return { both: made(both), row: made(row), column: made(column), base: made(base) };
}

/** People in their own waves, as the facts list them, where the part of the waves cancels out. */
function inFormula(key: MetricKey, f: CellCounts) {
  const ofColumn = key === "index" || key === "column_percentage" || key === "difference";
  const ofRow = key === "index" || key === "row_percentage";
  const { rowPart = 1, columnPart = 1 } = f;
  return ownSizes({
    ...f,
    rowPart: ofRow ? rowPart : 1,
    columnPart: ofColumn ? columnPart : 1,
  });
}

function testWords({ p = Number.NaN, freedom = Number.NaN }: CellCounts): string {
  const degrees = Number.isFinite(freedom) ? strings.freedom(formatCount(freedom)) : "";
  return ` (p ${formatP(p)}${degrees})`;
}

function meaning(
  key: MetricKey,
  value: number,
  figures: CellCounts,
  { row, column, base, answered = false }: Subject,
  level: number,
): string {
  const who = (name: string) => (answered ? strings.answered(quoted(name)) : quoted(name));
  switch (key) {
    case "index": {
      const index = written(value, 0);
      const how = `${who(column)} are ${likelihood(value)} average to be in ${quoted(row)}`;
      return finding(figures, level, `${how} (index ${index})`);
    }
    case "difference":
      return finding(
        figures,
        level,
        `${who(column)} are ${formatIndex(Math.abs(value))} points ${value > 0 ? "above" : "below"} average in ${quoted(row)}`,
      );
    case "z": {
      const how = `significantly (${Math.round(level * 100)}%) ${value > 0 ? "more" : "less"} likely`;
      const rest = "than the rest of the base to be in";
      return finding(figures, level, `${who(column)} are ${how} ${rest} ${quoted(row)}`);
    }
    case "column_percentage":
      return `${formatPercentage(value)} of ${who(column)} are in ${quoted(row)}${againstBase(figures, "row", who(base))}`;
    case "row_percentage":
      return `${formatPercentage(value)} of ${who(row)} are in ${quoted(column)}${againstBase(figures, "column", who(base))}`;
    case "percentage":
      return `${formatPercentage(value)} of ${who(base)} are in both`;
    case "size":
      return `People in both ${quoted(row)} and ${quoted(column)}, weighted`;
    case "sample":
      return `Respondents in both ${quoted(row)} and ${quoted(column)}`;
    default:
      return "";
  }
}

/** The share of the base that is in the row or column; "" where the base itself is compared. */
function againstBase(f: CellCounts, part: "row" | "column", base: string): string {
  const [ours, compared] = part === "row" ? [f.rowSize, f.columnSize] : [f.columnSize, f.rowSize];
  if (compared === f.baseSize || f.baseSize === 0) return "";
  return `, ${formatPercentage((100 * ours) / f.baseSize)} of ${base}`;
}

/** A sentence about a difference, only where it is significant. */
function finding(figures: CellCounts, level: number, sentence: string): string {
  switch (significance(figures, level)) {
    case null:
      return figures.untested ? strings.notTested(figures.untested) : "";
    case 0:
      return strings.notSignificant(level);
    default:
      return sentence;
  }
}

function likelihood(index: number): string {
  if (index >= 200) return `${formatIndex(index / 100)} times as likely as`;
  const by = Math.round(Math.abs(index - 100));
  return by === 0 ? "about as likely as" : `${by}% ${index > 100 ? "more" : "less"} likely than`;
}

/** Weighted count and n of all audiences in the formula. */
function facts(f: CellCounts, subject: Subject, transposed: boolean, style: DetailsStyle): Fact[] {
  const unmarked = { ...style, lowBase: { low: 0, veryLow: 0 } };
  const { size, rowSize, columnSize } = ownSizes(f);
  const both = fact(strings.both, size, f.sample, unmarked);
  const row = fact(subject.row, rowSize, f.rowSample, style);
  const column = fact(subject.column, columnSize, f.columnSample, style);
  const name = subject.answered ? strings.answered(subject.base) : subject.base;
  const base = fact(strings.base(name), f.baseSize, f.baseSample, style);
  return transposed ? [both, column, row, base] : [both, row, column, base];
}

function fact(name: string, size: number, sample: number, style: DetailsStyle): Fact {
  const mark = lowBaseMark(sample, style.lowBase);
  return { name, figures: `${formatSize(size, style.numbers)} / ${formatCount(sample)}${mark}` };
}

function quoted(name: string): string {
  return `“${isolated(name)}”`;
}
