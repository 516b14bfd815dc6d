/** Text as elements: with matches highlighted, always as text and never as markup. */
import { folded, placesOf, type Word } from "./matching";

/** A part of a text, matched or not. */
export interface Segment {
  text: string;
  marked: boolean;
}

/** Splits a label at occurrences of any word, ignoring case; overlapping matches merge. */
export function markWords(written: string, words: readonly Word[]): Segment[] {
  const label = written.normalize("NFC");
  if (words.length === 0) return [{ text: label, marked: false }];
  const { text: compared, places } = foldedWithPlaces(label);
  const hit = new Uint8Array(label.length);
  for (const word of words) {
    for (const [start, end] of placesOf(compared, word)) {
      const from = places ? (places[start] ?? 0) : start;
      hit.fill(1, from, places ? (places[end] ?? label.length) : end);
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

/**
 * The folded label, and where its letters are in the label, where folding changes their number as
 * that of "ß".
 */
function foldedWithPlaces(label: string): { text: string; places?: number[] } {
  const text = folded(label);
  if (text.length === label.length) return { text };
  const places: number[] = [];
  let letters = "";
  let at = 0;
  for (const letter of label) {
    const plain = folded(letter);
    for (let i = 0; i < plain.length; i++) places.push(at);
    letters += plain;
    at += letter.length;
  }
  return { text: letters, places };
}

export function Marked({ label, words }: { label: string; words: readonly Word[] }) {
  const segments = markWords(label, words);
  return (
    <>{segments.map(({ text, marked }, i) => (marked ? <mark key={i}>{text}</mark> : text))}</>
  );
}

const LONG = 28;
const END = 16;

/**
 * A name on one line. Where a long one does not fit, letters before its last words are left out:
 * names that begin alike differ there.
 */
export function MarkedEnds({ label, words }: { label: string; words: readonly Word[] }) {
  if (label.length <= LONG) return <Marked label={label} words={words} />;
  const space = label.indexOf(" ", label.length - END);
  const at = space > 0 ? space : label.length;
  return (
    <>
      <span class="al-clip">
        <Marked label={label.slice(0, at)} words={words} />
      </span>
      <span class="al-ends">
        <Marked label={label.slice(at)} words={words} />
      </span>
    </>
  );
}

/** The first words of a long text, for a name that is read out or a tooltip. */
export function firstWords(text: string, most = 80): string {
  if (text.length <= most) return text;
  const item = text.lastIndexOf(", ", most);
  const end = item > most / 2 ? item : text.lastIndexOf(" ", most);
  return `${text.slice(0, end > 0 ? end : most).replace(/[,;:]$/, "")} …`;
}

const OTHER_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name within a sentence, isolated so that right-to-left text does not reorder the rest. */
export function isolated(name: string): string {
  return OTHER_DIRECTION.test(name) ? `\u2068${name}\u2069` : name;
}
