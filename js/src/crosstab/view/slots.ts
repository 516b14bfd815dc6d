/** Pooled elements of the table: rows and cells that are reused while scrolling. */
import { FormSwitch } from "./formSwitch";
import { Painted } from "./painted";

/** A row of items, headers or bases. */
export interface RowSlot {
  readonly element: HTMLElement;
  readonly head: Painted;
  readonly size: Painted;
  readonly sample: Painted;
  readonly cells: Painted[];
  index: number;
  /** Offset in the canvas, in pixels. */
  top: number;
  /** Larger where a name wraps. */
  height: number;
}

/** A row on the screen, as an item's or a group's row; each is created when it is first needed. */
export interface BodySlot {
  line: RowSlot | null;
  head: HeadRow | null;
}

/** The row of a group of rows, or of one level of groups over the columns. */
export interface HeadRow {
  /** Of a group of rows. */
  readonly forms?: FormSwitch;
  readonly element: HTMLElement;
  readonly cells: Painted[];
  index: number;
  top: number;
  height: number;
}

const UNPLACED = { index: Number.NaN, top: Number.NaN, height: Number.NaN };

export function frozen({ head, size, sample }: RowSlot): readonly Painted[] {
  return [head, size, sample];
}

export class Slots {
  /** What is painted in each element. */
  readonly owners = new WeakMap<Element, Painted>();

  constructor(private readonly document: Document) {}

  header(): RowSlot {
    return this.#row("al-grid-row al-grid-header", "columnheader", "clamped");
  }

  base(): RowSlot {
    return this.#row("al-grid-row al-grid-base", "gridcell", "two");
  }

  line(): RowSlot {
    return this.#row("al-grid-row al-grid-line-row", "gridcell", "one");
  }

  /** A group's own row. */
  section(): HeadRow {
    const element = this.make("al-grid-row al-grid-line-row al-grid-section", "row");
    const cell = this.#cell("rowheader", "al-grid-frozen al-grid-section-name");
    const forms = new FormSwitch(this.document);
    cell.element.append(forms.element, forms.shared);
    element.append(cell.element);
    return { element, cells: [cell], forms, ...UNPLACED };
  }

  /** Groups of one level over the columns. */
  band(): HeadRow {
    const element = this.make("al-grid-row al-grid-band", "row");
    element.append(this.make("al-grid-lead", "presentation"));
    return { element, cells: [], ...UNPLACED };
  }

  bandCell(): Painted {
    return this.#cell("columnheader", "al-grid-cell al-grid-head", "clamped");
  }

  headerCell(): Painted {
    return this.#cell("columnheader", "al-grid-cell al-grid-column", "clamped");
  }

  baseCell(): Painted {
    return this.#cell("gridcell", "al-grid-cell", "two");
  }

  bodyCell(): Painted {
    return this.#cell("gridcell", "al-grid-cell");
  }

  make(className: string, role: string): HTMLElement {
    const element = this.document.createElement("div");
    element.className = className;
    element.setAttribute("role", role);
    return element;
  }

  #row(
    className: string,
    role: "columnheader" | "gridcell",
    lines: "one" | "clamped" | "two",
  ): RowSlot {
    const element = this.make(className, "row");
    const name = role === "columnheader" ? "columnheader" : "rowheader";
    const head = this.#cell(name, "al-grid-frozen al-grid-name", lines);
    const size = this.#cell(role, "al-grid-frozen al-grid-margin al-grid-size");
    const sample = this.#cell(role, "al-grid-frozen al-grid-margin al-grid-sample");
    // One sticky box instead of three, because each costs time while scrolling.
    const lead = this.make("al-grid-lead", "presentation");
    lead.append(head.element, size.element, sample.element);
    element.append(lead);
    return { element, head, size, sample, cells: [], ...UNPLACED };
  }

  #cell(
    role: "gridcell" | "columnheader" | "rowheader",
    className: string,
    lines: "one" | "clamped" | "two" = "one",
  ): Painted {
    const cell = new Painted(this.document, role, className, lines);
    this.owners.set(cell.element, cell);
    return cell;
  }
}
