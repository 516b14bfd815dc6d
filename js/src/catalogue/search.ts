/**
 * Search: every word typed must occur, as a part of a name or code, in a datapoint or in the
 * question (its description too) and categories above it. A plain scan over lower-cased text:
 * 50,000 labels take a few milliseconds, so there is no index to build or to keep.
 */
import { folded, queryWords } from "../ui/text";
import type { Catalogue } from "./model";

/** What matched in one question. */
export interface Match {
  /** The question itself, with the categories above it, has all words. */
  whole: boolean;
  /** Datapoints that supply words which the question lacks, in catalogue order. */
  datapoints: number[];
}

export interface SearchResult {
  /** None when only facets chose. */
  words: readonly string[];
  /** By position of the question; questions without a match are absent. */
  matches: ReadonlyMap<number, Match>;
  questions: number;
  datapoints: number;
}

/** The lower-cased text of a catalogue, made once. */
export interface SearchText {
  questions: string[];
  datapoints: string[][];
}

/** A separator that nobody types, so that no word matches across two fields. */
const GAP = "\n";

export function searchText(catalogue: Catalogue): SearchText {
  const paths = categoryPaths(catalogue);
  return {
    questions: catalogue.questions.map((question) =>
      folded(
        [
          question.name,
          question.canonical,
          question.description,
          ...question.categories.map((at) => paths[at]),
        ].join(GAP),
      ),
    ),
    datapoints: catalogue.questions.map(({ datapoints }) =>
      datapoints.names.map((name, at) => folded(name + GAP + datapoints.codes[at])),
    ),
  };
}

/** For every category the names from the root down to it. */
function categoryPaths(catalogue: Catalogue): string[] {
  const paths: string[] = [];
  for (const { name, parent } of catalogue.categories) {
    paths.push(parent < 0 ? name : `${paths[parent]}${GAP}${name}`);
  }
  return paths;
}

/**
 * All matches among the questions that are allowed, by position; null when nothing was typed and
 * all are allowed.
 */
export function search(
  text: SearchText,
  query: string,
  allowed: ReadonlySet<number> | null = null,
): SearchResult | null {
  const words = queryWords(query);
  if (words.length === 0 && allowed === null) return null;
  const matches = new Map<number, Match>();
  let datapoints = 0;
  for (let at = 0; at < text.questions.length; at++) {
    if (allowed && !allowed.has(at)) continue;
    const match = matchQuestion(text.questions[at] ?? "", text.datapoints[at] ?? [], words);
    if (!match) continue;
    matches.set(at, match);
    datapoints += match.datapoints.length;
  }
  return { words, matches, questions: matches.size, datapoints };
}

/** A match that no word had a part in. */
export const UNASKED: Match = { whole: true, datapoints: [] };

function matchQuestion(own: string, datapoints: string[], words: string[]): Match | null {
  if (words.length === 0) return UNASKED;
  const missing = words.filter((word) => !own.includes(word));
  const whole = missing.length === 0;
  // A question that has every word is found as a whole; its datapoints need no proof of their
  // own, but those that repeat a word are worth showing.
  const wanted = whole ? words : missing;
  const found: number[] = [];
  for (let at = 0; at < datapoints.length; at++) {
    const label = datapoints[at] ?? "";
    if (wanted.every((word) => label.includes(word))) found.push(at);
  }
  if (!whole && found.length === 0) return null;
  // All of them say nothing more than the question does (codes repeat the question's code).
  const telling = whole && found.length === datapoints.length ? [] : found;
  return { whole, datapoints: telling };
}

/** Letters before a found word that still say where it stands. */
const LEAD = 24;

/**
 * The description from shortly before the first word that the label beside it does not show;
 * empty when the label explains the match alone.
 */
export function excerpt(label: string, description: string, words: readonly string[]): string {
  const shown = folded(label);
  const told = folded(description);
  const places = words.filter((word) => !shown.includes(word)).map((word) => told.indexOf(word));
  const first = Math.min(...places.filter((place) => place >= 0));
  if (first === Number.POSITIVE_INFINITY) return "";
  if (first <= LEAD) return description;
  const start = description.indexOf(" ", first - LEAD) + 1;
  return `… ${description.slice(start > 0 && start <= first ? start : first)}`;
}
