/**
 * Where a key leads in the grid: the WAI-ARIA grid pattern as a pure function.
 * Positions count every row and column of the grid, the frozen ones included.
 */

export interface Position {
  readonly row: number;
  readonly column: number;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Frozen rows above and frozen columns before the cells. */
  readonly frozenRows: number;
  readonly frozenColumns: number;
  /** Rows and columns of one page. */
  readonly pageRows: number;
  readonly pageColumns: number;
}

export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The position a key moves to, or null when the key does not move. */
export function destination(stroke: Stroke, from: Position, extent: Extent): Position | null {
  const far = stroke.ctrlKey || stroke.metaKey;
  const lastRow = extent.rows - 1;
  const lastColumn = extent.columns - 1;
  switch (stroke.key) {
    case "ArrowUp":
      return clamp({ ...from, row: far ? 0 : from.row - 1 }, extent);
    case "ArrowDown":
      return clamp({ ...from, row: far ? lastRow : from.row + 1 }, extent);
    case "ArrowLeft":
      return clamp({ ...from, column: far ? 0 : from.column - 1 }, extent);
    case "ArrowRight":
      return clamp({ ...from, column: far ? lastColumn : from.column + 1 }, extent);
    case "Home":
      return clamp({ row: far ? 0 : from.row, column: 0 }, extent);
    case "End":
      return clamp({ row: far ? lastRow : from.row, column: lastColumn }, extent);
    case "PageUp":
      return page(from, extent, -1, stroke.altKey);
    case "PageDown":
      return page(from, extent, 1, stroke.altKey);
    default:
      return null;
  }
}

/** A page among the cells stops at their edge; it does not run into the headers. */
function page(from: Position, extent: Extent, sign: 1 | -1, sideways: boolean): Position {
  if (sideways) {
    const column = from.column + sign * extent.pageColumns;
    const floor = Math.min(from.column, extent.frozenColumns);
    return clamp({ ...from, column: Math.max(floor, column) }, extent);
  }
  const row = from.row + sign * extent.pageRows;
  const floor = Math.min(from.row, extent.frozenRows);
  return clamp({ ...from, row: Math.max(floor, row) }, extent);
}

export function clamp(position: Position, extent: Extent): Position {
  return {
    row: Math.max(0, Math.min(extent.rows - 1, position.row)),
    column: Math.max(0, Math.min(extent.columns - 1, position.column)),
  };
}
