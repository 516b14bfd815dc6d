/** The values of one cell, and the names of the planes in which the kernel sends them. */
import type { MetricName } from "../../protocol";
import { METRICS } from "../../protocol/constants";
import type { Tile } from "./tiles";

/** Further planes, of a table whose rows have bases of their own: the base of each row. */
export const ROW_BASES = ["row_own_base_size", "row_own_base_sample"] as const;

/** Further planes, of a table by waves. */
export const PARTS = ["row_part", "column_part"] as const;

type Facts = typeof METRICS;

/** Metrics that the kernel computes, which come with the tests of cells. */
export type KernelMetric = {
  [K in MetricName]: Facts[K] extends { by_page: false; kind: "number" | "signed" } ? K : never;
}[MetricName];

export const KERNEL_METRICS = (Object.keys(METRICS) as MetricName[]).filter(
  (key): key is KernelMetric => !METRICS[key].by_page && METRICS[key].kind !== "text",
);

/** Sizes are weighted counts, samples are respondents; NaN where not counted yet. */
export interface CellCounts extends Partial<Record<KernelMetric, number>> {
  size: number;
  sample: number;
  rowSize: number;
  rowSample: number;
  columnSize: number;
  columnSample: number;
  baseSize: number;
  baseSample: number;
  /**
   * The part of the base's waves that the row, or the column, rests on; 1 where left out. Sizes are
   * averages over waves: those here are times this part, so that they are a part of the base.
   */
  rowPart?: number;
  columnPart?: number;
  /** All cells of the tile are there, and this one has no size: the service withholds it. */
  isWithheld?: boolean;
  /** It is of the table before: the cell has not been counted since. */
  isOld?: boolean;
  /** Why the cell has no base, in the words of the kernel; "" where it has one. */
  reason?: string;
  /** The test against the rest of the base, by the kernel; NaN while it is not loaded. */
  p?: number;
  freedom?: number;
  /**
   * The strictest level, in percent, at which the share is significantly larger (positive) or
   * smaller (negative); 0 for none, NaN while the test is not loaded.
   */
  level?: number;
  /** The same against the column one wave before; NaN where there is none. */
  previous?: number;
  /** Why there is no test, in the words of the kernel; "" where there is one. */
  untested?: string;
  /** Why there is no change since the wave before. */
  unchanged?: string | undefined;
  /** Its significance letters; undefined while they are not loaded. */
  letters?: string | undefined;
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
  // A plane that the kernel did not send is NaN.
  out.rowPart = tile.at("row_part", row, column) || 1;
  out.columnPart = tile.at("column_part", row, column) || 1;
  out.reason = tile.reasonAt(row, column);
  out.isWithheld = tile.complete && Number.isNaN(out.size);
  return out;
}

/** The people of a cell, of its row and of its column, in their own waves. */
export function ownSizes({ size, rowSize, columnSize, rowPart = 1, columnPart = 1 }: CellCounts) {
  return {
    size: size / (rowPart * columnPart),
    rowSize: rowSize / rowPart,
    columnSize: columnSize / columnPart,
  };
}

/** Whether the kernel has counted this cell, and has its size. */
export function hasArrived(figures: CellCounts): boolean {
  return !Number.isNaN(figures.size);
}
