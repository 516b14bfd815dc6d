/** The query in words as short as a bar has room for. Pure. */
import type { AxisSummary, Chosen, CodeKind, CodesSummary, How, QuerySummary } from "./protocol";
import { words } from "./strings";

export function axisWords({ count, names, more }: AxisSummary): string {
  if (count === 0) return words.baseAlone;
  return [...names, ...(more > 0 ? [words.more(more)] : [])].join(", ");
}

export function baseWords({ bases, baseCount }: QuerySummary): string {
  if (baseCount === 0) return words.everyone;
  return baseCount <= bases.length ? bases.join(", ") : words.bases(baseCount);
}

/** Waves by name where they are few; locations have no names here. */
export function codesWords(kind: CodeKind, summary: CodesSummary | null): string {
  if (!summary) return kind === "waves" ? words.lastFour : words.everywhere;
  if (kind === "waves" && summary.count <= summary.names.length) return summary.names.join(", ");
  return words.several[kind](summary.count);
}

/** How many rows or columns (or, to nest under, audiences) the choice makes. */
export function itemsOf(
  { picked, saved }: Chosen,
  how: How,
  answersOf: (question: string) => number,
): number {
  const some = picked.length + saved.length > 0;
  if (how === "and" || how === "or") return some ? 1 : 0;
  const answers = picked.map((each) => each.datapoints.length || answersOf(each.question));
  return answers.reduce((sum, each) => sum + each, saved.length);
}
