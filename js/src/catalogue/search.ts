/**
 * Search: every word typed must occur, by the rule of all lists, in an answer or in its question
 * (with the description) and the categories above. A linear scan over folded text: 50,000 labels
 * take a few milliseconds. Where no question matches, typing errors are corrected with the distinct
 * words of the catalogue; else questions with some of the words are found. Python has the same in
 * `client/catalogue/search.py`.
 */
import {
  corrections,
  fitOf,
  folded,
  mayHave,
  narrowed,
  occurs,
  partsOf,
  placesOf,
  queryWords,
  Vocabulary,
  type Word,
} from "../ui/matching";
import type { Catalogue } from "./model";

/** What matched, the best first; questions that have some of the words only come after them. */
export const RANK = {
  code: 0,
  name: 1,
  answer: 2,
  words: 3,
  beginnings: 4,
  text: 5,
  answers: 6,
  parts: 7,
};

/** What matched in one question. */
export interface Match {
  /** By `RANK`. */
  rank: number;
  /** Whether the question itself, with its categories, has all words. */
  whole: boolean;
  /** Positions of the answers that have words which the question lacks. */
  datapoints: number[];
}

export interface SearchResult {
  /** Empty when only facets were selected. */
  words: readonly Word[];
  /** The query that was searched because the typed one matches nothing; empty for none. */
  meant: string;
  /** Whether no question has all words, so that these have some of them. */
  some: boolean;
  /** By position of the question; questions without a match are absent. */
  matches: ReadonlyMap<number, Match>;
  questions: number;
  datapoints: number;
}

/** The folded text of a question, with its codes and name alone. */
export interface QuestionText {
  name: string;
  /** With its namespace, and without. */
  codes: readonly string[];
  own: string;
}

/** The folded text of a catalogue, built once. */
export interface SearchText {
  questions: readonly QuestionText[];
  datapoints: readonly (readonly string[])[];
  /** All of each question and its answers, by which most are ruled out. */
  whole: readonly string[];
  /** Where each answer begins in that text, and the text ends. */
  starts: readonly (readonly number[])[];
  vocabulary(): Vocabulary;
}

/** A separator that cannot be typed, so that no word matches across two fields. */
const GAP = "\n";

export function searchText(catalogue: Catalogue): SearchText {
  const paths = categoryPaths(catalogue);
  return textOf(
    catalogue.questions.map(({ name, canonical, description, categories }) => ({
      name: folded(name),
      codes: [folded(canonical), folded(canonical.slice(canonical.indexOf(".") + 1))],
      own: folded([name, canonical, description, ...categories.map((at) => paths[at])].join(GAP)),
    })),
    catalogue.questions.map(({ datapoints }) =>
      datapoints.names.map((name, at) => folded(name + GAP + datapoints.codes[at])),
    ),
  );
}

/** Folded texts of the questions, and of the answers of each. */
export function textOf(questions: QuestionText[], datapoints: string[][]): SearchText {
  let known: Vocabulary | undefined;
  const vocabulary = () => {
    // Most labels occur in many questions.
    known ??= new Vocabulary([
      ...new Set([...questions.map(({ own }) => own), ...datapoints.flat().map(nameIn)]),
    ]);
    return known;
  };
  const whole = questions.map(({ own }, at) => [own, ...(datapoints[at] ?? []), ""].join(GAP));
  const starts = questions.map(({ own }, at) => {
    let start = own.length + 1;
    const ends = (datapoints[at] ?? []).map((answer) => (start += answer.length + 1));
    return [own.length + 1, ...ends];
  });
  return { questions, datapoints, whole, starts, vocabulary };
}

function nameIn(text: string): string {
  return text.slice(0, text.indexOf(GAP));
}

/** The names from the root to each category. */
function categoryPaths(catalogue: Catalogue): string[] {
  const paths: string[] = [];
  for (const { name, parent } of catalogue.categories) {
    paths.push(parent < 0 ? name : `${paths[parent]}${GAP}${name}`);
  }
  return paths;
}

