/**
 * Sizes of the grid's parts in CSS pixels, computed from the width of the widget and the content.
 */
import type { Span } from "../../core/windower";
import type { Density } from "../../protocol";
import { LINE, ROW, RULER } from "../../ui/lines";
import { strings } from "../strings";
import type { Margins } from "../table/displaySettings";

/** The width of text in the table's font. */
export type TextWidth = (text: string, isBold?: boolean) => number;

export interface Geometry {
  /** Width of the row headers. */
  readonly name: number;
  /** Widths of the base columns; 0 for a hidden one. */
  readonly size: number;
  readonly sample: number;
  /** Width of the frozen part: names and bases, or only names in a narrow widget. */
  readonly frozen: number;
  /** Width of a column whose name is not loaded, and of all columns in a large table. */
  readonly column: number;
  /** Heights of a line of text, of a row, and of the row of a group. */
  readonly line: number;
  readonly row: number;
  readonly group: number;
  /** Heights of the column headers and of the base row. */
  readonly head: number;
  readonly base: number;
  /**
   * Space right of a value for the low-base mark, left of it for the sign, and above the lines of a
   * row.
   */
  readonly pad: number;
  readonly sign: number;
  readonly inset: number;
}

/** The sizes of a table, with those that depend on a name. */
export interface Sizes {
  readonly geometry: Geometry;
  readonly isCompact: boolean;
  /** The width that the loaded row names need. */
  readonly fittingNames: number;
  columnWidth(name: string): number;
  /** The width of a column with its name on one line, or on several if it is very long. */
  fittingColumn(name: string): number;
  /** Lines of a row's name, at least as many as a cell has. */
  rowLines(name: string, depth: number): number;
  /** A row's name on one line. */
  onOneLine(name: string, depth: number): string;
}

export interface GeometryChoice {
  readonly width: number;
  readonly text: TextWidth;
  /** Heights of a line of text, and of a row of one line. */
  readonly line?: number;
  readonly group?: number;
  /** Loaded names; row names include the label of the base. */
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
  /** The questions named in the corner, over the metrics. */
  readonly asked?: string;
  /** Number of columns, and of group levels over the rows. */
  readonly columns: number;
  readonly depth?: number;
  /** The number of metrics in a cell, and the longest text of values and counts. */
  readonly cellLines?: number;
  readonly values?: readonly string[];
  readonly size?: string;
  readonly sample?: string;
  /** Pixels for letters beside a value. */
  readonly beside?: number;
  /** Width of the row names, if the user set it. */
  readonly name?: number | undefined;
  readonly density?: Density;
  readonly margins?: Margins;
  /** Whether a letter is before the name of each column. */
  readonly isLettered?: boolean;
}

/**
 * Up to this many columns, each is as wide as its content and row names wrap; above, all have the
 * same width.
 */
export const FEW = 128;

// All sizes are those of a font with lines of 16 pixels; with others they grow or shrink.
/** "auto" is compact in a narrower table. */
const SHORT = 800;
/** For each density: the font's scale, and the padding of lines and values. */
const SPACING = {
  comfortable: {
    ...{ scale: 1, share: 0.35, row: 8 },
    wide: { pad: 12, sign: 8, gap: 10, head: 4, margin: 16, name: 300, around: 16 },
  },
  compact: {
    ...{ scale: 0.92, share: 0.25, row: 4 },
    wide: { pad: 10, sign: 2, gap: 10, head: 2, margin: 8, name: 240, around: 12 },
  },
} as const;
const NAME_LEAST = 84;
const NAME_MOST = 480;
/** The largest part of the width that names have of right; it grows with the font up to it. */
const SHARE_MOST = 0.4;
/** The part of their liked width to which names give way to columns. */
const NAME_FEWER = 0.6;
const INDENT = 14;
const COLUMN_MOST = 132;
const MOST_LINES = 3;
const WIDEN = 8;

