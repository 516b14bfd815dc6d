/**
 * The table as it is seen: order, transposition and metric over the cells that this page holds.
 * "Display" rows and columns are what the eye sees; "source" ones are those of the query. This
 * is the only module that translates between the two. No DOM.
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { WidgetHost } from "../../shared/host";
import { childLifetime } from "../../shared/lifetime";
import { failureOf } from "../../shared/requests";
import type { Trait } from "../../shared/traits";
import type { Span } from "../../shared/windower";
import { Cells, type Positions } from "./cells";
import { emptyFigures, type Figures, readFigures } from "./figures";
import type { HeatScale } from "./heat";
import { type Metric, metricOf } from "./metrics";
import { type Name, Names } from "./names";
import { nextSort, type Sort, sortedOrder } from "./order";
import { type Progress, pullNames, pullTile, type TableState } from "./protocol";
import { strings } from "./strings";
import type { Tile } from "./tiles";

/** Size and sample of an audience within the base. */
export interface Margin {
  readonly size: number;
  readonly sample: number;
}

type Side = "rows" | "columns";

interface AxisView {
  sort: Sort | null;
  order: Int32Array | null;
  margins: Map<number, Margin>;
  names: Names;
  resorting: AbortController | null;
}

const FLAT: HeatScale = { low: 100, high: 100 };

export class Table {
  readonly state: Trait<TableState>;
  readonly progress: Trait<Progress>;
  readonly metricKey: Trait<string>;
  readonly transposed: Trait<boolean>;
  readonly cells: Cells;
  /** Rises whenever something on the screen may look different. */
  readonly revision: ReadonlySignal<number>;
  readonly trouble: Signal<string | null> = signal(null);
  private readonly touched = signal(0);
  private readonly axes: Record<Side, AxisView>;
  private readonly base: Names;
  /** Of the query that is shown; whatever belongs to another one is ignored. */
  private generation = -1;
  private phase = "";

  constructor(private readonly host: WidgetHost) {
    this.revision = this.touched;
    this.state = host.trait<TableState>("_table");
    this.progress = host.trait<Progress>("_progress");
    this.metricKey = host.trait<string>("metric");
    this.transposed = host.trait<boolean>("transposed");
    this.cells = new Cells({
      lifetime: host.lifetime,
      pull: (rows, columns, lifetime) => this.pull(rows, columns, lifetime),
      onArrive: () => this.touch(),
      onError: (error) => this.fail(error),
    });
    this.axes = { rows: this.axis("rows"), columns: this.axis("columns") };
    this.base = this.names("base");
    this.follow();
  }

  // -- what is shown -------------------------------------------------------------------------

  get metric(): Metric {
    return metricOf(this.metricKey.peek());
  }

  get heat(): HeatScale {
    return this.progress.peek()?.heat ?? FLAT;
  }

  get rowCount(): number {
    return this.count(this.rowSide);
  }

  get columnCount(): number {
    return this.count(this.columnSide);
  }

  /** The figures of a cell; false when this page does not hold it. */
  figures(row: number, column: number, out: Figures): boolean {
    return this.transposed.peek()
      ? this.cells.figures(column, row, out)
      : this.cells.figures(row, column, out);
  }

  need(rows: Span, columns: Span): void {
    if (this.transposed.peek()) this.cells.need(columns, rows);
    else this.cells.need(rows, columns);
  }

  covers(rows: Span, columns: Span): boolean {
    return this.transposed.peek()
      ? this.cells.covers(columns, rows)
      : this.cells.covers(rows, columns);
  }

  gather(rows: Span, columns: Span): Promise<void> {
    return this.transposed.peek()
      ? this.cells.gather(columns, rows)
      : this.cells.gather(rows, columns);
  }

  get baseMargin(): Margin {
    const { baseSize, baseSample } = this.progress.peek() ?? {};
    return { size: baseSize ?? Number.NaN, sample: baseSample ?? Number.NaN };
  }

  /** The base audience: its name at once, its sentence when it has come. */
  get baseName(): Name {
    const name = this.state.peek()?.base ?? "";
    return this.count("rows") > 0
      ? (this.base.at(0) ?? { name, sentence: "" })
      : { name, sentence: "" };
  }