/**
 * All matches among the allowed questions, by position; null when nothing was typed and all are
 * allowed.
 */
export function search(
  text: SearchText,
  query: string,
  allowed: ReadonlySet<number> | null = null,
): SearchResult | null {
  const typed = queryWords(query);
  if (typed.length === 0 && allowed === null) return null;
  const vocabulary = typed.length > 0 ? text.vocabulary() : undefined;
  const kept = (words: Word[]) => words.map((word) => vocabulary?.kept(word) ?? word);
  const words = kept(typed);
  const exact = scan(text, words, allowed, matchQuestion);
  if (exact.questions > 0 || !vocabulary) return exact;
  for (const meant of corrections(words, vocabulary)) {
    const close = scan(text, kept(queryWords(meant)), allowed, matchQuestion);
    if (close.questions > 0) return { ...close, meant };
  }
  const some = scan(text, words, allowed, matchSome);
  return { ...some, some: some.questions > 0 };
}

type Matching = (text: SearchText, at: number, words: readonly Word[]) => Match | null;

function scan(
  text: SearchText,
  words: readonly Word[],
  allowed: ReadonlySet<number> | null,
  match: Matching,
): SearchResult {
  const matches = new Map<number, Match>();
  let datapoints = 0;
  for (let at = 0; at < text.questions.length; at++) {
    if (allowed && !allowed.has(at)) continue;
    const found = match(text, at, words);
    if (!found) continue;
    matches.set(at, found);
    datapoints += found.datapoints.length;
  }
  return { words, meant: "", some: false, matches, questions: matches.size, datapoints };
}

/** A match of a facet alone, without a query. */
export const UNASKED: Match = { rank: RANK.text, whole: true, datapoints: [] };

function matchQuestion(text: SearchText, at: number, words: readonly Word[]): Match | null {
  if (words.length === 0) return UNASKED;
  const all = text.whole[at] ?? "";
  const question = text.questions[at];
  // The ends of a range may be in two answers.
  const may = words.every((word) => (word.range ? mayHave(all, word.range) : occurs(all, word)));
  if (!may || !question) return null;
  const missing = words.filter((word) => !occurs(question.own, word));
  const whole = missing.length === 0;
  // A question that has every word matches as a whole; answers that repeat a word are listed as
  // well.
  const { found, fit, exact } = answersWith(text, at, whole ? words : missing);
  if (!whole && found.length === 0) return null;
  let rank = whole ? ownRank(question, words) : fit > 1 ? RANK.parts : RANK.answers;
  // Only where all words are those of the answer.
  if (rank >= RANK.text && exact && (whole || missing.length === words.length)) {
    rank = RANK.answer;
  }
  // When all answers match, they add nothing to the question (codes repeat the question's code).
  const isTelling = !whole || found.length < (text.datapoints[at]?.length ?? 0);
  return { rank, whole, datapoints: isTelling ? found : [] };
}

export function phraseOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** Whether a phrase is the whole name of an answer, or its code. */
export function exactly(phrase: string): (answer: string) => boolean {
  const [name, code] = [phrase + GAP, GAP + phrase];
  return (answer) => answer.startsWith(name) || answer.endsWith(code);
}

/**
 * The answers that have all words, how well one of them has them, and whether one is just the
 * words. Beside that one, those that have the words within others do not count: "male" is not a
 * part of "Female".
 */
