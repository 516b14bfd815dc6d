/**
 * Pooled elements of the grid that remember what they show, so that painting changes only what
 * differs. Text is always set as text, never as markup.
 */

export interface CellView {
  readonly text: string;
  /** Space-separated modifiers; each becomes a class `is-…`. */
  readonly is?: string;
  readonly title?: string;
  /** A second, quieter line. */
  readonly second?: string;
  /** Marks beside the lines of a text that has several, a line for each. */
  readonly marks?: string;
  /** Significance letters beside the first line. */
  readonly letters?: string;
  /** The length of the bar in percent of the width. */
  readonly bar?: number;
}

type Attribute =
  | "aria-rowindex"
  | "aria-colindex"
  | "aria-colspan"
  | "aria-expanded"
  | "aria-sort"
  | "aria-selected"
  | "aria-label"
  | "data-edge"
  | "data-level";

export class Painted {
  readonly element: HTMLElement;
  /** The grid position that it shows. */
  row = Number.NaN;
  column = Number.NaN;
  readonly #words: Text;
  readonly #secondWords: Text | null = null;
  readonly #attributes = new Map<string, string | null>();
  private shown = { text: "", is: "", title: "", second: "", marks: "", letters: "", bar: 0 };
  #place = Number.NaN;
  #width: number | null = null;
  #hidden = false;
  #focusable = false;

  constructor(
    document: Document,
    role: "gridcell" | "columnheader" | "rowheader",
    private readonly base: string,
    lines: "one" | "clamped" | "two" = "one",
  ) {
    this.element = document.createElement("div");
    this.element.setAttribute("role", role);
    this.element.className = base;
    this.element.tabIndex = -1;
    this.#words = document.createTextNode("");
    if (lines === "one") {
      this.element.append(this.#words);
      return;
    }
    this.element.append(
      line(document, lines === "two" ? "al-grid-line" : "al-grid-clamp", this.#words),
    );
    if (lines === "two") {
      this.#secondWords = document.createTextNode("");
      this.element.append(line(document, "al-grid-line al-quiet", this.#secondWords));
    }
  }

  show(look: CellView): void {
    const { text, is = "", title = "", second = "", marks = "", letters = "", bar = 0 } = look;
    const { shown } = this;
    if (shown.text !== text) this.#words.data = text;
    if (shown.second !== second && this.#secondWords) this.#secondWords.data = second;
    if (shown.is !== is) this.element.className = modified(this.base, is);
    if (shown.title !== title) this.element.title = title;
    if (shown.marks !== marks) this.element.dataset.marks = marks;
    if (shown.letters !== letters) this.element.dataset.letters = letters;
    if (shown.bar !== bar) this.element.style.setProperty("--bar", String(bar));
    this.shown = { text, is, title, second, marks, letters, bar };
  }

  set(name: Attribute, value: string | null): void {
    if (this.#attributes.get(name) === value) return;
    this.#attributes.set(name, value);
    if (value === null) this.element.removeAttribute(name);
    else this.element.setAttribute(name, value);
  }

  /** Positions the cell at an offset in its row; null is the default column width. */
  move(left: number, width: number | null = null): void {
    if (this.#width !== width) {
      this.#width = width;
      this.element.style.width = width === null ? "" : `${width}px`;
    }
    if (this.#place === left) return;
    this.#place = left;
    // Not a transform, which would create a compositing layer for each of hundreds of cells.
    this.element.style.left = `${left}px`;
  }

  hide(hidden: boolean): void {
    if (this.#hidden === hidden) return;
    this.#hidden = hidden;
    this.element.hidden = hidden;
  }

  /** Exactly one cell of a grid is in the page's tab order. */
  rove(focusable: boolean): void {
    if (this.#focusable === focusable) return;
    this.#focusable = focusable;
    this.element.tabIndex = focusable ? 0 : -1;
  }
}

function line(document: Document, className: string, words: Text): HTMLElement {
  const element = document.createElement("span");
  element.className = className;
  element.append(words);
  return element;
}

function modified(base: string, is: string): string {
  return is === "" ? base : `${base} ${is.replace(/(\S+)/g, "is-$1")}`;
}
