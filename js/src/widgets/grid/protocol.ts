/**
 * What the two halves of the grid say to each other: the traits of the state model, and the
 * operations of the channel. Python's half is `widgets/grid.py`.
 */
import type { Answer, Requests } from "../../shared/requests";
import type { Positions } from "./cells";
import type { HeatScale } from "./heat";
import type { Name } from "./names";
import { Tile, type TileHeader } from "./tiles";

/** Trait `_table`: which table is shown. A new query is a new generation. */
export interface TableState {
  readonly generation: number;
  readonly rows: number;
  readonly columns: number;
  /** Name of the base audience. */
  readonly base: string;
  /** Waves and locations, in words. */
  readonly scope: string;
}

export type Phase = "running" | "done" | "cancelled" | "failed";

/** Trait `_progress`: how far that table is. Its version counts up to ten times a second. */
export interface Progress {
  readonly generation: number;
  readonly version: number;
  readonly phase: Phase;
  readonly cells: number;
  readonly baseSize: number | null;
  readonly baseSample: number | null;
  readonly heat: HeatScale | null;
  readonly error: { message: string; faults: { pointer: string; detail: string }[] } | null;
}

/** Trait `_picked`: the selected cells, by their places in the query. */
export interface Picked {
  readonly rows: number[];
  readonly columns: number[];
}

export async function pullTile(
  requests: Requests,
  generation: number,
  rows: Positions,
  columns: Positions,
  signal: AbortSignal,
): Promise<Tile> {
  const answer: Answer<TileHeader> = await requests.request<TileHeader>(
    "tile",
    { generation, rows, columns },
    { signal },
  );
  return new Tile(answer.data, answer.buffers[0] ?? new ArrayBuffer(0));
}

export async function pullNames(
  requests: Requests,
  generation: number,
  axis: "rows" | "columns" | "base",
  start: number,
  stop: number,
  signal: AbortSignal,
): Promise<Name[]> {
  const args = { generation, axis, start, stop };
  const { data } = await requests.request<{ names: [string, string][] }>("names", args, { signal });
  return data.names.map(([name, sentence]) => ({ name, sentence }));
}
