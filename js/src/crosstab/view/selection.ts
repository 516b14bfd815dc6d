/** What is selected in the table, in positions of the query: cells, or whole rows or columns. */
import { NAMES_COLUMN, NAMES_ROW, type Position, wholeTable } from "../arrangement/position";
import { type LineTarget, sourcesIn, targetAt } from "../arrangement/target";
import type { Table } from "../data/table";
import { type Cursor, rangeOf, type SelectedNames } from "./cursor";

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
