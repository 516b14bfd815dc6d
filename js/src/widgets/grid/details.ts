/** The focused cell in words: who it is, its formula with the numbers put in, what it means. */

import { isolated } from "../../shared/text";
import { type Figures, hasArrived } from "./figures";
import {
  formatCount,
  formatDifference,
  formatIndex,
  formatPercentage,
  formatSize,
  USUAL,
} from "./format";
import { LIKELY, SURE } from "./heat";
import type { CellStyle } from "./looks";
import { LOW_BASE, lowBaseMark, type MetricKey, metricLabel, metricOf, whyEmpty } from "./metrics";
import type { Name } from "./names";
import { againstRest } from "./standardised";
import { strings } from "./strings";
import type { Margin } from "./table";

/** An audience and its two figures: "Women 25.8M / 12,101". */
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

export interface Subject {
  readonly row: string;
  readonly column: string;
  readonly base: string;
}

/** How numbers are written, which are marked and hidden, and the cell's letters if they are here. */
export type DetailsStyle = Pick<CellStyle, "numbers" | "lowBase" | "blankUnder"> & {
  readonly letters?: string | undefined;
};

const PLAIN: DetailsStyle = { numbers: USUAL, lowBase: LOW_BASE, blankUnder: 0 };

/** `row` and `column` of the subject and of the figures are those of the query. */
export function detailsOf(
  key: MetricKey,
  figures: Figures,
  subject: Subject,
  transposed: boolean,
  style: DetailsStyle = PLAIN,
): Details {
  const [row, column] = [isolated(subject.row), isolated(subject.column)];
  const title = transposed ? `${column} × ${row}` : `${row} × ${column}`;
  if (!hasArrived(figures)) return { title, formula: strings.notYet, meaning: "", facts: [] };
  const metric = metricOf(key);
  const label = metricLabel(key, transposed);
  const people = facts(figures, subject, transposed, style);
  const told = { title, meaning: "", facts: people };
  if (key === "letters") return { ...told, formula: `${label} ${style.letters ?? "…"}` };
  const value = metric.value(figures);
  const why =
    whyEmpty(figures, value) ??
    (metric.denominator(figures) < style.blankUnder ? strings.hidden(style.blankUnder) : null);
  if (why !== null) return { ...told, formula: why };
  return {
    ...told,
    formula: `${label} ${metric.format(value, style.numbers)}${formula(key, figures, style)}`,
    meaning: meaning(key, value, subject),
  };
}

/** A row, a column or the base: who it is, and its two figures. */
export function audienceDetails(
  name: Name | undefined,
  margin: Margin | undefined,
  style: DetailsStyle = PLAIN,
): Details | null {
  if (name === undefined) return null;
  const sample = margin?.sample ?? Number.NaN;
  const counted = margin !== undefined && !Number.isNaN(margin.size);
  return {
    title: name.name,
    formula: "",
    meaning: name.sentence === name.name ? "" : name.sentence,
    facts: counted ? [fact(strings.baseParts, margin.size, sample, style)] : [],
  };
}

function formula(key: MetricKey, f: Figures, { numbers }: DetailsStyle): string {
  const [both, row, column, base] = [f.size, f.rowSize, f.columnSize, f.baseSize].map((people) =>
    formatSize(people, numbers),
  );
  switch (key) {
    case "index":
      return ` = 100 × (${both} ÷ ${column}) ÷ (${row} ÷ ${base})`;
    case "column_percentage":
      return ` = 100 × ${both} ÷ ${column}`;
    case "row_percentage":
      return ` = 100 × ${both} ÷ ${row}`;
    case "percentage":
      return ` = 100 × ${both} ÷ ${base}`;
    case "size":
      return ` = ${formatCount(Math.round(f.size))}`;
    case "difference":
      return ` = 100 × (${both} ÷ ${column} − ${row} ÷ ${base})`;
    case "z":
      return againstRestWords(f);
    case "sample":
    case "letters":
      return "";
  }
}

function againstRestWords(f: Figures): string {
  const { share, other, error } = againstRest(f);
  if (error === 0) return "";
  const [ours, theirs] = [share, other].map((each) => formatPercentage(100 * each));
  return ` = (${ours} − ${theirs} of everyone else) ÷ ${formatIndex(100 * error)} points of error`;
}

function meaning(key: MetricKey, value: number, { row, column, base }: Subject): string {
  switch (key) {
    case "index":
      return likelihood(value, row, column, base);
    case "column_percentage":
      return `${formatPercentage(value)} of ${quoted(column)} are ${quoted(row)}`;
    case "row_percentage":
      return `${formatPercentage(value)} of ${quoted(row)} are ${quoted(column)}`;
    case "percentage":
      return `${formatPercentage(value)} of ${quoted(base)} are both`;
    case "size":
      return `people who are both ${quoted(row)} and ${quoted(column)}`;
    case "sample":
      return `respondents who are both ${quoted(row)} and ${quoted(column)}`;
    case "difference":
      return `${formatDifference(value)} points: ${quoted(row)} among ${quoted(column)}, against ${quoted(base)}`;
    case "z":
      return `${quoted(column)} ${certainty(value)} be ${quoted(row)} than everyone else in ${quoted(base)}`;
    case "letters":
      return "";
  }
}

function likelihood(index: number, row: string, column: string, base: string): string {
  const likely = (how: string) => `${quoted(column)}: ${how} to be ${quoted(row)}`;
  if (Math.abs(index - 100) < 0.5) return `${likely("as likely")} as ${quoted(base)}`;
  if (index >= 200)
    return `${likely(`${formatIndex(index / 100)} times as likely`)} as ${quoted(base)}`;
  const by = `${Math.round(Math.abs(index - 100))}% ${index > 100 ? "more" : "less"} likely`;
  return `${likely(by)} than ${quoted(base)}`;
}

function certainty(z: number): string {
  const size = Math.abs(z);
  if (size < LIKELY) return "are not significantly more or less likely to";
  const level = size >= SURE ? "99%" : "95%";
  return `are significantly (${level}) ${z > 0 ? "more" : "less"} likely to`;
}

/** Size and sample of everybody that the formula speaks of. */
function facts(f: Figures, subject: Subject, transposed: boolean, style: DetailsStyle): Fact[] {
  const unmarked = { ...style, lowBase: { low: 0, veryLow: 0 } };
  const both = fact(strings.both, f.size, f.sample, unmarked);
  const row = fact(subject.row, f.rowSize, f.rowSample, style);
  const column = fact(subject.column, f.columnSize, f.columnSample, style);
  const base = fact(strings.base(subject.base), f.baseSize, f.baseSample, style);
  return transposed ? [both, column, row, base] : [both, row, column, base];
}

function fact(name: string, size: number, sample: number, style: DetailsStyle): Fact {
  const mark = lowBaseMark(sample, style.lowBase);
  return { name, figures: `${formatSize(size, style.numbers)} / ${formatCount(sample)}${mark}` };
}

function quoted(name: string): string {
  return `“${isolated(name)}”`;
}
