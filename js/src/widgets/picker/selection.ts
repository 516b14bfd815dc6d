/**
 * The selection: what is picked, as plain values, one entry for each question in the order of
 * picking. It is exactly the `selection` trait; every function gives a new one.
 */
import type { Catalogue, QuestionRecord } from "./catalogue";

export interface Picked {
  question: string;
  /** Codes in catalogue order; none means the question as a whole. */
  datapoints: string[];
  /** Codes; none means with any suffix at all. */
  suffixes: string[];
}

export type Selection = readonly Picked[];
export type CheckState = "none" | "some" | "all";

/** "question": questions are picked as a whole. "datapoints": their datapoints one by one. */
export type PickerMode = "question" | "datapoints";

/** The entry of a question, whichever way its code is written. */
export function pickedOf(selection: Selection, catalogue: Catalogue, question: number) {
  return selection.find((entry) => catalogue.indexOf(entry.question) === question);
}

export function questionState(entry: Picked | undefined, question: QuestionRecord): CheckState {
  if (!entry) return "none";
  const some =
    entry.datapoints.length > 0 && entry.datapoints.length < question.datapoints.codes.length;
  return some ? "some" : "all";
}

export function hasDatapoint(entry: Picked | undefined, code: string): boolean {
  return entry !== undefined && (entry.datapoints.length === 0 || entry.datapoints.includes(code));
}

/** Picks all of a question, or none of it when all was picked. */
export function toggleQuestion(
  selection: Selection,
  catalogue: Catalogue,
  index: number,
  mode: PickerMode,
): Selection {
  const question = catalogue.questions[index];
  if (!question?.accessible) return selection;
  const entry = pickedOf(selection, catalogue, index);
  if (questionState(entry, question) === "all") return without(selection, entry);
  const datapoints = mode === "question" ? [] : [...question.datapoints.codes];
  return put(selection, entry, {
    question: entry?.question ?? question.code,
    datapoints,
    suffixes: entry?.suffixes ?? [],
  });
}

export function toggleDatapoint(
  selection: Selection,
  catalogue: Catalogue,
  index: number,
  datapoint: number,
): Selection {
  const question = catalogue.questions[index];
  const code = question?.datapoints.codes[datapoint];
  if (!question?.accessible || code === undefined) return selection;
  const entry = pickedOf(selection, catalogue, index);
  // An entry without datapoints stands for all of them: taking one away spells out the rest.
  const current = new Set(
    entry && entry.datapoints.length === 0 ? question.datapoints.codes : entry?.datapoints,
  );
  if (!current.delete(code)) current.add(code);
  if (current.size === 0) return without(selection, entry);
  return put(selection, entry, {
    question: entry?.question ?? question.code,
    datapoints: question.datapoints.codes.filter((each) => current.has(each)),
    suffixes: entry?.suffixes ?? [],
  });
}

/** Toggles one suffix of a picked question; a question that is not picked stays so. */
export function toggleSuffix(selection: Selection, entry: Picked, suffix: string, order: string[]) {
  const current = new Set(entry.suffixes);
  if (!current.delete(suffix)) current.add(suffix);
  const suffixes = order.filter((each) => current.has(each));
  return put(selection, entry, { ...entry, suffixes });
}

export function without(selection: Selection, entry: Picked | undefined): Selection {
  return entry ? selection.filter((each) => each !== entry) : selection;
}

function put(selection: Selection, old: Picked | undefined, entry: Picked): Selection {
  return old ? selection.map((each) => (each === old ? entry : each)) : [...selection, entry];
}

/** How many datapoints and questions are picked. */
export function totals(selection: Selection, catalogue: Catalogue) {
  let datapoints = 0;
  for (const entry of selection) {
    const all = catalogue.question(entry.question)?.datapoints.codes.length ?? 0;
    datapoints += entry.datapoints.length || all;
  }
  return { questions: selection.length, datapoints };
}
