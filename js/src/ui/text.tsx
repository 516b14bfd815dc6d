/** Text as elements: with matches highlighted, always as text and never as markup. */
import { folded, type Word, wholeAt } from "./matching";

/** A part of a text, matched or not. */
export interface Segment {
  text: string;
  marked: boolean;
}

/** Splits a label at occurrences of any word, ignoring case; overlapping matches merge. */
export function markWords(written: string, words: readonly Word[]): Segment[] {
  const label = written.normalize("NFC");
  const compared = folded(label);
  // Folding changes the length of a few letters, which invalidates positions.
  if (words.length === 0 || compared.length !== label.length)
    return [{ text: label, marked: false }];
  const hit = new Uint8Array(label.length);
  for (const { text, others } of words) {
    for (let at = compared.indexOf(text); at >= 0; at = compared.indexOf(text, at + text.length)) {
      hit.fill(1, at, at + text.length);
    }
    for (const other of others) {
      for (let at = wholeAt(compared, other); at >= 0; at = wholeAt(compared, other, at + 1)) {
        hit.fill(1, at, at + other.length);
      }
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

export function Marked({ label, words }: { label: string; words: readonly Word[] }) {
  const segments = markWords(label, words);
  return (
    <>{segments.map(({ text, marked }, i) => (marked ? <mark key={i}>{text}</mark> : text))}</>
  );
}

const OTHER_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name within a sentence, isolated so that right-to-left text does not reorder the rest. */
export function isolated(name: string): string {
  return OTHER_DIRECTION.test(name) ? `\u2068${name}\u2069` : name;
}
