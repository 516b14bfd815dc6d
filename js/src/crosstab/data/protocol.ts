/** What the table asks of the kernel, as functions. */
import type { Requests } from "../../core/requests";
import type { DifferentCell, GridWidget, LettersPart } from "../../protocol";
import { type Banner, readBanner } from "../arrangement/banner";
import type { Key, Side } from "../arrangement/plan";
import type { Name } from "../view/names";
import type { Positions } from "./cells";
import { Tile } from "./tiles";

export type {
  DifferentCell as ApartCell,
  Progress,
  SelectedCells as Picked,
  TableState,
} from "../../protocol";

type GridRequests = Requests<GridWidget>;

export async function pullTile(
  requests: GridRequests,
  generation: number,
  rows: Positions,
  columns: Positions,
  signal: AbortSignal,
): Promise<Tile> {
  const args = { generation, rows, columns };
  const { data, buffers } = await requests.request("tile", args, { signal });
  return new Tile(data, buffers[0] ?? new ArrayBuffer(0));
}

export async function pullNames(
  requests: GridRequests,
  generation: number,
  axis: "rows" | "columns" | "base",
  start: number,
  stop: number,
  signal: AbortSignal,
): Promise<Name[]> {
  const args = { generation, axis, start, stop };
  const { data } = await requests.request("names", args, { signal });
  return data.names.map(([name, sentence, heads, isNet]) => ({
    name,
    sentence,
    heads,
    isNet,
  }));
}

/** What stands over the lines of both sides. */
export async function pullBanners(
  requests: GridRequests,
  generation: number,
  signal: AbortSignal,
): Promise<Record<Side, Banner>> {
  const { data } = await requests.request("banners", { generation }, { signal });
  return { rows: readBanner(data.rows), columns: readBanner(data.columns) };
}

/** The cells that differ most significantly, the largest z first. */
export async function pullApart(
  requests: GridRequests,
  generation: number,
  signal: AbortSignal,
): Promise<readonly DifferentCell[]> {
  const { data } = await requests.request("apart", { generation }, { signal });
  return data.cells;
}

/** A number for each line of a side. */
export async function pullMeasure(
  requests: GridRequests,
  generation: number,
  side: Side,
  { of, metric }: Key,
  signal: AbortSignal,
): Promise<Float64Array> {
  const args = { generation, side, of, metric };
  const { data, buffers } = await requests.request("measure", args, { signal });
  const tile = new Tile(data, buffers[0] ?? new ArrayBuffer(0));
  return Float64Array.from({ length: tile.rows }, (_, line) => tile.at("measure", line, 0));
}

/** The letters of cells at a confidence level. */
export async function pullLetters(
  requests: GridRequests,
  args: {
    generation: number;
    level: number;
    rows: readonly number[];
    columns: readonly number[];
  },
  signal: AbortSignal,
): Promise<LettersPart> {
  const { data } = await requests.request("letters", args, { signal });
  return data;
}