function answersWith(
  text: SearchText,
  question: number,
  words: readonly Word[],
): { found: number[]; fit: number; exact: boolean } {
  const answers = text.datapoints[question] ?? [];
  const all = text.whole[question] ?? "";
  const starts = text.starts[question] ?? [];
  const parts = words.map(({ range }) => (range ? partsOf(range, answers) : []));
  const wanted = words.map((word) => narrowed(word, all));
  const has = (at: number) =>
    wanted.every((word, i) => occurs(answers[at] ?? "", word) || parts[i]?.includes(at));
  // What one of the words is in, found in the whole text, which is quicker than in each answer.
  const [first] = wanted;
  const possible =
    first && !first.range ? placesWith(all, starts, [first.text, ...first.others]) : answers.keys();
  const { range, isNumber, others = [] } = first ?? {};
  const isPlain = wanted.length === 1 && others.length === 0 && !range && !isNumber;
  let found = isPlain ? [...possible] : [...possible].filter(has);
  const isExact = exactly(phraseOf(words));
  const exact = found.some((at) => isExact(answers[at] ?? ""));
  const isGood = (at: number) =>
    wanted.every((word, i) => parts[i]?.includes(at) || fitOf(answers[at] ?? "", [word]) <= 1);
  if (exact) found = found.filter(isGood);
  return { found, fit: found.length === 0 || found.some(isGood) ? 1 : 2, exact };
}

/** The positions of the answers in which one of some texts is. */
function placesWith(all: string, starts: readonly number[], texts: readonly string[]): number[] {
  const found: number[] = [];
  for (const text of texts) {
    let at = 0;
    let place = all.indexOf(text, starts[0]);
    while (place >= 0) {
      while ((starts[at + 1] ?? 0) <= place) at++;
      found.push(at);
      at++;
      place = all.indexOf(text, starts[at]);
    }
  }
  return texts.length > 1 ? [...new Set(found)].sort((a, b) => a - b) : found;
}

function ownRank({ name, codes, own }: QuestionText, words: readonly Word[]): number {
  const phrase = phraseOf(words);
  if (codes.includes(phrase)) return RANK.code;
  if (name === phrase) return RANK.name;
  const fits = words.map((word) => Math.min(fitOf(name, [word]), codeFit(codes, word.text)));
  const fit = Math.max(...fits);
  if (fit <= 1) return fit === 1 ? RANK.beginnings : RANK.words;
  return fitOf(own, words) <= 1 ? RANK.text : RANK.parts;
}

function codeFit(codes: readonly string[], typed: string): number {
  if (codes.includes(typed)) return 0;
  // The beginning of the whole code is a namespace, which many have.
  return codes.at(-1)?.startsWith(typed) ? 1 : Number.POSITIVE_INFINITY;
}

/** Shorter words are in too many texts to find a question by one of them. */
const LEAST = 3;

/** Letters with which two words begin that have one stem: "zufriedenheit", "zufrieden". */
const STEM = 7;

/** A question whose own text has any of the words or their stems, the most words first. */
function matchSome({ questions }: SearchText, at: number, words: readonly Word[]): Match | null {
  const { own = "" } = questions[at] ?? {};
  const wanted = words.filter(({ text }) => text.length >= LEAST);
  const missing = wanted.filter((word) => {
    const { text } = word;
    const hasStem = text.length >= STEM && /^\p{L}+$/u.test(text);
    // One word of several is too little where it is within another.
    return fitOf(own, [word]) > 1 && !(hasStem && own.includes(text.slice(0, STEM)));
  }).length;
  if (missing >= wanted.length) return null;
  return { rank: RANK.parts + missing, whole: true, datapoints: [] };
}

/** Letters shown before a match, for context. */
const LEAD = 24;

/**
 * The description from shortly before the first word that the label does not contain; empty when
 * the label alone explains the match.
 */
export function excerpt(label: string, description: string, words: readonly Word[]): string {
  const shown = folded(label);
  const text = folded(description);
  const missing = words.filter((word) => !occurs(shown, word));
  const first = Math.min(...missing.flatMap((word) => [...placesOf(text, word)]).map(([at]) => at));
  if (first === Number.POSITIVE_INFINITY) return "";
  if (first <= LEAD) return description;
  const start = description.indexOf(" ", first - LEAD) + 1;
  return `… ${description.slice(start > 0 && start <= first ? start : first)}`;
}