  /** What the names that are here need in the headers. */
  get nameExtents(): { longestRow: number; longestWord: number; columnLines: number } {
    const columns = this.axes[this.columnSide].names.extent;
    return {
      longestRow: Math.max(
        this.axes[this.rowSide].names.extent.letters,
        strings.base(this.baseName.name).length,
      ),
      longestWord: columns.word,
      columnLines: columns.lines,
    };
  }

  rowName(row: number): Name | undefined {
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

  /** All names of the rows and of the columns, in display order. */
  async allNames(): Promise<[string[], string[]]> {
    const named = async (side: Side) => {
      const names = await this.axes[side].names.all();
      return names.map((_, i) => names[this.source(side, i)]?.name ?? "");
    };
    return [await named(this.rowSide), await named(this.columnSide)];
  }

  sourceRow(row: number): number {
    return this.source(this.rowSide, row);
  }

  sourceColumn(column: number): number {
    return this.source(this.columnSide, column);
  }

  /** How the display's rows (or columns) are sorted; `by` counts display columns (or rows). */
  sortOf(axis: "row" | "column"): Sort | null {
    const side = axis === "row" ? this.rowSide : this.columnSide;
    const { sort } = this.axes[side];
    if (sort === null || typeof sort.by === "string") return sort;
    const by = this.display(side === "rows" ? "columns" : "rows", sort.by);
    return { ...sort, by };
  }

  // -- what can be done ----------------------------------------------------------------------

  /** Sorts the display's rows by a display column, or its columns by a display row. */
  async sort(axis: "row" | "column", by: Sort["by"]): Promise<Sort | null> {
    const side = axis === "row" ? this.rowSide : this.columnSide;
    const across: Side = side === "rows" ? "columns" : "rows";
    const source = typeof by === "number" ? this.source(across, by) : by;
    this.axes[side].sort = nextSort(this.axes[side].sort, source);
    await this.resort(side);
    return this.axes[side].sort;
  }

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

  private get rowSide(): Side {
    return this.transposed.peek() ? "columns" : "rows";
  }

  private get columnSide(): Side {
    return this.transposed.peek() ? "rows" : "columns";
  }

  private count(side: Side): number {
    return this.state.peek()?.[side] ?? 0;
  }

  private source(side: Side, place: number): number {
    return this.axes[side].order?.[place] ?? place;
  }

  private display(side: Side, source: number): number {
    return this.axes[side].order?.indexOf(source) ?? source;
  }

  private axis(side: Side): AxisView {
    return {
      sort: null,
      order: null,
      margins: new Map(),
      names: this.names(side),
      resorting: null,
    };
  }

  private names(axis: Side | "base"): Names {
    return new Names(
      this.host.lifetime,
      (start, stop, lifetime) =>
        pullNames(this.host.requests, this.generation, axis, start, stop, lifetime),
      () => this.touch(),
      (error) => this.fail(error),
    );
  }

  private follow(): void {
    const stops = [
      this.state.signal.subscribe((state) => this.begin(state)),
      this.progress.signal.subscribe((progress) => this.advance(progress)),
      this.metricKey.signal.subscribe(() => this.remeasure()),
      this.transposed.signal.subscribe(() => this.touch()),
    ];
    this.host.lifetime.addEventListener("abort", () => {
      for (const stop of stops) stop();
    });
  }

  private begin(state: TableState): void {
    if (!state || state.generation === this.generation) return;
    this.generation = state.generation;
    this.phase = "";
    this.trouble.value = null;
    for (const side of ["rows", "columns"] as const) {
      const axis = this.axes[side];
      axis.resorting?.abort();
      axis.sort = null;
      axis.order = null;
      axis.margins.clear();
      axis.names.reset(state[side]);
    }
    this.base.reset(1);
    this.cells.reset(state.rows, state.columns);
    // The progress of this table may have come before the table itself.
    this.advance(this.progress.peek());
    this.touch();
  }

  private advance(progress: Progress): void {
    if (!progress || progress.generation !== this.generation) return;
    this.cells.freshen(progress.version);
    const finished = this.phase === "running" && progress.phase === "done";
    this.phase = progress.phase;
    // While cells come in the rows hold still; the last word is sorted once it is spoken.
    if (finished) this.resortAll();
    this.touch();
  }

  private remeasure(): void {
    this.resortAll();
    this.touch();
  }

  private resortAll(): void {
    for (const side of ["rows", "columns"] as const) {
      if (this.axes[side].sort !== null) void this.resort(side);
    }
  }

  private async resort(side: Side): Promise<void> {
    const axis = this.axes[side];
    axis.resorting?.abort();
    axis.resorting = childLifetime(this.host.lifetime);
    const { signal: lifetime } = axis.resorting;
    try {
      const order = axis.sort === null ? null : await this.orderBy(side, axis.sort, lifetime);
      if (lifetime.aborted) return;
      axis.order = order;
      this.cells.setOrder(this.axes.rows.order, this.axes.columns.order);
      this.touch();
    } catch (error) {
      if (!lifetime.aborted) this.fail(error);
    }
  }

  /** Orders a side along the line that is sorted by. */
  private async orderBy(side: Side, sort: Sort, lifetime: AbortSignal): Promise<Int32Array> {
    const { by } = sort;
    const figures = await this.line(side, typeof by === "number" ? by : 0, lifetime);
    // The pull has brought the margins of the whole side along.
    const { margins } = this.axes[side];
    const values = figures.map((cell, i) =>
      typeof by === "number" ? this.metric.value(cell) : (margins.get(i)?.[by] ?? Number.NaN),
    );
    return sortedOrder(values, sort.direction);
  }

  /** The figures along one line: from what is here, if it is all here, else pulled. */
  private async line(side: Side, line: number, lifetime: AbortSignal): Promise<Figures[]> {
    const count = this.count(side);
    const along = { start: 0, end: count };
    const across = { start: line, end: line + 1 };
    const down = side === "rows";
    const here = down
      ? this.cells.coversSource(along, across)
      : this.cells.coversSource(across, along);
    const whole = { start: 0, stop: count };
    const tile = here
      ? null
      : await (down ? this.pull(whole, [line], lifetime) : this.pull([line], whole, lifetime));
    return Array.from({ length: count }, (_, i) => {
      const figures = emptyFigures();
      const [row, column] = down ? [i, line] : [line, i];
      if (tile) readFigures(tile, down ? i : 0, down ? 0 : i, figures);
      else this.cells.sourceFigures(row, column, figures);
      return figures;
    });
  }

  private async pull(rows: Positions, columns: Positions, lifetime: AbortSignal): Promise<Tile> {
    const { generation } = this;
    const tile = await pullTile(this.host.requests, generation, rows, columns, lifetime);
    if (generation === this.generation) this.noteMargins(tile, rows, columns);
    return tile;
  }

  private noteMargins(tile: Tile, rows: Positions, columns: Positions): void {
    for (let i = 0; i < tile.rows; i++) {
      const margin = {
        size: tile.at("row_own_size", i, 0),
        sample: tile.at("row_own_sample", i, 0),
      };
      if (!Number.isNaN(margin.size)) this.axes.rows.margins.set(positionAt(rows, i), margin);
    }
    for (let j = 0; j < tile.columns; j++) {
      const margin = {
        size: tile.at("column_own_size", 0, j),
        sample: tile.at("column_own_sample", 0, j),
      };
      if (!Number.isNaN(margin.size)) this.axes.columns.margins.set(positionAt(columns, j), margin);
    }
  }

  private ask(op: string): void {
    this.host.requests
      .request(op, { generation: this.generation })
      .catch((error) => this.fail(error));
  }

  /** What is here stays. */
  private fail(error: unknown): void {
    this.trouble.value = failureOf(error) ?? this.trouble.value;
  }

  private touch(): void {
    this.touched.value += 1;
  }
}

function positionAt(positions: Positions, i: number): number {
  return "start" in positions ? positions.start + i : (positions[i] ?? 0);
}
