/**
 * Where a key leads in the grid: the shared grid pattern, and what a wide table with frozen
 * headers adds to it. Positions count every row and column, the frozen ones included.
 */
import { gridKey } from "../../shared/keyboard";

export interface Position {
  readonly row: number;
  readonly column: number;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Rows of heads over the column names: their positions count upwards from -1. */
  readonly bands?: number;
  /** Frozen rows above and frozen columns before the cells. */
  readonly frozenRows: number;
  readonly frozenColumns: number;
  /** Rows and columns that a page key moves. */
  readonly pageRows: number;
  readonly pageColumns: number;
}

export type Stroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** The position a key moves to, or null when the key does not move. */
export function destination(stroke: Stroke, from: Position, extent: Extent): Position | null {
  const sign = stroke.key === "PageUp" ? -1 : stroke.key === "PageDown" ? 1 : 0;
  if (sign === 0) return stepped(stroke, from, extent);
  if (stroke.altKey) {
    const column = paged(from.column, sign * extent.pageColumns, extent.frozenColumns);
    return clamp({ row: from.row, column }, extent);
  }
  const row = paged(from.row, sign * extent.pageRows, extent.frozenRows);
  return clamp({ row, column: from.column }, extent);
}

function stepped(stroke: Stroke, from: Position, extent: Extent): Position | null {
  const { rows, columns, bands = 0 } = extent;
  const to = gridKey(stroke, {
    row: from.row + bands,
    column: from.column,
    rows: rows + bands,
    columns,
  });
  return to && clamp({ row: to.row - bands, column: to.column }, extent);
}

/** A page among the cells stops at their edge; it does not run into the headers. */
function paged(from: number, step: number, frozen: number): number {
  return Math.max(Math.min(from, frozen), from + step);
}

/** The nearest position that there is; beside the heads over the columns stands nothing. */
export function clamp(
  position: Position,
  {
    rows,
    columns,
    bands = 0,
    frozenColumns = 0,
  }: Pick<Extent, "rows" | "columns"> & Partial<Extent>,
): Position {
  const column = Math.max(0, Math.min(columns - 1, position.column));
  const top = column < frozenColumns ? 0 : -bands;
  return { row: Math.max(top, Math.min(rows - 1, position.row)), column };
}
