/**
 * The selection as plain values: one entry for each question, in the order of picking. It has the
 * shape of the `selection` trait; every function returns a new selection.
 */
import type { Picked, PickerTraits } from "../protocol";
import type { Catalogue, QuestionRecord } from "./model";
import type { SearchResult } from "./search";

export type { Picked };
export type PickerMode = PickerTraits["mode"];

export type Selection = readonly Picked[];
export type CheckState = "none" | "some" | "all";

/** The entry of a question, whether its code has a namespace or not. */
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

/** Selects all of a question, or deselects it when all is selected. */
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
  // An entry without datapoints means all of them; removing one lists the others.
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

/** Toggles one suffix of a selected question; does nothing for other questions. */
export function toggleSuffix(
  selection: Selection,
  entry: Picked,
  suffix: string,
  order: readonly string[],
) {
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

/** Moves an entry; both positions are those before the move. */
export function moved(selection: Selection, from: number, to: number): Selection {
  const entry = selection[from];
  const place = Math.min(selection.length - 1, Math.max(0, to));
  if (!entry || place === from) return selection;
  const rest = selection.filter((_, at) => at !== from);
  return [...rest.slice(0, place), entry, ...rest.slice(place)];
}

// -- matches ------------------------------------------------------------------------------------

/** The entries that selecting all matches adds: one for each accessible question that was found. */
export function matchesOf(catalogue: Catalogue, found: SearchResult, mode: PickerMode): Selection {
  const entries: Picked[] = [];
  for (const [at, match] of found.matches) {
    const question = catalogue.questions[at];
    if (!question?.accessible) continue;
    const { codes } = question.datapoints;
    const matched = match.datapoints.map((datapoint) => codes[datapoint] ?? "");
    const datapoints = mode === "question" ? [] : matched.length ? matched : [...codes];
    entries.push({ question: question.code, datapoints, suffixes: [] });
  }
  return entries;
}

/** The number of answers (in "question" mode: questions) in them. */
export function countMatches(catalogue: Catalogue, found: SearchResult, mode: PickerMode): number {
  let many = 0;
  for (const [at, { datapoints }] of found.matches) {
    const question = catalogue.questions[at];
    if (!question?.accessible) continue;
    many += mode === "question" ? 1 : datapoints.length || question.datapoints.codes.length;
  }
  return many;
}

/** The selection with these added. */
export function withAll(selection: Selection, catalogue: Catalogue, more: Selection): Selection {
  const wanted = byQuestion(more, catalogue);
  const joined = selection.map((entry) => {
    const added = wanted.get(catalogue.indexOf(entry.question));
    wanted.delete(catalogue.indexOf(entry.question));
    return added ? { ...entry, datapoints: union(entry, added, catalogue) } : entry;
  });
  return [...joined, ...wanted.values()];
}

/** The selection with these removed. */
export function withoutAll(selection: Selection, catalogue: Catalogue, less: Selection): Selection {
  const unwanted = byQuestion(less, catalogue);
  return selection.flatMap((entry) => {
    const taken = unwanted.get(catalogue.indexOf(entry.question));
    if (!taken) return [entry];
    const gone = new Set(spelledOut(taken, catalogue));
    const datapoints = spelledOut(entry, catalogue).filter((code) => !gone.has(code));
    return datapoints.length ? [{ ...entry, datapoints }] : [];
  });
}

/** Whether all of these are selected. */
export function hasAll(selection: Selection, catalogue: Catalogue, wanted: Selection): boolean {
  const entries = byQuestion(selection, catalogue);
  return wanted.every((each) => {
    const entry = entries.get(catalogue.indexOf(each.question));
    if (!entry) return false;
    const has = new Set(spelledOut(entry, catalogue));
    return spelledOut(each, catalogue).every((code) => has.has(code));
  });
}

function byQuestion(selection: Selection, catalogue: Catalogue): Map<number, Picked> {
  return new Map(selection.map((entry) => [catalogue.indexOf(entry.question), entry]));
}

/** The datapoints of both in catalogue order; a question as a whole lists none. */
function union(entry: Picked, added: Picked, catalogue: Catalogue): string[] {
  if (entry.datapoints.length === 0 || added.datapoints.length === 0) return [];
  const either = new Set([...entry.datapoints, ...added.datapoints]);
  return spelledOut({ ...entry, datapoints: [] }, catalogue).filter((code) => either.has(code));
}

/** Its datapoints; all of them when the entry lists none. */
function spelledOut(entry: Picked, catalogue: Catalogue): readonly string[] {
  if (entry.datapoints.length > 0) return entry.datapoints;
  return catalogue.question(entry.question)?.datapoints.codes ?? [];
}

/** The number of selected datapoints and questions. */
export function totals(selection: Selection, catalogue: Catalogue) {
  let datapoints = 0;
  for (const entry of selection) {
    const all = catalogue.question(entry.question)?.datapoints.codes.length ?? 0;
    datapoints += entry.datapoints.length || all;
  }
  return { questions: selection.length, datapoints };
}
