/** The question in words as short as a bar has room for. Pure. */
import type { Chosen, CodeKind, CodesTold, How, QuestionTold, SideTold } from "./protocol";
import { words } from "./strings";

export function sideWords({ count, names, more }: SideTold): string {
  if (count === 0) return words.baseAlone;
  return [...names, ...(more > 0 ? [words.more(more)] : [])].join(", ");
}

export function baseWords({ bases, baseCount }: QuestionTold): string {
  if (baseCount === 0) return words.everyone;
  return baseCount <= bases.length ? bases.join(", ") : words.bases(baseCount);
}

/** Waves by name where they are few; locations have no names here. */
export function codesWords(kind: CodeKind, told: CodesTold | null): string {
  if (!told) return kind === "waves" ? words.lastFour : words.everywhere;
  if (kind === "waves" && told.count <= told.names.length) return told.names.join(", ");
  return words.several[kind](told.count);
}

/** How many lines (or, to nest under, audiences) would be made of what is chosen. */
export function linesOf(
  { picked, saved }: Chosen,
  how: How,
  answersOf: (question: string) => number,
): number {
  const some = picked.length + saved.length > 0;
  if (how === "and" || how === "or") return some ? 1 : 0;
  const answers = picked.map((each) => each.datapoints.length || answersOf(each.question));
  return answers.reduce((sum, each) => sum + each, saved.length);
}
