/** Where a key leads in the table: the ARIA grid pattern, extended for frozen headers. */
import { gridKey } from "../../ui/keyboard";
import { NAMES_COLUMN, NAMES_ROW, type Position } from "../arrangement/position";

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Levels of groups over the column names. */
  readonly levels: number;
  /** Hidden base columns, which the keyboard skips. */
  readonly hidden: ReadonlySet<number>;
  /** Rows and columns that a page key moves. */
  readonly pageRows: number;
  readonly pageColumns: number;
}

export type Stroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** The position a key moves to; null when the key does not move. */
export function destination(stroke: Stroke, from: Position, extent: Extent): Position | null {
  const sign = stroke.key === "PageUp" ? -1 : stroke.key === "PageDown" ? 1 : 0;
  if (sign === 0) return stepped(stroke, from, extent);
  if (stroke.altKey) {
    return clamp({ row: from.row, column: paged(from.column, sign * extent.pageColumns) }, extent);
  }
  return clamp({ row: paged(from.row, sign * extent.pageRows), column: from.column }, extent);
}

function stepped(stroke: Stroke, from: Position, extent: Extent): Position | null {
  const top = NAMES_ROW - extent.levels;
  const to = gridKey(stroke, {
    row: from.row - top,
    column: from.column - NAMES_COLUMN,
    rows: extent.rows - top,
    columns: extent.columns - NAMES_COLUMN,
  });
  if (to === null) return null;
  const row = to.row + top;
  let column = to.column + NAMES_COLUMN;
  while (extent.hidden.has(column)) column += column < from.column ? -1 : 1;
  return clamp({ row, column }, extent);
}

/** A page key stops at the first cell and does not enter the headers. */
function paged(from: number, step: number): number {
  return Math.max(Math.min(from, 0), from + step);
}

/** The nearest position that exists; group rows over the columns have no other cells. */
export function clamp(
  { row, column }: Position,
  { rows, columns, levels }: Pick<Extent, "rows" | "columns" | "levels">,
): Position {
  const held = Math.max(NAMES_COLUMN, Math.min(columns - 1, column));
  const top = held < 0 ? NAMES_ROW : NAMES_ROW - levels;
  return { row: Math.max(top, Math.min(rows - 1, row)), column: held };
}
