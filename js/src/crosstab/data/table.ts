/**
 * The table as it is seen: order, transposition and metric over the cells that this page holds.
 * "Display" rows and columns are what the eye sees, heads among the rows; "source" ones are those
 * of the query; `lines/display.ts` translates between the two. No DOM.
 */
import { effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { failureOf } from "../../core/answers";
import { childLifetime } from "../../core/lifetime";
import type { Trait } from "../../core/traits";
import type { Span } from "../../core/windower";
import type { GridWidget, Progress, TableState } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { Arranger } from "../arrangement/arranger";
import { Axis, type Margin } from "../arrangement/axis";
import { plainBanner, readBanner } from "../arrangement/banner";
import { Display } from "../arrangement/display";
import { Measures } from "../arrangement/measures";
import type { Side } from "../arrangement/plan";
import type { LineCommand } from "../arrangement/target";
import { Letters } from "../metrics/letters";
import { type Metric, metricOf } from "../metrics/metrics";
import type { CellStyle } from "../view/cellStyle";
import { Showing } from "../view/displaySettings";
import { type Name, Names } from "../view/names";
import { Cells, type Positions } from "./cells";
import type { Figures } from "./figures";
import { Tile } from "./tiles";

export type { Margin } from "../arrangement/axis";

export class Table extends Display {
  readonly state: Trait<TableState>;
  readonly progress: Trait<Progress>;
  /** What the cells show, and the first figure of it. */
  readonly showing: Showing;
  readonly metricKey: Trait<string>;
  readonly transposed: Trait<boolean>;
  readonly cells: Cells;
  readonly letters: Letters;
  readonly axes: Readonly<Record<Side, Axis>>;
  readonly arranger: Arranger;
  /** Rises whenever something on the screen may look different. */
  readonly revision: ReadonlySignal<number>;
  /** What else can be done with a line, offered in its menu. */
  readonly lineCommands: Signal<readonly LineCommand[]> = signal([]);
  /** The questions of sides without groups, which the corner names; "" where groups name them. */
  readonly asked: Signal<string> = signal("");
  readonly trouble: Signal<string | null> = signal(null);
  /** Of the query that is shown; whatever belongs to another one is ignored. */
  generation = -1;
  private readonly touched = signal(0);
  private readonly measures: Measures;
  private readonly base: Names;
  private phase = "";
  private lacking: string | null = null;
  private life: AbortController;

  constructor(private readonly host: WidgetHost<GridWidget>) {
    super();
    this.revision = this.touched;
    this.life = childLifetime(host.lifetime);
    this.state = host.trait("_table");
    this.progress = host.trait("_progress");
    this.showing = new Showing(host);
    this.metricKey = this.showing.first;
    this.transposed = host.trait("transposed");
    this.cells = new Cells({
      lifetime: host.lifetime,
      pull: (rows, columns, lifetime) => this.pull(rows, columns, lifetime),
      onArrive: () => this.arrive(),
      onError: (error) => this.lack(error),
    });
    this.axes = { rows: new Axis(this.names("rows")), columns: new Axis(this.names("columns")) };
    this.base = this.names("base");
    this.letters = new Letters(
      host.lifetime,
      async (rows, columns, signal) => {
        const { generation } = this;
        const args = { generation, level: this.showing.level.peek(), rows, columns };
        return (await host.requests.request("letters", args, { signal })).data;
      },
      () => this.arrive(),
      (error) => this.lack(error),
    );
    this.measures = new Measures(this.cells, this.axes, async (side, key, signal) => {
      const args = { generation: this.generation, side, ...key };
      const { data, buffers } = await host.requests.request("measure", args, { signal });
      const tile = new Tile(data, buffers[0] ?? new ArrayBuffer(0));
      return Float64Array.from({ length: tile.rows }, (_, line) => tile.at("measure", line, 0));
    });
    this.arranger = new Arranger({
      lifetime: host.lifetime,
      trait: host.trait("_arrangement"),
      axes: this.axes,
      measures: this.measures,
      metric: () => this.metric.key,
      rowSide: () => this.rowSide,
      onArranged: () => this.lay(),
      onError: (error) => this.fail(error),
    });
    this.follow();
  }

  // -- what is shown -------------------------------------------------------------------------

  get metric(): Metric {
    return metricOf(this.metricKey.peek());
  }

  get style(): CellStyle {
    return this.showing.style.peek();
  }

  /** The figures of a cell; false when this page does not hold it, and in the row of a head. */
  figures(row: number, column: number, out: Figures): boolean {
    const line = this.rows.line(row);
    if (line < 0) return false;
    return this.transposed.peek()
      ? this.cells.figures(column, line, out)
      : this.cells.figures(line, column, out);
  }

  /** A cell's letters of significance; undefined where none are shown, or not here yet. */
  lettersAt(row: number, column: number): string | undefined {
    const [line, across] = [this.sourceRow(row), this.sourceColumn(column)];
    if (line < 0 || !this.showsLetters) return undefined;
    return this.transposed.peek() ? this.letters.at(across, line) : this.letters.at(line, across);
  }

  /** The letter by which tests call a column of the query, wherever it stands. */
  letterOf(axis: "row" | "column", place: number): string {
    const isColumn = (axis === "column") !== this.transposed.peek();
    if (!isColumn || !this.showsLetters) return "";
    return this.letters.headOf(axis === "row" ? this.sourceRow(place) : this.sourceColumn(place));
  }

  need(rows: Span, columns: Span): void {
    const lines = this.rows.lines(rows);
    if (this.transposed.peek()) this.cells.need(columns, lines);
    else this.cells.need(lines, columns);
  }

  covers(rows: Span, columns: Span): boolean {
    const lines = this.rows.lines(rows);
    return this.transposed.peek()
      ? this.cells.covers(columns, lines)
      : this.cells.covers(lines, columns);
  }

  gather(rows: Span, columns: Span): Promise<void> {
    const lines = this.rows.lines(rows);
    return this.transposed.peek()
      ? this.cells.gather(columns, lines)
      : this.cells.gather(lines, columns);
  }

  get baseMargin(): Margin {
    const { base_size, base_sample } = this.progress.peek() ?? {};
    return { size: base_size ?? Number.NaN, sample: base_sample ?? Number.NaN };
  }

  /** The base audience: its name at once, its sentence when it has come. */
  get baseName(): Name {
    const { base: name = "", rows = 0 } = this.state.peek() ?? {};
    return (rows > 0 ? this.base.at(0) : undefined) ?? { name, sentence: "" };
  }

  /** The name of a cell's base: of several, the outermost head of its column in the query. */
  baseOver(row: number, column: number): string {
    const line = this.transposed.peek() ? this.rowName(row) : this.columnName(column);
    const own = this.state.peek()?.bases ? (line?.heads?.[0] ?? line?.name) : undefined;
    return own ?? this.baseName.name;
  }

  /** The audience of a row, or the head that has the row to itself. */
  rowName(row: number): Name | undefined {
    const section = this.section(row);
    if (section) return { name: section.heads.at(-1) ?? "", sentence: "", heads: section.heads };
    return this.axes[this.rowSide].names.at(this.sourceRow(row));
  }

  columnName(column: number): Name | undefined {
    return this.axes[this.columnSide].names.at(this.sourceColumn(column));
  }

  rowMargin(row: number): Margin | undefined {
    return this.axes[this.rowSide].margins.get(this.sourceRow(row));
  }

  columnMargin(column: number): Margin | undefined {
    return this.axes[this.columnSide].margins.get(this.sourceColumn(column));
  }

  /** All names of the rows and of the columns, in display order, heads among the rows. */
  async allNames(): Promise<[string[], string[]]> {
    await Promise.all([this.axes.rows.names.all(), this.axes.columns.names.all()]);
    const named = (count: number, name: (place: number) => Name | undefined) =>
      Array.from({ length: count }, (_, place) => name(place)?.name ?? "");
    return [
      named(this.rowCount, (row) => this.rowName(row)),
      named(this.columnCount, (column) => this.columnName(column)),
    ];
  }

  // -- what can be done ----------------------------------------------------------------------

  transpose(): void {
    this.transposed.set(!this.transposed.peek());
  }

  announce(sentence: string): void {
    this.host.announce(sentence);
  }

  cancel(): void {
    this.ask("cancel");
  }

  restart(): void {
    this.trouble.value = null;
    this.ask("restart");
  }

  // -- behind it -----------------------------------------------------------------------------

  private get showsLetters(): boolean {
    const { keys, significance } = this.showing;
    return significance.peek() === "letters" || keys.peek().includes("letters");
  }

  private names(axis: Side | "base"): Names {
    return new Names(
      this.host.lifetime,
      async (start, stop, signal) => {
        const args = { generation: this.generation, axis, start, stop };
        const { data } = await this.host.requests.request("names", args, { signal });
        return data.names.map(([name, sentence, heads, isNet]) => {
          return { name, sentence, heads, isNet };
        });
      },
      () => this.arrive(),
      (error) => this.lack(error),
    );
  }

  private follow(): void {
    const stops = [
      this.state.signal.subscribe((state) => this.begin(state)),
      this.progress.signal.subscribe((progress) => this.advance(progress)),
      this.metricKey.signal.subscribe(() => this.arranger.arrangeAll()),
      effect(() => {
        const { style, density, margins } = this.showing;
        void [style.value, density.value, margins.value, this.asked.value];
        untracked(() => this.touch());
      }),
      this.transposed.signal.subscribe(() => this.arranger.lay()),
      this.showing.level.signal.subscribe(() => this.restartLetters()),
    ];
    this.host.lifetime.addEventListener("abort", () => {
      for (const stop of stops) stop();
    });
  }

  private restartLetters(): void {
    this.letters.reset(this.state.peek()?.columns ?? 0);
    if (this.phase === "done") this.letters.complete();
  }

  private begin(state: TableState): void {
    if (!state || state.generation === this.generation) return;
    this.generation = state.generation;
    this.phase = "";
    this.trouble.value = null;
    this.life.abort();
    this.life = childLifetime(this.host.lifetime);
    this.measures.forget();
    this.base.reset(1);
    this.letters.reset(state.columns);
    this.cells.reset(state.rows, state.columns);
    for (const side of ["rows", "columns"] as const) {
      // Without their heads the lines would jump a moment later.
      this.axes[side].reset(state[side], state.banners ? null : plainBanner(state[side]));
    }
    if (state.banners) void this.askBanners();
    else this.arranger.begin(state.generation);
    // The progress of this table may have come before the table itself.
    this.advance(this.progress.peek());
    this.lay();
  }

  private async askBanners(): Promise<void> {
    const { generation, host } = this;
    const { signal } = this.life;
    try {
      const { data } = await host.requests.request("banners", { generation }, { signal });
      if (signal.aborted) return;
      for (const side of ["rows", "columns"] as const) {
        this.axes[side].banner = readBanner(data[side]);
      }
      this.arranger.begin(generation);
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
  }

  private advance(progress: Progress): void {
    if (!progress || progress.generation !== this.generation) return;
    this.cells.freshen(progress.version);
    this.measures.forget();
    const finished = this.phase === "running" && progress.phase === "done";
    this.phase = progress.phase;
    if (progress.phase === "done") this.letters.complete();
    // While cells come in the rows hold still; the last word is sorted once it is spoken.
    if (finished) {
      this.arranger.arrangeAll();
      void this.renewMargins();
    }
    this.touch();
  }

  /** A line's own size rests on all its cells: what came with an early block may be out of date. */
  private async renewMargins(): Promise<void> {
    const { rows, columns } = this.state.peek();
    const { signal } = this.life;
    try {
      await this.pull({ start: 0, stop: rows }, [], signal);
      await this.pull([], { start: 0, stop: columns }, signal);
      this.touch();
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
  }

  /** Another order, or other heads among the rows. */
  private lay(): void {
    this.layRows();
    const { rows, columns } = this.axes;
    this.cells.setOrder(rows.shown.order, columns.shown.order);
    this.arrive();
  }

  private async pull(rows: Positions, columns: Positions, signal: AbortSignal): Promise<Tile> {
    const { generation } = this;
    const args = { generation, rows, columns };
    const { data, buffers } = await this.host.requests.request("tile", args, { signal });
    const tile = new Tile(data, buffers[0] ?? new ArrayBuffer(0));
    if (generation === this.generation) {
      this.axes.rows.noteMargins(tile, "row", rows);
      this.axes.columns.noteMargins(tile, "column", columns);
    }
    return tile;
  }

  private ask(op: "cancel" | "restart"): void {
    this.host.requests
      .request(op, { generation: this.generation })
      .catch((error) => this.fail(error));
  }

  /** What a paint asked for did not come. */
  private lack(error: unknown): void {
    this.fail(error);
    this.lacking = this.trouble.peek();
  }

  /** The next paint asks again for what is still missing, so that old news of it may go. */
  private arrive(): void {
    if (this.trouble.peek() === this.lacking) this.trouble.value = null;
    this.touch();
  }

  /** What is here stays. */
  private fail(error: unknown): void {
    this.trouble.value = failureOf(error) ?? this.trouble.value;
  }

  private touch(): void {
    this.touched.value += 1;
  }
}
