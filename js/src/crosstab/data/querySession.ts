/**
 * The current query: its state in the kernel, and requests about it. Each request carries its
 * generation; answers about earlier queries are discarded. No DOM.
 */
import { type Signal, signal } from "@preact/signals";
import { failureOf } from "../../core/answers";
import { childLifetime } from "../../core/lifetime";
import type { Trait } from "../../core/traits";
import type {
  AxisName,
  Banners,
  GridWidget,
  MeasureItems,
  StatisticLines,
  TableProgress,
  TableState,
} from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { Positions } from "./cells";
import { MarksBlock } from "./marksBlock";
import type { Name } from "./names";
import { Tile } from "./tiles";

export class QuerySession {
  readonly state: Trait<TableState>;
  readonly progress: Trait<TableProgress>;
  /** The message of the latest failed request; null for none. */
  readonly trouble: Signal<string | null> = signal(null);
  generation = -1;
  #life: AbortController;
  /** The failure of a request that the next painting repeats. */
  #lacking: string | null = null;

  constructor(private readonly host: WidgetHost<GridWidget>) {
    this.state = host.trait("_table");
    this.progress = host.trait("_progress");
    this.#life = childLifetime(host.lifetime);
  }

  /** Ends with the query. */
  get lifetime(): AbortSignal {
    return this.#life.signal;
  }

  /** Whether all cells have been counted. */
  get isComplete(): boolean {
    const { phase, generation } = this.progress.peek() ?? {};
    return phase === "done" && generation === this.generation;
  }

  /** Starts another query. */
  begin(generation: number): void {
    this.generation = generation;
    this.trouble.value = null;
    this.#life.abort();
    this.#life = childLifetime(this.host.lifetime);
  }

  // -- requests ------------------------------------------------------------------------------

  async tile(rows: Positions, columns: Positions, signal: AbortSignal): Promise<Tile> {
    const args = { generation: this.generation, rows, columns };
    return tileOf(await this.host.requests.request("tile", args, { signal }));
  }

  /** A number for each item of an axis. */
  async measure(
    args: Pick<MeasureItems, "side" | "of" | "metric">,
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const about = { generation: this.generation, ...args };
    const tile = tileOf(await this.host.requests.request("measure", about, { signal }));
    return Float64Array.from({ length: tile.rows }, (_, item) => tile.at("measure", item, 0));
  }

  /** The tests of cells; letters: the confidence of capital letters, null for none. */
  async marks(
    rows: Positions,
    columns: Positions,
    letters: number | null,
    signal: AbortSignal,
  ): Promise<MarksBlock> {
    const args = { generation: this.generation, rows, columns, letters };
    const { data, buffers } = await this.host.requests.request("marks", args, { signal });
    return new MarksBlock(data, buffers[0] ?? new ArrayBuffer(0));
  }

  async names(
    axis: AxisName | "base",
    start: number,
    stop: number,
    signal: AbortSignal,
  ): Promise<Name[]> {
    const args = { generation: this.generation, axis, start, stop };
    const { data } = await this.host.requests.request("names", args, { signal });
    return data.names.map(([name, sentence, groups, isNet, isWhole, short]) => {
      return { name, sentence, groups, isNet, isWhole, short };
    });
  }

  async banners(): Promise<Banners> {
    const { generation, lifetime: signal } = this;
    return (await this.host.requests.request("banners", { generation }, { signal })).data;
  }

  async statistics(): Promise<StatisticLines> {
    const { generation, lifetime: signal } = this;
    return (await this.host.requests.request("statistics", { generation }, { signal })).data;
  }

  cancel(): void {
    this.#tell("cancel");
  }

  restart(): void {
    this.trouble.value = null;
    this.#tell("restart");
  }

  #tell(op: "cancel" | "restart"): void {
    const { generation } = this;
    this.host.requests.request(op, { generation }).catch((error) => this.fail(error));
  }

  // -- failures ------------------------------------------------------------------------------

  /** Shows why a request failed; loaded cells remain. */
  fail(error: unknown): void {
    this.trouble.value = failureOf(error) ?? this.trouble.value;
  }

  /** Shows why a request of a painting failed. */
  lack(error: unknown): void {
    this.fail(error);
    this.#lacking = this.trouble.peek();
  }

  /** Clears the failure of an earlier painting, because missing cells are requested again. */
  arrived(): void {
    if (this.trouble.peek() === this.#lacking) this.trouble.value = null;
  }
}

function tileOf({
  data,
  buffers,
}: {
  data: ConstructorParameters<typeof Tile>[0];
  buffers: DataView[];
}) {
  return new Tile(data, buffers[0] ?? new ArrayBuffer(0));
}
