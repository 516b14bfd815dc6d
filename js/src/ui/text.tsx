/** Words as elements: matched parts marked, always as text and never as markup. */

/** A run of text, matched or not. */
export interface Segment {
  text: string;
  marked: boolean;
}

/** Text as it is compared: letters and their accents joined where they can be, in lower case. */
export function folded(text: string): string {
  return text.normalize("NFC").toLocaleLowerCase();
}

/** The words of a search, folded, each once. */
export function queryWords(query: string): string[] {
  return [...new Set(folded(query).split(/\s+/).filter(Boolean))];
}

/** Whether every one of these words, as `queryWords` returns them, occurs in a text. */
export function matchWords(text: string, words: readonly string[]): boolean {
  const within = folded(text);
  return words.every((word) => within.includes(word));
}

/** The items in whose text every word of the query occurs; all of them without a word. */
export function filterWords<T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
): readonly T[] {
  const words = queryWords(query);
  return words.length ? items.filter((item) => matchWords(textOf(item), words)) : items;
}

/** Cuts a label where any of the words occurs, ignoring case; overlapping hits merge. */
export function markWords(written: string, words: readonly string[]): Segment[] {
  const label = written.normalize("NFC");
  const lower = label.toLocaleLowerCase();
  // Lower-casing changes the length of a few letters (İ); then positions would not fit.
  if (words.length === 0 || lower.length !== label.length) return [{ text: label, marked: false }];
  const hit = new Uint8Array(label.length);
  for (const word of words) {
    if (!word) continue;
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
      hit.fill(1, at, at + word.length);
    }
  }
  const segments: Segment[] = [];
  for (let start = 0; start < label.length; ) {
    let end = start + 1;
    while (end < label.length && hit[end] === hit[start]) end++;
    segments.push({ text: label.slice(start, end), marked: hit[start] === 1 });
    start = end;
  }
  return segments.length ? segments : [{ text: label, marked: false }];
}

export function Marked({ label, words }: { label: string; words: readonly string[] }) {
  const segments = markWords(label, words);
  return (
    <>{segments.map(({ text, marked }, i) => (marked ? <mark key={i}>{text}</mark> : text))}</>
  );
}

const OTHER_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name to stand inside a sentence: one that runs to the left must not turn the rest round. */
export function isolated(name: string): string {
  return OTHER_DIRECTION.test(name) ? `\u2068${name}\u2069` : name;
}
