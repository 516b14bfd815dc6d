/** The values of one cell, and the names of the planes in which the kernel sends them. */
import type { Tile } from "./tiles";

/**
 * The planes of a tile: of each cell, and of each row's and column's audience in the whole base
 * (`own`).
 */
export const PLANES = [
  "size",
  "sample",
  "row_size",
  "row_sample",
  "column_size",
  "column_sample",
  "base_size",
  "base_sample",
  "row_own_size",
  "row_own_sample",
  "column_own_size",
  "column_own_sample",
] as const;

/** Sizes are weighted counts, samples are respondents; NaN where not counted yet. */
export interface CellCounts {
  size: number;
  sample: number;
  rowSize: number;
  rowSample: number;
  columnSize: number;
  columnSample: number;
  baseSize: number;
  baseSample: number;
  /** All cells of the tile are there, and this one has no size: the service withholds it. */
  isWithheld?: boolean;
}

export function emptyFigures(): CellCounts {
  const n = Number.NaN;
  return {
    size: n,
    sample: n,
    rowSize: n,
    rowSample: n,
    columnSize: n,
    columnSample: n,
    baseSize: n,
    baseSample: n,
  };
}

/** Fills the caller's `out`, so that painting allocates nothing. */
export function readCounts(tile: Tile, row: number, column: number, out: CellCounts): CellCounts {
  out.size = tile.at("size", row, column);
  out.sample = tile.at("sample", row, column);
  out.rowSize = tile.at("row_size", row, column);
  out.rowSample = tile.at("row_sample", row, column);
  out.columnSize = tile.at("column_size", row, column);
  out.columnSample = tile.at("column_sample", row, column);
  out.baseSize = tile.at("base_size", row, column);
  out.baseSample = tile.at("base_sample", row, column);
  out.isWithheld = tile.complete && Number.isNaN(out.size);
  return out;
}

/** Whether the kernel has counted this cell, and has its size. */
export function hasArrived(figures: CellCounts): boolean {
  return !Number.isNaN(figures.size);
}
