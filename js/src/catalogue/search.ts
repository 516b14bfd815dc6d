/**
 * Search: every word typed must occur, by the rule of all lists, in an answer or in its question
 * (with the description) and the categories above. A linear scan over folded text: 50,000 labels
 * take a few milliseconds. Typing errors are corrected with the distinct words of the catalogue.
 */
import {
  corrections,
  folded,
  occurs,
  positionOf,
  queryWords,
  type Range,
  Vocabulary,
  type Word,
} from "../ui/matching";
import type { Catalogue } from "./model";

/** What matched in one question. */
export interface Match {
  /** Whether the question itself, with its categories, has all words. */
  whole: boolean;
  /** Positions of the answers that have words which the question lacks. */
  datapoints: number[];
}

export interface SearchResult {
  /** null when only facets were selected. */
  words: readonly Word[];
  /** The query that was searched because the typed one matches nothing; empty for none. */
  meant: string;
  /** By position of the question; questions without a match are absent. */
  matches: ReadonlyMap<number, Match>;
  questions: number;
  datapoints: number;
}

/** The folded text of a catalogue, built once. */
export interface SearchText {
  questions: readonly string[];
  datapoints: readonly (readonly string[])[];
  vocabulary(): Vocabulary;
}

/** A separator that cannot be typed, so that no word matches across two fields. */
const GAP = "\n";

export function searchText(catalogue: Catalogue): SearchText {
  const paths = categoryPaths(catalogue);
  return textOf(
    catalogue.questions.map((question) =>
      folded(
        [
          question.name,
          question.canonical,
          question.description,
          ...question.categories.map((at) => paths[at]),
        ].join(GAP),
      ),
    ),
    catalogue.questions.map(({ datapoints }) =>
      datapoints.names.map((name, at) => folded(name + GAP + datapoints.codes[at])),
    ),
  );
}

/** Folded texts of the questions, and of the answers of each. */
export function textOf(questions: string[], datapoints: string[][]): SearchText {
  let known: Vocabulary | undefined;
  const vocabulary = () => {
    // Most labels occur in many questions.
    known ??= new Vocabulary([...new Set([...questions, ...datapoints.flat().map(nameIn)])]);
    return known;
  };
  return { questions, datapoints, vocabulary };
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
 * allowed. A query without matches is corrected, if a correction has matches.
 */
export function search(
  text: SearchText,
  query: string,
  allowed: ReadonlySet<number> | null = null,
): SearchResult | null {
  const words = queryWords(query);
  if (words.length === 0 && allowed === null) return null;
  const exact = scan(text, words, allowed, "");
  if (exact.questions > 0 || words.length === 0) return exact;
  for (const meant of corrections(words, text.vocabulary())) {
    const close = scan(text, queryWords(meant), allowed, meant);
    if (close.questions > 0) return close;
  }
  return exact;
}

function scan(
  text: SearchText,
  words: readonly Word[],
  allowed: ReadonlySet<number> | null,
  meant: string,
): SearchResult {
  const matches = new Map<number, Match>();
  let datapoints = 0;
  for (let at = 0; at < text.questions.length; at++) {
    if (allowed && !allowed.has(at)) continue;
    const match = matchQuestion(text.questions[at] ?? "", text.datapoints[at] ?? [], words);
    if (!match) continue;
    matches.set(at, match);
    datapoints += match.datapoints.length;
  }
  return { words, meant, matches, questions: matches.size, datapoints };
}

/** A match of a facet alone, without a query. */
export const UNASKED: Match = { whole: true, datapoints: [] };

function matchQuestion(
  own: string,
  datapoints: readonly string[],
  words: readonly Word[],
): Match | null {
  if (words.length === 0) return UNASKED;
  const missing = words.filter((word) => !occurs(own, word));
  const whole = missing.length === 0;
  // A question that has every word matches as a whole; answers that repeat a word are listed as
  // well.
  const wanted = whole ? words : missing;
  const parts = wanted.map(({ range }) => (range ? partsOf(range, datapoints) : []));
  const isFound = (label: string, at: number) =>
    wanted.every((word, i) => occurs(label, word) || parts[i]?.includes(at));
  const found: number[] = [];
  for (let at = 0; at < datapoints.length; at++) {
    const label = datapoints[at] ?? "";
    if (isFound(label, at)) found.push(at);
  }
  if (!whole && found.length === 0) return null;
  // When all answers match, they add nothing to the question (codes repeat the question's code).
  const telling = whole && found.length === datapoints.length ? [] : found;
  return { whole, datapoints: telling };
}

/**
 * The answers that together make up a range, such as 18 to 24 and 25 to 34; none where they have a
 * gap, overlap or exceed it.
 */
function partsOf([from, to]: Range, datapoints: readonly string[]): number[] {
  const parts: number[] = [];
  let next = from;
  for (let at = 0; at < datapoints.length && next <= to; at++) {
    const text = datapoints[at] ?? "";
    if (!text.includes(String(next))) continue;
    const [first, last] = rangeIn(nameIn(text)) ?? [];
    if (first !== next || last === undefined || last > to) continue;
    parts.push(at);
    next = last + 1;
  }
  return next === to + 1 ? parts : [];
}

/** The range of an answer, such as "18 to 24", "18", "65 and over"; undefined for other answers. */
function rangeIn(name: string): Range | undefined {
  const [, from, to, open] =
    /^(?:aged? )?(\d+)(?: ?(?:-|–|—|to) ?(\d+)|( ?\+| plus| (?:and|or) (?:over|older|more)))?(?: years.*)?$/.exec(
      name,
    ) ?? [];
  if (from === undefined) return undefined;
  return [Number(from), open ? Number.POSITIVE_INFINITY : Number(to ?? from)];
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
  const places = words.filter((word) => !occurs(shown, word)).map((word) => positionOf(text, word));
  const first = Math.min(...places.filter((place) => place >= 0));
  if (first === Number.POSITIVE_INFINITY) return "";
  if (first <= LEAD) return description;
  const start = description.indexOf(" ", first - LEAD) + 1;
  return `… ${description.slice(start > 0 && start <= first ? start : first)}`;
}
