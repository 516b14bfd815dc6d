/** Sizes of the grid's parts in CSS pixels, chosen from the room there is and from the names. */
import type { Span } from "../../core/windower";
import type { Density, Margins } from "./displaySettings";

export interface Geometry {
  /** Width of the row headers. */
  readonly name: number;
  /** Widths of the columns beside the names; 0 for one that is hidden. */
  readonly size: number;
  readonly sample: number;
  /** Width of what stays in sight: names and figures, or names alone where there is no room. */
  readonly frozen: number;
  readonly column: number;
  readonly row: number;
  /** Heights of the column headers and of the base row. */
  readonly head: number;
  readonly base: number;
}

export interface GeometryChoice {
  readonly width: number;
  /** Letters in the longest row name that is here. */
  readonly longestRow: number;
  /** Letters in the longest word of a column name that is here, and lines they all need. */
  readonly longestWord: number;
  readonly columnLines: number;
  /** Figures that a cell stacks, and pixels that the widest of them and of the sizes need. */
  readonly cellLines?: number;
  readonly figureWidth?: number;
  readonly sizeWidth?: number;
  /** Width of the row names, if it was set by hand. */
  readonly name?: number | undefined;
  readonly density?: Density;
  readonly margins?: Margins;
}

/** Height of the row of a head, and of a head over the columns. */
export const SECTION = 24;
export const BAND = 24;

/** Above and below the lines of a row, together. */
const ROW_PADDING: Readonly<Record<Density, number>> = { comfortable: 8, compact: 4 };

const LETTER = 6.8;
const PADDING = 28;
const NAME_LEAST = 120;
const NAME_MOST = 300;
/** Room for a sample of millions, with the mark of a low base beside it. */
const MARGIN = 84;
const MARGIN_PADDING = 16;
/** The sign of the heat before a figure, the mark of a low base after it. */
const FIGURE_PADDING = 44;
const BASE_PADDING = 26;
/** A column is as wide as its names' longest word, within reason; the rest goes to more lines. */
const BOLD_LETTER = 7.4;
const COLUMN_PADDING = 30;
const COLUMN_LEAST = 92;
const COLUMN_MOST = 132;
const MOST_LINES = 3;

export function geometryFor({
  width,
  longestRow,
  longestWord,
  columnLines,
  cellLines = 1,
  figureWidth = 0,
  sizeWidth = 0,
  name: chosen,
  density = "comfortable",
  margins = { size: true, sample: true },
}: GeometryChoice): Geometry {
  const wished = namesWidth(longestRow);
  const room = width > 0 ? 0.35 * width : NAME_MOST;
  const name = chosen ?? Math.round(Math.max(NAME_LEAST, Math.min(wished, room, NAME_MOST)));
  const column = Math.max(
    columnWidth(longestWord),
    Math.ceil(figureWidth) + FIGURE_PADDING,
    Math.ceil(sizeWidth) + BASE_PADDING,
  );
  const margin = Math.max(MARGIN, Math.ceil(sizeWidth) + MARGIN_PADDING);
  const size = margins.size ? margin : 0;
  const sample = margins.sample ? margin : 0;
  const lead = name + size + sample;
  const isNarrow = width > 0 && width - lead < column;
  // The corner names every metric of a cell; the labels of the bases take two lines.
  const labels = size > 0 || sample > 0 ? 2 : 1;
  const lines = Math.max(cellLines, labels, Math.min(MOST_LINES, columnLines));
  return {
    name,
    size,
    sample,
    frozen: isNarrow ? name : lead,
    column,
    row: ROW_PADDING[density] + 16 * cellLines,
    head: 10 + 16 * lines,
    base: 32 + ROW_PADDING[density] - 2,
  };
}

/** What row names of so many letters need. */
export function namesWidth(letters: number): number {
  return letters * LETTER + PADDING;
}

/** Where the first column begins in the canvas. */
export function originOf(geometry: Geometry): number {
  return geometry.name + geometry.size + geometry.sample;
}

/** How far the columns scroll before the first of them meets the frozen part. */
export function looseWidth(geometry: Geometry): number {
  return originOf(geometry) - geometry.frozen;
}

/** Whole items in a page, one kept in sight for orientation. */
export function pageLength(viewport: number, item: number): number {
  return Math.max(1, Math.floor(viewport / item) - 1);
}

/** A span and as much again on either side, within the axis. */
export function withSurroundings({ start, end }: Span, count: number): Span {
  const length = end - start;
  return { start: Math.max(0, start - length), end: Math.min(count, end + length) };
}

/** Pixels that a number takes at most, whatever the host's font. */
export function numberWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letter === "%" ? 12.4 : /[.,\s]/u.test(letter) ? 4.2 : 8.3;
  return width;
}

export function longestWord(name: string): number {
  return Math.max(...name.split(/\s+/).map(({ length }) => length));
}

/** Lines that a name takes in columns made for a longest word, broken between words or in one. */
export function linesOf(name: string, word: number): number {
  const inLine = Math.floor((columnWidth(word) - COLUMN_PADDING) / BOLD_LETTER);
  let lines = 0;
  let room = 0;
  for (const { length } of name.split(/\s+/)) {
    if (length + 1 <= room) {
      room -= length + 1;
      continue;
    }
    const needed = Math.max(1, Math.ceil(length / inLine));
    lines += needed;
    room = needed * inLine - length;
  }
  return lines;
}

function columnWidth(word: number): number {
  const wished = Math.ceil(word * BOLD_LETTER + COLUMN_PADDING);
  return Math.max(COLUMN_LEAST, Math.min(COLUMN_MOST, wished));
}
