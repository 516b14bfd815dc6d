/**
 * The rule by which every list is searched, the same as in Python (`client/catalogue/matching.py`).
 * Each typed word must occur somewhere in a text: literally, ignoring case and accents; as a
 * synonym, also of another language ("women", "Frauen"); in the singular; or as the same range of
 * numbers ("18-34", "18 to 34"). If no text has all words, `corrections` replaces unknown words by
 * similar ones.
 */
import type { SearchWords } from "../protocol";
import { PLAIN_LETTERS } from "../protocol/constants";

/** Numbers from the first to the last, both included. */
export type Range = readonly [from: number, to: number];

/** One word of a query. */
export interface Word {
  /** As typed, folded; it may be a part of a longer word, but a number begins where one begins. */
  text: string;
  /** Synonyms, matched as whole words, unless they are long. */
  others: readonly string[];
  range: Range | null;
  isNumber: boolean;
}

/**
 * Words with one meaning by group and language, which come with the catalogue; a word after "="
 * counts in its own language only.
 */
let GROUPS: readonly (readonly (readonly string[])[])[] = [];

/** Ranges without words of languages, until these are known. */
let RANGES =
  /()(?<![0-9a-z_.,])([0-9]{1,9})(?![0-9])(?: *(?:[-–—~]|to) *([0-9]{1,9})(?![0-9])| *(\+))?/g;

/** Takes the words that Python has; they are the same for all widgets of a page. */
export function learnWords({ synonyms, ranges }: SearchWords): void {
  GROUPS = synonyms.map((group) => group.split(";").map((language) => language.split("|")));
  RANGES = new RegExp(ranges, "g");
}

/** Letters of synonyms that count within longer words as well. */
const LOOSE = 7;

/** The first of the letters of languages without blanks between words. */
const WITHOUT_BLANKS = "\u2e80";

