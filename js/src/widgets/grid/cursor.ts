/**
 * Where the keyboard is in the grid and what is selected. Positions count the frozen rows and
 * columns; selections count cells only. Never a trait: several views of one grid each have
 * their own.
 */
import type { Span } from "../../shared/windower";
import type { Position } from "./keyboard";

/** Column headers, and the base. */
export const FROZEN_ROWS = 2;
/** Row headers, size, sample. */
export const FROZEN_COLUMNS = 3;
export const BASE_ROW = 1;
export const SIZE_COLUMN = 1;
export const SAMPLE_COLUMN = 2;

/** A rectangle of cells. */
export interface Range {
  readonly rows: Span;
  readonly columns: Span;
}

export interface Cursor {
  readonly focus: Position;
  /** Where the selection began; the focus is its other corner. */
  readonly anchor: Position;
  /** Nobody has chosen a cell yet; the line under the table tells about the first one. */
  readonly isStart?: true;
}

/** Before anybody chose a cell; `row` is the first of the display that is no head's. */
export function startAt(row: number): Cursor {
  return { ...at({ row: row + FROZEN_ROWS, column: FROZEN_COLUMNS }), isStart: true };
}

export function at(position: Position): Cursor {
  return { focus: position, anchor: position };
}

export function isCell({ row, column }: Position): boolean {
  return row >= FROZEN_ROWS && column >= FROZEN_COLUMNS;
}

/** The selected cells; none while the keyboard is in a header, or before anybody chose one. */
export function rangeOf(cursor: Cursor): Range | null {
  const { focus, anchor } = cursor;
  if (cursor.isStart || !isCell(focus) || !isCell(anchor)) return null;
  return {
    rows: between(anchor.row - FROZEN_ROWS, focus.row - FROZEN_ROWS),
    columns: between(anchor.column - FROZEN_COLUMNS, focus.column - FROZEN_COLUMNS),
  };
}

export function wholeTable(rows: number, columns: number): Range {
  return { rows: { start: 0, end: rows }, columns: { start: 0, end: columns } };
}

export function cellsIn(range: Range | null): number {
  if (range === null) return 0;
  return (range.rows.end - range.rows.start) * (range.columns.end - range.columns.start);
}

export function holds(range: Range | null, row: number, column: number): boolean {
  if (range === null) return false;
  const { rows, columns } = range;
  return row >= rows.start && row < rows.end && column >= columns.start && column < columns.end;
}

function between(a: number, b: number): Span {
  return { start: Math.min(a, b), end: Math.max(a, b) + 1 };
}
