/** The query as text that is short enough for a bar. Pure. */
import type { AxisSummary, CodesSummary, QuerySummary } from "../../protocol";
import type { Chosen, CodeKind, GridRows, How } from "./protocol";
import { words } from "./strings";

export function axisWords({ count, names, more, question }: AxisSummary): string {
  if (count === 0) return words.baseAlone;
  if (question) return question;
  return [...names, ...(more > 0 ? [words.more(more)] : [])].join(", ");
}

export function baseWords({ bases, base_count, who_counts }: QuerySummary): string {
  const isAnswered = who_counts.chosen === "valid";
  if (base_count === 0) return isAnswered ? words.who.valid : words.all;
  const named = base_count <= bases.length ? bases.join(", ") : words.bases(base_count);
  return isAnswered ? words.answered(named) : named;
}

/** Waves by name if they are few; the names of locations are not known here. */
export function codesWords(kind: CodeKind, summary: CodesSummary | null): string {
  if (!summary) return kind === "waves" ? words.latestFour : words.everywhere;
  if (kind === "waves" && summary.count <= summary.names.length) return summary.names.join(", ");
  return words.several[kind](summary.count);
}

/** Bounds of a bin: "18 to 24", "18–24", "65 and over", "65+". */
const BIN = /^(?<before>\D*)(?<low>\d+)(?<between>\s*(?:to|-|–|—)\s*)(?<high>\d+)(?<after>.*)$/u;
const OPEN_BIN =
  /^(?<before>\D*)(?<low>\d+)(?<after>\s*(?:\+|and over|and older|or more|or over).*)$/u;

/** The name of neighbouring bins joined into one, such as 18–34; "" where they are not bins. */
export function joinedBins(names: readonly string[]): string {
  const [first, last] = [names[0]?.match(BIN)?.groups, names.at(-1)];
  const [closed, open] = [last?.match(BIN)?.groups, last?.match(OPEN_BIN)?.groups];
  const end = closed ?? open;
  if (!first || !end || names.length < 2 || first.before !== end.before) return "";
  if (!names.slice(0, -1).every((name) => BIN.test(name)) || Number(first.low) > Number(end.low))
    return "";
  const from = `${first.before}${first.low}`;
  return closed ? `${from}${closed.between}${closed.high}${closed.after}` : `${from}${open?.after}`;
}

/** The number of rows or columns (or, for nesting, audiences) that the choice adds. */
export function itemsOf(
  { picked, saved }: Chosen,
  how: How,
  answersOf: (question: string, grids: GridRows) => number,
  grids: GridRows = "distribution",
): number {
  const some = picked.length + saved.length > 0;
  if (how === "and" || how === "or") return some ? 1 : 0;
  const shown = how === "split" ? grids : "distribution";
  const isWithin = how === "nest" && areWithin({ picked, saved });
  const answers = picked.map(({ question, datapoints, suffixes }) => {
    const all = answersOf(question, "mean");
    const points = suffixes.length > 0 ? 1 : answersOf(question, shown) / (all || 1);
    return (datapoints.length || all) * points;
  });
  if (isWithin) return answers.reduce((product, each) => product * each, 1);
  return answers.reduce((sum, each) => sum + each, saved.length);
}

/** Whether nesting adds questions within each other, rather than what is there under these. */
export function areWithin({ picked, saved }: Chosen): boolean {
  return picked.length > 1 && saved.length === 0;
}