/** Text for comparisons: lower case, letters without accents, signs of full width plain. */
export function folded(text: string): string {
  if (!/[^ -~\n]/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(NOT_PLAIN, (letter) => PLAIN[letter] ?? "");
}

const PLAIN: Readonly<Record<string, string>> = PLAIN_LETTERS;
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** The words of a query, each once. A range of numbers is one word, however it is written. */
export function queryWords(query: string): Word[] {
  let typed = folded(query);
  for (const { range, isSingle, start, end } of rangesIn(typed).reverse()) {
    if (isSingle || range[0] >= range[1]) continue;
    const last = range[1] === Number.POSITIVE_INFINITY ? "+" : `-${range[1]}`;
    typed = `${typed.slice(0, start)} ${range[0]}${last} ${typed.slice(end)}`;
  }
  const plain = typed.split(/\s+/).map((each) => each.replace(AROUND, ""));
  return [...new Set(plain.filter(Boolean))].map(wordOf);
}

/** Signs around a word, which say nothing. */
const AROUND = /^[.,;:!?()[\]"'“”„«»]+|[.,;:!?()[\]"'“”„«»]+$/g;

/** A range, or a single number, in a folded text. */
export interface Written {
  range: Range;
  isSingle: boolean;
  start: number;
  end: number;
}

/** The ranges and numbers of a folded text, in order. */
export function rangesIn(text: string): Written[] {
  const ranges: Written[] = [];
  RANGES.lastIndex = 0;
  for (let found = RANGES.exec(text); found; found = RANGES.exec(text)) {
    const [whole, over, first = "", last, plus] = found;
    const isOpen = last === undefined && Boolean(over || plus);
    const to = isOpen ? Number.POSITIVE_INFINITY : numberOf(last ?? first);
    const start = found.index;
    const isSingle = last === undefined && !isOpen;
    ranges.push({ range: [numberOf(first), to], isSingle, start, end: start + whole.length });
  }
  return ranges;
}

function numberOf(text: string): number {
  return Number(text.replace(/[.,']/g, ""));
}

function wordOf(text: string): Word {
  const [, from, to] = /^([0-9]+)(?:-([0-9]+)|\+)$/.exec(text) ?? [];
  if (from) {
    const range: Range = [Number(from), to ? Number(to) : Number.POSITIVE_INFINITY];
    return { text, others: [], range, isNumber: false };
  }
  const others = new Set([...synonymsOf(text), ...numbersOf(text)]);
  others.delete(text);
  return { text, others: [...others], range: null, isNumber: /^[0-9]+$/.test(text) };
}

function* synonymsOf(word: string): Iterable<string> {
  for (const group of GROUPS) {
    const own = group.filter((words) => words.includes(word) || words.includes(`=${word}`));
    for (const words of own.length > 0 ? group : []) {
      for (const each of words) {
        if (!each.startsWith("=")) yield each;
        else if (own.includes(words)) yield each.slice(1);
      }
    }
  }
}

/** Endings of plurals, what is there in the singular, and letters of the shortest such word. */
const ENDINGS = [
  ["ies", "y", 4],
  ["es", "", 5],
  ["s", "", 4],
  ["en", "", 6],
  ["n", "", 5],
] as const;

/** The singular of a possible plural, and the plural in "ies"; they match whole words only. */
function* numbersOf(word: string): Iterable<string> {
  if (!/^[a-z]{3,}$/.test(word) || word === "news") return;
  if (word.endsWith("y")) yield `${word.slice(0, -1)}ies`;
  if (word.endsWith("ss")) return;
  for (const [ending, instead, least] of ENDINGS) {
    if (word.endsWith(ending) && word.length >= least)
      yield word.slice(0, -ending.length) + instead;
  }
}

/** Where a folded text has a word, in any of its forms: the first place and its end, and so on. */
export function* placesOf(
  within: string,
  { text, others, range }: Word,
): Iterable<[number, number]> {
  for (let at = within.indexOf(text); at >= 0; at = within.indexOf(text, at + text.length)) {
    yield [at, at + text.length];
  }
  for (const other of others) {
    const next = (from: number) =>
      isLoose(other) ? within.indexOf(other, from) : wholeAt(within, other, from);
    for (let at = next(0); at >= 0; at = next(at + 1)) yield [at, at + other.length];
  }
  if (!range) return;
  for (const each of rangesIn(within)) if (isRange(each, range)) yield [each.start, each.end];
}

/** The word with those of its synonyms that occur in a text at all, to look for it in its parts. */
export function narrowed(word: Word, within: string): Word {
  if (word.others.length === 0) return word;
  return { ...word, others: word.others.filter((other) => within.includes(other)) };
}

/** Whether a word occurs in a folded text. */
export function occurs(within: string, { text, others, range, isNumber }: Word): boolean {
  if (within.includes(text) && (!isNumber || begins(within, text, "_"))) return true;
  for (const other of others) if (has(within, other)) return true;
  return range !== null && hasRange(within, range);
}

function has(within: string, other: string): boolean {
  return isLoose(other) ? within.includes(other) : wholeAt(within, other) >= 0;
}

/** Whether a synonym counts within longer words as well: "einkommen" in German compounds. */
function isLoose(word: string): boolean {
  return word >= WITHOUT_BLANKS || (word.length >= LOOSE && !word.includes(" "));
}

/** Whether a word begins with these letters. */
function begins(within: string, text: string, alsoInner?: string): boolean {
  let at = within.indexOf(text);
  while (at > 0 && (isInner(within[at - 1]) || within[at - 1] === alsoInner)) {
    at = within.indexOf(text, at + 1);
  }
  return at >= 0;
}

function hasRange(within: string, range: Range): boolean {
  return mayHave(within, range) && rangesIn(within).some((each) => isRange(each, range));
}

/** Whether a text has what a range is written with, which is quicker to see than to read it. */
export function mayHave(within: string, [from, to]: Range): boolean {
  return hasNumber(within, from) && (to === Number.POSITIVE_INFINITY || hasNumber(within, to));
}

function hasNumber(within: string, number: number): boolean {
  // Where there may be a sign between its digits, the first is enough.
  if (number >= 1_000) return within.includes(String(number).slice(0, 1));
  const digits = String(number);
  let at = within.indexOf(digits);
  while (at >= 0 && (isDigit(within[at - 1]) || isDigit(within[at + digits.length]))) {
    at = within.indexOf(digits, at + 1);
  }
  return at >= 0;
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= "0" && letter <= "9";
}

function isRange({ range, isSingle }: Written, [from, to]: Range): boolean {
  return !isSingle && range[0] === from && range[1] === to;
}

/**
 * The positions of answers that make up a range, such as "18 to 24" and "25 to 34"; none where
 * these have a gap, overlap or exceed it. A text has a name in its first line.
 */
export function partsOf([from, to]: Range, texts: readonly string[]): number[] {
  const parts: number[] = [];
  let next = from;
  for (let at = 0; at < texts.length && next <= to; at++) {
    const text = texts[at] ?? "";
    if (!hasNumber(text, next)) continue;
    const [name = ""] = text.split("\n", 1);
    const [each] = rangesIn(name);
    // "Brand 18" is not a number of years.
    if (!each || (each.isSingle && (each.start > 0 || each.end < name.length))) continue;
    if (each.range[0] !== next || each.range[1] > to) continue;
    parts.push(at);
    next = each.range[1] + 1;
  }
  return next === to + 1 ? parts : [];
}

/** Where a text has these letters as a whole word, or -1. */
export function wholeAt(within: string, word: string, from = 0): number {
  for (let at = within.indexOf(word, from); at >= 0; at = within.indexOf(word, at + 1)) {
    if (!isInner(within[at - 1]) && !isInner(within[at + word.length])) return at;
  }
  return -1;
}

/** Whether a letter beside a word belongs to it; not in languages without blanks. */
function isInner(letter: string | undefined): boolean {
  if (letter === undefined || letter >= WITHOUT_BLANKS) return false;
  // Most letters, without a regular expression.
  if (letter >= "a" && letter <= "z") return true;
  return /[\p{L}\p{N}]/u.test(letter);
}

/** Whether every one of these words occurs in a text. */
export function matchWords(text: string, words: readonly Word[]): boolean {
  const within = folded(text);
  return words.every((word) => occurs(within, word));
}

/**
 * How well words match a folded text: 0 as whole words, 1 at the beginnings of words, 2 anywhere;
 * infinity for a text that lacks one.
 */
export function fitOf(within: string, words: readonly Word[]): number {
  let fit = 0;
  for (const word of words) fit = Math.max(fit, fitOfWord(within, word));
  return fit;
}

function fitOfWord(within: string, { text, others, range }: Word): number {
  if (wholeAt(within, text) >= 0 || others.some((each) => has(within, each))) return 0;
  if (range && hasRange(within, range)) return 0;
  if (!within.includes(text)) return Number.POSITIVE_INFINITY;
  return begins(within, text) ? 1 : 2;
}

/** The result of a search in a list. */
export interface Filtered<T> {
  items: readonly T[];
  words: readonly Word[];
  /** The query that was searched instead of one without matches; empty for none. */
  meant: string;
}

/** The items that match a query; if none does, those that match a correction of it. */
export function filterItems<T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
): Filtered<T> {
  const words = queryWords(query);
  const matching = (wanted: readonly Word[]) =>
    wanted.length ? items.filter((item) => matchWords(textOf(item), wanted)) : items;
  const exact = matching(words);
  if (exact.length === 0) {
    for (const meant of corrections(
      words,
      new Vocabulary(items.map((item) => folded(textOf(item)))),
    )) {
      const close = matching(queryWords(meant));
      if (close.length > 0) return { items: close, words: queryWords(meant), meant };
    }
  }
  return { items: exact, words, meant: "" };
}

// -- typing errors ------------------------------------------------------------------------------

/** Most corrections of one query. */
const TRIES = 2;

/** Queries in which unknown words are replaced by similar ones, the most similar first. */
export function corrections(words: readonly Word[], vocabulary: Vocabulary): string[] {
  const choices = words.map((word) =>
    vocabulary.has(word) ? [word.text] : vocabulary.similar(word.text),
  );
  if (choices.some((each) => each.length === 0)) return [];
  const queries = Array.from({ length: TRIES }, (_, at) =>
    choices.map((each) => each[at] ?? each[0]).join(" "),
  );
  const typed = words.map(({ text }) => text).join(" ");
  return [...new Set(queries)].filter((query) => query !== typed);
}

/** The distinct words of folded texts, and the synonyms by which one of them is found. */
export class Vocabulary {
  readonly #own: ReadonlySet<string>;
  readonly #joined: string;
  readonly #words: readonly string[];
  /**
   * The letters of each word as a bit set, which excludes most words without computing a distance.
   */
  readonly #letters: Int32Array;

  constructor(texts: readonly string[]) {
    this.#own = new Set(texts.join("\n").match(/\p{L}+/gu));
    this.#joined = [...this.#own].join("\n");
    const words = new Set(this.#own);
    for (const group of GROUPS) {
      const phrases = group.flat().map((each) => each.replace("=", ""));
      if (!phrases.some((each) => this.#mayHave(each))) continue;
      for (const each of phrases) if (!each.includes(" ")) words.add(each);
    }
    this.#words = [...words].filter((each) => each.length >= 3);
    this.#letters = Int32Array.from(this.#words, lettersOf);
  }

  /** The word with those of its synonyms that may be in the texts, which saves time. */
  kept(word: Word): Word {
    return { ...word, others: word.others.filter((each) => this.#mayHave(each)) };
  }

  /** Whether a word needs no correction. Numbers and codes are never corrected. */
  has({ text, others }: Word): boolean {
    if (!/^\p{L}+$/u.test(text) || this.#joined.includes(text)) return true;
    return others.some((each) => this.#mayHave(each));
  }

  #mayHave(phrase: string): boolean {
    if (isLoose(phrase)) return this.#joined.includes(phrase);
    return (phrase.match(/\p{L}+/gu) ?? []).every((part) => this.#own.has(part));
  }

  /** Words similar to a mistyped one, the most similar first. */
  similar(typed: string): string[] {
    const most = typed.length < 4 ? 0 : typed.length < 7 ? 1 : 2;
    const bits = Array.from(typed, lettersOf);
    const found: { word: string; cost: number }[] = [];
    for (let at = 0; most > 0 && at < this.#words.length; at++) {
      const word = this.#words[at] ?? "";
      const letters = this.#letters[at] ?? 0;
      if (word.length < typed.length - most) continue;
      // Each error adds at most one letter that the word lacks.
      let strange = 0;
      for (const bit of bits) if ((letters & bit) === 0) strange++;
      if (strange > most) continue;
      const cost = costOf(typed, word, most);
      // A word of the texts is more likely than a synonym of one.
      if (cost < Number.POSITIVE_INFINITY)
        found.push({ word, cost: cost + (this.#own.has(word) ? 0 : 1.5) });
    }
    return found.sort((one, other) => one.cost - other.cost).map(({ word }) => word);
  }
}

/** The letters of a word as a bit set. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/**
 * The number of typing errors between the typed text and a word: letters omitted, added, replaced,
 * or swapped with their neighbour (optimal string alignment). A prefix of a longer word costs
 * slightly more than a complete word; more than `most` errors cost infinity.
 */
function costOf(typed: string, word: string, most: number): number {
  const width = Math.min(word.length, typed.length + most);
  let before: number[] = [];
  let row: number[] = [];
  for (let j = 0; j <= width; j++) row.push(j);
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= width; j++) {
      const isSame = typed.charCodeAt(i - 1) === word.charCodeAt(j - 1);
      const kept = (row[j - 1] ?? 0) + (isSame ? 0 : 1);
      let errors = Math.min(kept, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      const isSwapped =
        i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1];
      if (isSwapped) errors = Math.min(errors, (before[j - 2] ?? 0) + 1);
      next.push(errors);
      least = Math.min(least, errors);
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    before = row;
    row = next;
  }
  const ended = word.length === width ? (row[width] ?? 0) : Number.POSITIVE_INFINITY;
  const cost = Math.min(ended, Math.min(...row) + 0.5);
  if (cost > most + 0.5) return Number.POSITIVE_INFINITY;
  // With equally many errors, words of the same length and first letter are most likely.
  return cost + Math.abs(word.length - typed.length) * 0.01 + (word[0] === typed[0] ? 0 : 0.1);
}
