/**
 * Positions in the visible table. Rows and columns of cells count from 0; headers have negative
 * numbers: the base row, the column names and the column groups (innermost first), and the base
 * columns and the row names.
 */
import type { Span } from "../../core/windower";

export interface Position {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells. */
export interface Range {
  readonly rows: Span;
  readonly columns: Span;
}

export const BASE_ROW = -1;
export const NAMES_ROW = -2;
export const SAMPLE_COLUMN = -1;
export const SIZE_COLUMN = -2;
export const NAMES_COLUMN = -3;

export function isCell({ row, column }: Position): boolean {
  return row >= 0 && column >= 0;
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
