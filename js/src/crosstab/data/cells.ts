/**
 * What is loaded of the cells of the table, in blocks: loaded on demand, kept in a bounded cache,
 * and loaded again while the kernel is counting. Rows and columns are positions in the order that
 * `setOrder` gave. Blocks in the query's order are kept when the order changes, so that a fully
 * loaded table is sorted without a request. No DOM.
 */
import { abortError, childLifetime, isAbort } from "../../core/lifetime";
import type { Span } from "../../core/windower";
import type { Positions } from "../../protocol";
import { type Block, Blocks } from "./blocks";
import type { ReadCells } from "./last";

export type { Positions };

/** B: what is loaded. C: what of it is read for a cell. */
export interface CellCacheOptions<B extends Block, C> {
  readonly lifetime: AbortSignal;
  readonly pull: (rows: Positions, columns: Positions, signal: AbortSignal) => Promise<B>;
  /** Fills the caller's `out`, so that painting allocates nothing. */
  readonly read: (block: B, row: number, column: number, out: C) => void;
  /** Called when a block arrives, each time. */
  readonly onArrive: () => void;
  readonly onError: (error: unknown) => void;
  readonly capacityBytes?: number;
  /** Rows and columns of a block. */
  readonly size?: readonly [number, number];
  /** Parallel requests. */
  readonly parallel?: number;
  /** Whether requests for blocks out of view are cancelled. */
  readonly abandons?: boolean;
}

/** Large enough that a screen needs few, small enough to load fast. */
const SIZE = [64, 32] as const;
/** With more parallel requests, visible blocks would wait for blocks that are out of view. */
const PARALLEL = 3;
const CAPACITY = 24 * 1024 * 1024;

export class CellCache<B extends Block, C> {
  /** Blocks in the query's order, and blocks in the visible order. */
  #natural: Blocks<B>;
  #ordered: Blocks<B>;
  readonly #running = new Map<number, AbortController>();
  private readonly blockRows: number;
  private readonly blockColumns: number;
  readonly #parallel: number;
  #wanted: number[] = [];
  #epoch: AbortController;
  private version = 0;
  #rows = 0;
  #columns = 0;
  #rowOrder: Int32Array | null = null;
  #columnOrder: Int32Array | null = null;