export function sizesFor({
  width,
  text,
  line = LINE,
  group = ROW,
  rowNames,
  columnNames,
  columns,
  asked = "",
  depth = 0,
  cellLines = 1,
  values = [],
  size: widestSize = "",
  sample: widestSample = "",
  beside = 0,
  name: chosen,
  density = "auto",
  margins = { size: true, sample: true },
  isLettered = false,
}: GeometryChoice): Sizes {
  const grown = (pixels: number) => Math.round((pixels * line) / LINE);
  const isCompact =
    density === "compact" || (density === "auto" && width > 0 && width < grown(SHORT));
  const { scale, share: usual, row, wide: spaces } = SPACING[isCompact ? "compact" : "comfortable"];
  const share = Math.min(SHARE_MOST, (usual * line) / LINE);
  const space = eachOf(spaces, grown);
  const wide: TextWidth = (words, isBold) => scale * text(words, isBold);
  const value = largest(values, (each) => wide(each)) + grown(beside);
  const leastColumn = Math.ceil(
    Math.max(space.sign + space.gap + value, space.head + wide(widestSize)) + space.pad,
  );

  const around = space.head + space.pad;
  const headOf = (name: string) => (isLettered ? strings.letterFirst(name, "W") : name);
  const columnIn = (lines: number, label: string): number => {
    const name = headOf(label);
    const most = Math.max(grown(COLUMN_MOST), leastColumn);
    const word = largest(name.split(/\s+/), (each) => wide(each, true));
    let found = Math.min(most, Math.max(leastColumn, Math.ceil(word + around)));
    while (found < most && linesOf(name, found - around, wide, true) > lines) found += grown(WIDEN);
    return Math.min(found, most);
  };

  const margin = (label: string, widest: string, mark: number) => {
    const word = largest(label.split(" "), (each) => wide(each));
    return Math.ceil(Math.max(word, wide(widest) + mark) + space.margin);
  };
  const size = margins.size ? margin(strings.size, widestSize, 0) : 0;
  const sample = margins.sample ? margin(strings.sampleShort, widestSample, space.pad / 2) : 0;

  const padding = space.around + grown(INDENT) * depth;
  const corner = 0.6 * wide(asked, true) + space.around;
  const wished = Math.max(largest(rowNames, (each) => wide(each)) + padding, corner);
  const least = Math.min(wished, share * width) + size + sample;
  // The fewest lines with which all columns are visible at once, else the most.
  const widthsIn = (lines: number) => columnNames.map((each) => columnIn(lines, each));
  const fits = (own: readonly number[]) => least + own.reduce((a, b) => a + b, 0) <= width;
  const lines = [1, 2].find((few) => columns <= FEW && fits(widthsIn(few))) ?? MOST_LINES;
  const columnWidth = (label: string) => columnIn(lines, label);
  const own = widthsIn(lines);
  const column = largest(own, Number, leastColumn);
  const across =
    columns > FEW ? columns * column : own.reduce((a, b) => a + b, (columns - own.length) * column);

  // Row names get the width that columns leave; longer names wrap.
  const room =
    width > 0 ? Math.max(share * width, width - size - sample - across) : grown(NAME_MOST);
  // Narrower than they like to be where that shows all columns at once.
  const left = width - size - sample - across;
  const liked = left >= NAME_FEWER * space.name ? left : space.name;
  const most = Math.min(room, liked, grown(NAME_MOST));
  const name = chosen ?? Math.ceil(Math.max(grown(NAME_LEAST), Math.min(wished, most)));
  const lead = name + size + sample;
  const isNarrow = width > 0 && width - lead < column;
  // The corner names every metric of a cell; the labels of the bases take two lines.
  const askedLines =
    asked === "" ? 0 : Math.min(3, linesOf(asked, name - space.around, wide, true));
  const labelLines = Math.max(cellLines + askedLines, size > 0 || sample > 0 ? 2 : 1);
  const columnLines = largest(columnNames, (each, i) => {
    const inside = (columns > FEW ? column : (own[i] ?? column)) - around;
    return Math.min(MOST_LINES, linesOf(headOf(each), inside, wide, true));
  });
  const insideAt = (level: number) => name - space.around - grown(INDENT) * level;
  const written = new Map<string, string>();
  return {
    geometry: {
      name,
      size,
      sample,
      frozen: isNarrow ? name : lead,
      column,
      line,
      row: row + line * cellLines,
      group,
      head: 10 + line * Math.max(labelLines, columnLines),
      base: row + 2 * line - 2,
      pad: space.pad,
      sign: space.sign,
      inset: row / 2,
    },
    isCompact,
    fittingNames: Math.ceil(wished),
    columnWidth,
    fittingColumn: (label) => {
      const wanted = Math.ceil(wide(headOf(label), true)) + around;
      return wanted <= 2 * column ? wanted : Math.max(columnWidth(label), 2 * column);
    },
    rowLines: (label, level) => {
      return Math.max(cellLines, Math.min(MOST_LINES, linesOf(label, insideAt(level), wide)));
    },
    onOneLine: (label, level) => {
      const key = `${level} ${label}`;
      const known = written.get(key) ?? shortened(label, insideAt(level), wide);
      written.set(key, known);
      return known;
    },
  };
}

function eachOf<K extends string>(
  sizes: Readonly<Record<K, number>>,
  change: (size: number) => number,
): Record<K, number> {
  const changed = Object.entries<number>(sizes).map(([name, size]) => [name, change(size)]);
  return Object.fromEntries(changed);
}

function largest<T>(items: readonly T[], of: (item: T, at: number) => number, least = 0): number {
  return items.reduce((most, item, at) => Math.max(most, of(item, at)), least);
}

/** Height of a row with this many lines. */
export function rowHeight({ inset, line }: Geometry, lines: number): number {
  return 2 * inset + line * lines;
}

/** Where the first column starts in the canvas. */
export function originOf(geometry: Geometry): number {
  return geometry.name + geometry.size + geometry.sample;
}

/** The scroll distance until the first column reaches the frozen part. */
export function looseWidth(geometry: Geometry): number {
  return originOf(geometry) - geometry.frozen;
}

/** Whole items in a page, with one item of overlap for orientation. */
export function pageLength(viewport: number, item: number): number {
  return Math.max(1, Math.floor(viewport / item) - 1);
}

/** A span with as many items again on either side, within the axis. */
export function withSurroundings({ start, end }: Span, count: number): Span {
  const length = end - start;
  return { start: Math.max(0, start - length), end: Math.min(count, end + length) };
}

/** Lines of a name in this width, broken between words, or on one line. */
export function linesOf(name: string, inside: number, text: TextWidth, isBold = false): number {
  const space = text(" ", isBold);
  let lines = 0;
  let room = -1;
  for (const word of name.split(/\s+/)) {
    const width = text(word, isBold);
    // Measured widths and whole pixels differ by less than one.
    if (width + space <= room + 1) {
      room -= width + space;
      continue;
    }
    const needed = Math.max(1, Math.ceil(width / Math.max(1, inside)));
    lines += needed;
    room = needed * inside - width;
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
