/** Sizes of the grid's parts in CSS pixels, chosen from the room there is and from the names. */
import type { Span } from "../../shared/windower";

export interface Geometry {
  /** Width of the row headers. */
  readonly name: number;
  /** Width of each of the two frozen figures, size and sample. */
  readonly margin: number;
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
  /** Lines that the column names that are here need. */
  readonly columnLines: number;
}

const LETTER = 6.8;
const PADDING = 28;
const NAME_LEAST = 120;
const NAME_MOST = 300;
/** Letters of a column name, in bold, that fit on one line. */
const LETTERS_IN_LINE = 9;
const MOST_LINES = 3;

export function geometryFor({ width, longestRow, columnLines }: GeometryChoice): Geometry {
  const wished = longestRow * LETTER + PADDING;
  const room = width > 0 ? 0.35 * width : NAME_MOST;
  const lines = Math.max(1, Math.min(MOST_LINES, columnLines));
  return {
    name: Math.round(Math.max(NAME_LEAST, Math.min(wished, room, NAME_MOST))),
    margin: 68,
    column: 92,
    row: 24,
    head: 10 + 16 * lines,
    base: 38,
  };
}

export function frozenWidth(geometry: Geometry): number {
  return geometry.name + 2 * geometry.margin;
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

/** Lines that a column name takes when it breaks between words, or in one that is too long. */
export function linesOf(name: string): number {
  let lines = 0;
  let room = 0;
  for (const { length } of name.split(/\s+/)) {
    if (length + 1 <= room) {
      room -= length + 1;
      continue;
    }
    const needed = Math.max(1, Math.ceil(length / LETTERS_IN_LINE));
    lines += needed;
    room = needed * LETTERS_IN_LINE - length;
  }
  return lines;
}