  constructor(private readonly options: CellCacheOptions<B, C>) {
    [this.blockRows, this.blockColumns] = options.size ?? SIZE;
    this.#parallel = options.parallel ?? PARALLEL;
    [this.#natural, this.#ordered] = [this.#empty(), this.#empty()];
    this.#epoch = childLifetime(options.lifetime);
  }

  /** Starts another table; what is returned reads the cells of the old one. */
  reset(rows: number, columns: number): ReadCells<C> {
    const before = this.#reader();
    [this.#natural, this.#ordered] = [this.#empty(), this.#empty()];
    this.#rows = rows;
    this.#columns = columns;
    this.version = 0;
    this.clear(null, null);
    return before;
  }

  #empty(): Blocks<B> {
    return new Blocks(this.options.capacityBytes ?? CAPACITY);
  }

  #reader(): ReadCells<C> {
    const natural = this.#natural;
    const ordered = this.#isOrdered ? this.#ordered : null;
    const [wide, across] = [this.#blocksIn(this.#columns), this.across];
    const [down, over] = [placesIn(this.#rowOrder), placesIn(this.#columnOrder)];
    return (row, column, out) => {
      if (this.#read(natural, this.#blockOf(row, column, wide), row, column, out)) return true;
      const [line, place] = [down ? down.get(row) : row, over ? over.get(column) : column];
      if (!ordered || line === undefined || place === undefined) return false;
      return this.#read(ordered, this.#blockOf(line, place, across), line, place, out);
    };
  }

  /** Discards all blocks; the order stays. */
  clear(rows = this.#rowOrder, columns = this.#columnOrder): void {
    this.#natural.clear();
    this.#reorder(rows, columns);
  }

  /**
   * The row and column of the query at each position; null is the order of the query. An order may
   * omit rows or columns.
   */
  setOrder(rows: Int32Array | null, columns: Int32Array | null): void {
    if (rows === this.#rowOrder && columns === this.#columnOrder) return;
    this.#reorder(rows, columns);
  }

  /** The kernel has counted more: incomplete blocks are loaded again when needed. */
  freshen(version: number): void {
    this.version = version;
    this.#pump();
  }

  /** Fills `out`; returns whether the cell's block is loaded. */
  figures(row: number, column: number, out: C): boolean {
    if (this.#isOrdered && this.#read(this.#ordered, this.#keyAt(row, column), row, column, out))
      return true;
    return this.sourceFigures(at(this.#rowOrder, row), at(this.#columnOrder, column), out);
  }

  /** The same for a position in the query's order. */
  sourceFigures(row: number, column: number, out: C): boolean {
    return this.#read(this.#natural, this.#naturalKey(row, column), row, column, out);
  }

  #read(blocks: Blocks<B>, key: number, row: number, column: number, out: C): boolean {
    const held = blocks.get(key);
    if (held === undefined) return false;
    const { blockRows, blockColumns } = this;
    this.options.read(held.block, row % blockRows, column % blockColumns, out);
    return true;
  }

  /** Whether every cell of the rectangle is loaded and counted. */
  covers(rows: Span, columns: Span): boolean {
    return this.#blocks(rows, columns).every((key) => this.#isCovered(key));
  }

  /** The same for a rectangle in the query's order. */
  coversSource(rows: Span, columns: Span): boolean {
    const width = this.#blocksIn(this.#columns);
    return this.#keys(rows, columns, width).every((key) => this.#natural.isComplete(key));
  }

  /** Sets the visible rectangle; queued requests for earlier rectangles are dropped. */
  need(rows: Span, columns: Span): void {
    this.#wanted = this.#blocks(rows, columns);
    for (const key of this.#wanted) this.shown.touch(key);
    if (this.options.abandons) {
      for (const [key, request] of this.#running) {
        if (this.#wanted.includes(key)) continue;
        this.#running.delete(key);
        request.abort(abortError("out of view"));
      }
    }
    this.#pump();
  }

  /**
   * Loads a whole rectangle of any size: for copying, not for painting. Rejects where a part fails,
   * and with an AbortError if the order changes meanwhile.
   */
  async gather(rows: Span, columns: Span): Promise<void> {
    const missing = this.#blocks(rows, columns).filter((key) => this.#lacks(key));
    await Promise.all(missing.map((key) => this.#bring(key)));
  }

  // -- blocks --------------------------------------------------------------------------------

  get #isOrdered(): boolean {
    return this.#rowOrder !== null || this.#columnOrder !== null;
  }

  private get shown(): Blocks<B> {
    return this.#isOrdered ? this.#ordered : this.#natural;
  }

  get #shownRows(): number {
    return this.#rowOrder?.length ?? this.#rows;
  }

  get #shownColumns(): number {
    return this.#columnOrder?.length ?? this.#columns;
  }

  /** Blocks per row of blocks, in the visible order. */
  private get across(): number {
    return this.#blocksIn(this.#shownColumns);
  }

  #keyAt(row: number, column: number): number {
    return this.#blockOf(row, column, this.across);
  }

  #naturalKey(row: number, column: number): number {
    return this.#blockOf(row, column, this.#blocksIn(this.#columns));
  }

  #blocksIn(columns: number): number {
    return Math.ceil(columns / this.blockColumns);
  }

  #blockOf(row: number, column: number, width: number): number {
    return Math.floor(row / this.blockRows) * width + Math.floor(column / this.blockColumns);
  }

  #blocks(rows: Span, columns: Span): number[] {
    const { start, end } = rows;
    const shown = { start, end: Math.min(end, this.#shownRows) };
    const across = { start: columns.start, end: Math.min(columns.end, this.#shownColumns) };
    return this.#keys(shown, across, this.across);
  }

  #keys(rows: Span, columns: Span, width: number): number[] {
    const { blockRows: height, blockColumns: across } = this;
    const keys: number[] = [];
    for (let i = Math.floor(rows.start / height); i * height < rows.end; i++) {
      for (let j = Math.floor(columns.start / across); j * across < columns.end; j++) {
        keys.push(i * width + j);
      }
    }
    return keys;
  }

  /** The rows and columns of a block, in the visible order. */
  #placesOf(key: number): { rows: Span; columns: Span } {
    const row = Math.floor(key / this.across) * this.blockRows;
    const column = (key % this.across) * this.blockColumns;
    return {
      rows: { start: row, end: Math.min(this.#shownRows, row + this.blockRows) },
      columns: { start: column, end: Math.min(this.#shownColumns, column + this.blockColumns) },
    };
  }

  #isCovered(key: number): boolean {
    return this.shown.isComplete(key) || (this.#isOrdered && this.#naturalHolds(key));
  }

  /** Whether all cells of a block are loaded in the query's order. */
  #naturalHolds(key: number): boolean {
    const { rows, columns } = this.#placesOf(key);
    const down = blockNumbers(this.#rowOrder, rows, this.blockRows);
    const across = blockNumbers(this.#columnOrder, columns, this.blockColumns);
    for (const i of down) {
      for (const j of across) {
        if (!this.#natural.isComplete(i * this.#blocksIn(this.#columns) + j)) return false;
      }
    }
    return true;
  }

  #lacks(key: number): boolean {
    if (this.#isCovered(key)) return false;
    const held = this.shown.get(key);
    return held === undefined || held.version < this.version;
  }

  #reorder(rows: Int32Array | null, columns: Int32Array | null): void {
    this.#rowOrder = rows;
    this.#columnOrder = columns;
    this.#epoch.abort(abortError("the table was put in another order"));
    this.#epoch = childLifetime(this.options.lifetime);
    this.#ordered.clear();
    this.#running.clear();
    this.#wanted = [];
  }

  // -- requests ---------------------------------------------------------------------------------

  #pump(): void {
    for (const key of this.#wanted) {
      if (this.#running.size >= this.#parallel) return;
      if (!this.#running.has(key) && this.#lacks(key)) void this.#pullBlock(key);
    }
  }

  async #pullBlock(key: number): Promise<void> {
    const { signal } = this.#epoch;
    try {
      await this.#bring(key);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.#wanted = this.#wanted.filter((other) => other !== key);
      this.options.onError(error);
      this.#pump();
    }
  }

  async #bring(key: number): Promise<void> {
    const { abandons } = this.options;
    const request = abandons ? childLifetime(this.#epoch.signal) : this.#epoch;
    const { version, shown } = this;
    const { rows, columns } = this.#placesOf(key);
    this.#running.set(key, request);
    try {
      const block = await this.options.pull(
        positions(this.#rowOrder, rows),
        positions(this.#columnOrder, columns),
        request.signal,
      );
      if (request.signal.aborted) throw abortError("another table, or another order");
      shown.put(key, { block, version });
    } finally {
      // After another order, the entry belongs to a request of that.
      if (this.#running.get(key) === request) this.#running.delete(key);
      // So that it no longer listens to the end of the table.
      if (abandons) request.abort(abortError("answered"));
    }
    this.options.onArrive();
    this.#pump();
  }
}

/** The visible positions of items by those in the query; null where both are the same. */
function placesIn(order: Int32Array | null): ReadonlyMap<number, number> | null {
  return order && new Map(Array.from(order, (source, place) => [source, place]));
}

function at(order: Int32Array | null, place: number): number {
  return order?.[place] ?? place;
}

function positions(order: Int32Array | null, { start, end }: Span): Positions {
  return order === null ? { start, stop: end } : Array.from(order.subarray(start, end));
}

/** Numbers of the blocks, along one axis, that contain a span's positions in the query. */
function blockNumbers(order: Int32Array | null, { start, end }: Span, size: number): Set<number> {
  const numbers = new Set<number>();
  for (let place = start; place < end; place++) numbers.add(Math.floor(at(order, place) / size));
  return numbers;
}
