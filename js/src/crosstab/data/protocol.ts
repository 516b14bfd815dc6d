/**
 * What the two halves of the grid say to each other: the traits of the state model, and the
 * operations of the channel. Python's half is `widgets/grid/widget.py`.
 */
import type { Answer, Requests } from "../../core/requests";
import { type Banner, type BannerAnswer, readBanner } from "../arrangement/banner";
import type { Key, Side } from "../arrangement/plan";
import type { HeatScales } from "../metrics/heat";
import type { LettersAnswer } from "../metrics/letters";
import type { Name } from "../view/names";
import type { Positions } from "./cells";
import { Tile, type TileHeader } from "./tiles";

/** Trait `_table`: which table is shown. A new query is a new generation. */
export interface TableState {
  readonly generation: number;
  readonly rows: number;
  readonly columns: number;
  /** Name of the base audience; of several, that of the first. */
  readonly base: string;
  /** How many bases stand side by side, each a head over its columns; 0 for one. */
  readonly bases?: number;
  /** Waves and locations, in words. */
  readonly scope: string;
  /** Whether heads stand over some lines, or some are nets: which, is asked for. */
  readonly banners?: boolean;
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
  /** Where the colours end; null until something is here. */
  readonly heat: HeatScales | null;
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
  const { data } = await requests.request<{
    names: [name: string, sentence: string, heads?: string[], isNet?: boolean][];
  }>("names", args, { signal });
  return data.names.map(([name, sentence, heads = [], isNet = false]) => ({
    name,
    sentence,
    heads,
    isNet,
  }));
}

/** What stands over the lines of both sides. */
export async function pullBanners(
  requests: Requests,
  generation: number,
  signal: AbortSignal,
): Promise<Record<Side, Banner>> {
  const { data } = await requests.request<Record<Side, BannerAnswer>>(
    "banners",
    { generation },
    { signal },
  );
  return { rows: readBanner(data.rows), columns: readBanner(data.columns) };
}

/** A cell that differs from everyone else, by its places in the query. */
export interface ApartCell {
  readonly row: number;
  readonly column: number;
  readonly names: readonly [string, string];
  readonly index: number | null;
  readonly difference: number | null;
  readonly z: number | null;
}

/** The cells that differ most significantly, the largest z first. */
export async function pullApart(
  requests: Requests,
  generation: number,
  signal: AbortSignal,
): Promise<readonly ApartCell[]> {
  const { data } = await requests.request<{ cells: ApartCell[] }>(
    "apart",
    { generation },
    { signal },
  );
  return data.cells;
}

/** A number for each line of a side. */
export async function pullMeasure(
  requests: Requests,
  generation: number,
  side: Side,
  { of, metric }: Key,
  signal: AbortSignal,
): Promise<Float64Array> {
  const args = { generation, side, of, metric };
  const { data, buffers } = await requests.request<TileHeader>("measure", args, { signal });
  const tile = new Tile(data, buffers[0] ?? new ArrayBuffer(0));
  return Float64Array.from({ length: tile.rows }, (_, line) => tile.at("measure", line, 0));
}

/** The letters of cells at a confidence level. */
export async function pullLetters(
  requests: Requests,
  args: {
    generation: number;
    level: number;
    rows: readonly number[];
    columns: readonly number[];
  },
  signal: AbortSignal,
): Promise<LettersAnswer> {
  const { data } = await requests.request<LettersAnswer>("letters", args, { signal });
  return data;
}
