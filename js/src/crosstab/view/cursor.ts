/**
 * Where the keyboard is in the table and what is selected. Not a trait: each view of a crosstab has
 * its own.
 */
import type { Span } from "../../core/windower";
import { isCell, type Position, type Range } from "../arrangement/position";

/** Rows or columns that are selected by their names, by their positions in the query. */
export interface SelectedNames {
  readonly axis: "row" | "column";
  readonly lines: readonly number[];
}

export interface Cursor {
  readonly focus: Position;
  /** Where the selection began; the focus is its other corner. */
  readonly anchor: Position;
  /** No cell has been chosen yet; the details under the table describe the first one. */
  readonly isStart?: true;
  /** Only while the focus is in a header; a rectangle of cells needs no list. */
  readonly names?: SelectedNames;
}

/** Before a cell is chosen; `row` is the first that is not a group's. */
export function startAt(row: number): Cursor {
  return { ...at({ row, column: 0 }), isStart: true };
}

export function at(position: Position): Cursor {
  return { focus: position, anchor: position };
}

/** The selected cells; null while the keyboard is in a header, or before a cell is chosen. */
export function rangeOf({ focus, anchor, isStart }: Cursor): Range | null {
  if (isStart || !isCell(focus) || !isCell(anchor)) return null;
  return {
    rows: between(anchor.row, focus.row),
    columns: between(anchor.column, focus.column),
  };
}

export function between(a: number, b: number): Span {
  return { start: Math.min(a, b), end: Math.max(a, b) + 1 };
}
