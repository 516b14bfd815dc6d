/**
 * Where the keyboard is in the table and what is selected. Not a trait: each view of a crosstab has
 * its own.
 */
import type { Span } from "../../core/windower";
import {
  isCell,
  NAMES_COLUMN,
  NAMES_ROW,
  type Position,
  type Range,
  wholeTable,
} from "../arrangement/position";
import { type LineTarget, sourcesIn, targetAt } from "../arrangement/target";
import type { Table } from "../data/table";

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

/** The row, column or group of a header, with all that are selected if it is one of them. */
export function targetIn(table: Table, position: Position, cursor: Cursor): LineTarget | null {
  const target = targetAt(table, position);
  if (!target || (target.level !== undefined && !cursor.names)) return target;
  if (cursor.names && cursor.names.axis !== target.axis) return target;
  const selected = selectedIn(table, cursor)?.[target.axis] ?? [];
  return target.lines.every((line) => selected.includes(line))
    ? { ...target, together: selected }
    : target;
}

/** The rows or columns that are selected by their names, as one target; null where none are. */
export function namesTarget(table: Table, { names, focus }: Cursor): LineTarget | null {
  if (!names) return null;
  const lines = selectedIn(table, { names, focus, anchor: focus })?.[names.axis] ?? [];
  const [first] = lines;
  if (first === undefined) return null;
  const isRow = names.axis === "row";
  const at = isRow
    ? { row: table.displayRow(first), column: NAMES_COLUMN }
    : { row: NAMES_ROW, column: table.displayColumn(first) };
  const target = targetAt(table, at);
  return target && { ...target, together: lines };
}

/** The selected rows and columns by their positions in the query; null where none are. */
export function selectedIn(
  table: Table,
  cursor: Cursor,
): Record<SelectedNames["axis"], number[]> | null {
  const { names } = cursor;
  const range = names ? wholeTable(table.rowCount, table.columnCount) : rangeOf(cursor);
  if (!range) return null;
  const sources = sourcesIn(table, range);
  if (!names) return sources;
  const chosen = new Set(names.lines);
  return { ...sources, [names.axis]: sources[names.axis].filter((line) => chosen.has(line)) };
}
