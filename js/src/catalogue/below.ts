/**
 * Counts below each category: answers that can be selected and answers that are selected. During a
 * search, ticking a category selects matches only; its tick always shows the state of all answers.
 * Pure.
 */
import type { Catalogue, QuestionRecord } from "./model";
import { type Match, type SearchResult, UNASKED } from "./search";
import type { CheckState, Picked, PickerMode, Selection } from "./selection";
import type { Outline } from "./tree";

/** Answers (in "question" mode: questions) for each category. */
export type Tallies = readonly number[];

/**
 * The matches below a category, as if only they had been found; without a search, everything below
 * it.
 */
export function foundBelow(
  { subcategories, members }: Outline,
  found: SearchResult | null,
  category: number,
): SearchResult {
  const matches = new Map<number, Match>();
  const collect = (at: number) => {
    for (const question of members[at] ?? []) {
      const match = matchIn(found, question);
      if (match) matches.set(question, match);
    }
    for (const child of subcategories[at] ?? []) collect(child);
  };
  collect(category);
  let datapoints = 0;
  for (const match of matches.values()) datapoints += match.datapoints.length;
  const { words = [] } = found ?? {};
  return { words, meant: "", some: false, matches, questions: matches.size, datapoints };
}

/** Answers that can be selected below each category. */
export function offeredBelow(
  catalogue: Catalogue,
  found: SearchResult | null,
  mode: PickerMode,
): Tallies {
  const { questions, categories } = catalogue;
  const own = new Array<number>(categories.length).fill(0);
  const add = (match: Match, question: QuestionRecord | undefined) => {
    if (!question?.accessible) return;
    const all = question.datapoints.codes.length;
    const many = mode === "question" ? 1 : match.datapoints.length || all;
    for (const at of question.categories) own[at] = (own[at] ?? 0) + many;
  };
  if (found) for (const [at, match] of found.matches) add(match, questions[at]);
  else for (const question of questions) add(UNASKED, question);
  return summedUp(own, catalogue);
}

/** Selected answers below each category, whether they match or not. */
export function pickedBelow(catalogue: Catalogue, mode: PickerMode, selection: Selection): Tallies {
  const own = new Array<number>(catalogue.categories.length).fill(0);
  for (const entry of selection) {
    const question = catalogue.questions[catalogue.indexOf(entry.question)];
    if (!question?.accessible) continue;
    const many = mode === "question" ? 1 : pickedIn(entry, question);
    for (const at of question.categories) own[at] = (own[at] ?? 0) + many;
  }
  return summedUp(own, catalogue);
}

/** The state of a category's tick; null where nothing below can be selected. */
export function categoryState(offered: number, picked: number): CheckState | null {
  if (offered === 0) return null;
  if (picked === 0) return "none";
  return picked < offered ? "some" : "all";
}

function matchIn(found: SearchResult | null, question: number): Match | undefined {
  return found ? found.matches.get(question) : UNASKED;
}

function pickedIn({ datapoints }: Picked, question: QuestionRecord): number {
  return datapoints.length || question.datapoints.codes.length;
}

/** The sum of each category and all categories below it; parents come before their children. */
function summedUp(own: number[], { categories }: Catalogue): Tallies {
  for (let at = own.length - 1; at >= 0; at--) {
    const parent = categories[at]?.parent ?? -1;
    if (parent >= 0) own[parent] = (own[parent] ?? 0) + (own[at] ?? 0);
  }
  return own;
}
