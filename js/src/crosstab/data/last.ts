/**
 * What the table before has of this one: its figures are shown until those of this one arrive, and
 * the rest is new. No DOM.
 */
import type { KeptItems } from "../../protocol";
import { type CellCounts, hasArrived } from "./cellCounts";

/** Reads a cell by its position in the query; false where it is not loaded. */
export type ReadCells<C> = (row: number, column: number, out: C) => boolean;

/** The position in the table before of each item; -1 for a new one. */
export type Before = Int32Array;

export function beforeOf(runs: KeptItems["rows"], count: number): Before {
  const before = new Int32Array(count).fill(-1);
  for (const [now, then, number] of runs)
    for (let i = 0; i < number; i++) before[now + i] = then + i;
  return before;
}

/** The new items; none where all are, because then the table is another. */
export function newIn(before: Before): ReadonlySet<number> {
  const fresh = new Set<number>();
  before.forEach((then, now) => {
    if (then < 0) fresh.add(now);
  });
  return fresh.size < before.length ? fresh : new Set();
}

/** Tables further back are not read: figures of many that failed would be of many queries. */
const MOST_TABLES = 3;

export class LastFigures {
  readonly #depth: number;
  readonly #further: LastFigures | null;

  /** further: where the table before shows the last figures itself. */
  constructor(
    private readonly read: ReadCells<CellCounts>,
    private readonly before: Readonly<Record<"rows" | "columns", Before>>,
    further: LastFigures | null,
  ) {
    this.#further = further && further.#depth < MOST_TABLES ? further : null;
    this.#depth = 1 + (this.#further === null ? 0 : this.#further.#depth);
  }

  /** Fills `out`; false where no table has counted the cell. */
  figures(row: number, column: number, out: CellCounts): boolean {
    const { rows, columns } = this.before;
    const [down, over] = [rows[row] ?? -1, columns[column] ?? -1];
    if (down < 0 || over < 0) return false;
    if (this.read(down, over, out) && hasArrived(out)) return true;
    return this.#further?.figures(down, over, out) ?? false;
  }
}
