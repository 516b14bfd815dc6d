/**
 * The rule by which every list is searched. Each typed word must occur somewhere in a text:
 * literally, ignoring case and accents, or as a synonym ("women", "female"), in the singular, or as
 * the same range of numbers ("18-34", "18 to 34"). If no text has all words, `corrections` replaces
 * unknown words by similar ones.
 */

/** Numbers from the first to the last, both included. */
export type Range = readonly [from: number, to: number];

/** One word of a query. */
export interface Word {
  /** As typed, folded; it may be a part of a longer word. */
  text: string;
  /** Synonyms, each matched as a whole word. */
  others: readonly string[];
  range: Range | null;
}

/** Groups of synonyms; a phrase is an answer on a scale. */
const SYNONYMS = [
  "women|woman|female|females|girls|ladies",
  "men|man|male|males|boys",
  "gender|sex",
  "daily|a day|every day|per day|each day",
  "weekly|a week|every week|per week|each week",
  "monthly|a month|every month|per month|each month",
  "yearly|annually|annual|a year|every year|per year",
  "kids|kid|children|child",
  "people|person|adults|adult",
  "mobile|smartphone|cellphone|cell phone|mobile phone",
  "computer|laptop|desktop|pc",
  "tv|television",
  "films|film|movies|movie|cinema",
  "internet|online|web",
  "car|vehicle|automobile",
  "job|occupation|employment",
  "salary|income|earnings|wage",
  "buy|bought|purchase|purchased",
  "shop|store|retailer",
  "holiday|holidays|vacation|vacations",
  "urban|city|town",
  "rural|countryside|village",
  "ads|ad|advertising|advertisement|adverts|commercials",
  "usa|us|united states|america",
  "uk|united kingdom|great britain|britain",
].map((group) => group.split("|"));

/** Text for comparisons: lower case, letters without accents. */
export function folded(text: string): string {
  if (!/[^ -~\n]/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
}

/** The words of a query, each once. A range of numbers is one word, however it is written. */
export function queryWords(query: string): Word[] {
  const typed = folded(query).replace(
    /(?<!\S)(\d{1,9})\s*(?:[-–—]|\bto\b)\s*(\d{1,9})(?!\S)/g,
    (written, from, to) => (Number(from) < Number(to) ? `${from}-${to}` : written),
  );
  return [...new Set(typed.split(/\s+/).filter(Boolean))].map(wordOf);
}

function wordOf(text: string): Word {
  const [, from = "", to] = /^(\d+)(?:-(\d+)|\+)$/.exec(text) ?? [];
  if (from) {
    const endings = to
      ? ["-", "–", "—", " - ", " – ", " to "].map((until) => until + to)
      : [" plus", ...["over", "older", "more"].flatMap((more) => [` and ${more}`, ` or ${more}`])];
    const others = endings.map((ending) => from + ending);
    return { text, others, range: [Number(from), to ? Number(to) : Number.POSITIVE_INFINITY] };
  }
  const others = [...SYNONYMS.filter((group) => group.includes(text)).flat(), ...singular(text)];
  return { text, others: others.filter((other) => other !== text), range: null };
}

/** The singular of a possible plural; it matches whole words only. */
function singular(word: string): string[] {
  if (!/^[a-z]{3,}[^s]s$/.test(word) || word === "news") return [];
  if (word.endsWith("ies")) return [`${word.slice(0, -3)}y`];
  return /(?:ch|sh|x|s)es$/.test(word) ? [word.slice(0, -2)] : [word.slice(0, -1)];
}

/** Where a word occurs in a folded text, or -1. */
export function positionOf(within: string, { text, others }: Word): number {
  const at = within.indexOf(text);
  return at >= 0 ? at : Math.max(-1, ...others.map((other) => wholeAt(within, other)));
}

/** Whether a word occurs in a folded text. */
export function occurs(within: string, { text, others }: Word): boolean {
  return within.includes(text) || others.some((other) => wholeAt(within, other) >= 0);
}

/** Where a text has these letters as a whole word, or -1. */
export function wholeAt(within: string, word: string, from = 0): number {
  for (let at = within.indexOf(word, from); at >= 0; at = within.indexOf(word, at + 1)) {
    if (!isInner(within[at - 1]) && !isInner(within[at + word.length])) return at;
  }
  return -1;
}

function isInner(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
}

/** Whether every one of these words occurs in a text. */
export function matchWords(text: string, words: readonly Word[]): boolean {
  const within = folded(text);
  return words.every((word) => occurs(within, word));
}

/**
 * How well the words of a query match: 0 as whole words, 1 at the beginnings of words, 2 anywhere;
 * infinity for a text that lacks one.
 */
export function fitOf(text: string, words: readonly Word[]): number {
  const within = folded(text);
  const fits = words.map((word) => {
    if ([word.text, ...word.others].some((each) => wholeAt(within, each) >= 0)) return 0;
    let at = within.indexOf(word.text);
    if (at < 0) return Number.POSITIVE_INFINITY;
    while (at >= 0 && isInner(within[at - 1])) at = within.indexOf(word.text, at + 1);
    return at >= 0 ? 1 : 2;
  });
  return Math.max(0, ...fits);
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
  const choices = words.map(({ text }) => {
    if (vocabulary.has(text)) return [text];
    const similar = vocabulary.similar(text);
    return similar[0] === text ? [text] : similar;
  });
  if (choices.some((each) => each.length === 0)) return [];
  const queries = Array.from({ length: TRIES }, (_, at) =>
    choices.map((each) => each[at] ?? each[0]).join(" "),
  );
  const typed = words.map(({ text }) => text).join(" ");
  return [...new Set(queries)].filter((query) => query !== typed);
}

/** The distinct words of folded texts, and their synonyms. */
export class Vocabulary {
  readonly #words: readonly string[];
  /**
   * The letters of each word as a bit set, which excludes most words without computing a distance.
   */
  readonly #letters: Int32Array;
  readonly #joined: string;

  constructor(texts: readonly string[]) {
    const words = new Set(texts.join("\n").match(/\p{L}{3,}/gu));
    this.#joined = [...words].join("\n");
    for (const word of SYNONYMS.flat()) if (!word.includes(" ")) words.add(word);
    this.#words = [...words];
    this.#letters = Int32Array.from(this.#words, lettersOf);
  }

  /**
   * Whether the texts contain a word, or a longer word with it. Numbers and codes are never
   * corrected.
   */
  has(word: string): boolean {
    return !/^\p{L}+$/u.test(word) || this.#joined.includes(word);
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
      if (cost < Number.POSITIVE_INFINITY) found.push({ word, cost });
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
