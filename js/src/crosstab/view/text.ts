/** Widths and lines of text in the table's font. */
import { LINE, ROW, RULER } from "../../ui/lines";

/** The width of text in the table's font. */
export type TextWidth = (text: string, isBold?: boolean) => number;

/** A break within a word, which shows a hyphen only where it is used. */
const SOFT_HYPHEN = "\u00ad";
const VOWEL = "[aeiouyäöüáéíóúàèêåæø]";
const ONSET = "(?:sch|ch|ck|ph|th|qu|[b-df-hj-np-tv-xzßçñ])";
/** After a vowel, before the last consonant of those that follow, as in Haus-halts-ein-kom-men. */
const SYLLABLE = new RegExp(
  `(?<=${VOWEL}\\p{L}*?)(?<!s(?=ch)|sc(?=h)|c(?=[hk])|[pt](?=h)|q(?=u))(?=${ONSET}${VOWEL}\\p{L})`,
  "giu",
);

/** Parts of a word between which it may break: of two letters at least. */
function syllables(word: string): string[] {
  const parts: string[] = [];
  for (const part of word.split(/(?<=[-/])/).flatMap((piece) => piece.split(SYLLABLE))) {
    const last = parts.at(-1);
    if (last !== undefined && (last.length < 2 || part.length < 2)) parts.push(parts.pop() + part);
    else parts.push(part);
  }
  return parts;
}

/** A name whose words may break where they are wider than a line. */
export function hyphenated(name: string, inside: number, text: TextWidth, isBold = false): string {
  return name
    .split(/(\s+)/)
    .map((word) => {
      if (text(word, isBold) <= inside + 1) return word;
      return syllables(word).reduce((whole, part) =>
        /[-/]$/.test(whole) ? whole + part : whole + SOFT_HYPHEN + part,
      );
    })
    .join("");
}

/** A name after its letter, which has its own line where both take one more than the name. */
export function letterApart(both: string, inside: number, text: TextWidth): string {
  const name = both.replace(/^[A-Z]+ · /, "");
  const isApart = linesOf(both, inside, text, true) > linesOf(name, inside, text, true);
  return isApart ? both.replace(" · ", "\n") : both;
}

/** Lines of a name in this width, as a browser breaks what `hyphenated` gives. */
export function linesOf(name: string, inside: number, text: TextWidth, isBold = false): number {
  const space = text(" ", isBold);
  const hyphen = text("-", isBold);
  let lines = 0;
  let room = -1;
  const put = (width: number, before: number) => {
    // Measured widths and whole pixels differ by less than one.
    if (width + before <= room + 1) {
      room -= width + before;
      return;
    }
    const needed = Math.max(1, Math.ceil(width / Math.max(1, inside)));
    lines += needed;
    room = needed * inside - width;
  };
  for (const word of name.split(/\s+/)) {
    const width = text(word, isBold);
    if (width <= inside + 1) {
      put(width, space);
      continue;
    }
    syllables(word).forEach((part, at, parts) => {
      const isLast = at === parts.length - 1;
      put(text(part, isBold) + (isLast ? 0 : hyphen), at === 0 ? space : -hyphen);
    });
  }
  return lines;
}

/** Letters of significance on several lines, between letters or, of two each, between columns. */
export function brokenLetters(letters: string, inside: number, text: TextWidth): string[] {
  const apart = letters.includes(" ") ? " " : "";
  const lines: string[] = [];
  for (const letter of letters.split(apart)) {
    const last = lines.at(-1);
    const longer = last === undefined ? letter : last + apart + letter;
    if (last !== undefined && text(longer, true) <= inside) lines[lines.length - 1] = longer;
    else lines.push(letter);
  }
  return lines;
}

/** A name that is too long without a part of its middle, since many names begin alike. */
export function shortened(name: string, inside: number, text: TextWidth): string {
  if (text(name) <= inside + 1) return name;
  const letters = [...name];
  const without = (kept: number) => {
    const end = Math.floor(0.4 * kept);
    const last = letters.slice(letters.length - end).join("");
    return `${letters
      .slice(0, kept - end)
      .join("")
      .trimEnd()}…${last.trimStart()}`;
  };
  let [least, most] = [1, letters.length - 1];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (text(without(middle)) <= inside) least = middle;
    else most = middle - 1;
  }
  return without(least);
}

const LETTER = 6.8;
const BOLD_LETTER = 7.4;

/**
 * Measures lines and text in the font of a ruler; without a canvas, estimates the width of a text
 * from the number of letters.
 */
export class TextMeasure {
  readonly ruler: HTMLElement;
  /** Heights of a line, and of a row of one line. */
  line = LINE;
  group = ROW;
  private readonly context: CanvasRenderingContext2D | null;
  readonly #known = new Map<string, number>();
  #font = "";
  #seen = "";

  constructor(document: Document) {
    this.ruler = document.createElement("span");
    this.ruler.className = RULER;
    this.ruler.setAttribute("aria-hidden", "true");
    this.context = document.createElement("canvas").getContext?.("2d") ?? null;
  }

  /** Whether the font is another one than before; an element outside of the page has none. */
  readFont(): boolean {
    const { fontSize, fontFamily, lineHeight } = getComputedStyle(this.ruler);
    const { offsetWidth, offsetHeight } = this.ruler;
    // The width changes where a font of the same name arrives.
    const seen = [fontSize, fontFamily, lineHeight, offsetWidth, offsetHeight].join();
    if (seen === this.#seen || (offsetHeight === 0 && this.#seen !== "")) return false;
    this.#seen = seen;
    this.#font = `${fontSize} ${fontFamily}`;
    this.line = Number.parseFloat(lineHeight) || LINE;
    this.group = offsetHeight || ROW;
    this.#known.clear();
    return true;
  }

  readonly width: TextWidth = (text, isBold = false) => {
    const { context } = this;
    if (!context) return text.length * (isBold ? BOLD_LETTER : LETTER);
    const key = `${isBold ? 600 : 400} ${text}`;
    let width = this.#known.get(key);
    if (width === undefined) {
      context.font = `${isBold ? 600 : 400} ${this.#font}`;
      width = context.measureText(text).width;
      this.#known.set(key, width);
    }
    return width;
  };
}
