/**
 * The loaded cells of the table, in blocks: loaded on demand, kept in a bounded cache, and loaded
 * again while the kernel is counting. Rows and columns are positions in the order that `setOrder`
 * gave. Blocks in the query's order are kept when the order changes, so that a fully loaded table
 * is sorted without a request. No DOM.
 */
import { abortError, childLifetime, isAbort } from "../../core/lifetime";
import type { Span } from "../../core/windower";
import { type CellCounts, readCounts } from "./cellCounts";
import type { Tile } from "./tiles";

/** Positions in the query: a range, or a list where the order is not the query's. */
export type Positions = { readonly start: number; readonly stop: number } | readonly number[];

export type PullTile = (rows: Positions, columns: Positions, signal: AbortSignal) => Promise<Tile>;

export interface CellCacheOptions {
  readonly lifetime: AbortSignal;
  readonly pull: PullTile;
  /** Called when a block arrives, each time. */
  readonly onArrive: () => void;
  readonly onError: (error: unknown) => void;
  readonly capacityBytes?: number;
}

/** Large enough that a screen needs few, small enough to load fast. */
const BLOCK_ROWS = 64;
const BLOCK_COLUMNS = 32;
/** With more parallel requests, visible blocks would wait for blocks that are out of view. */
const PARALLEL = 3;
const CAPACITY = 24 * 1024 * 1024;

export class CellCache {
  /** Blocks in the query's order, and blocks in the visible order. */
  private readonly natural: Blocks;
  private readonly ordered: Blocks;
  private readonly running = new Set<number>();
  private wanted: number[] = [];
  private epoch: AbortController;
  private version = 0;
  private rows = 0;
  private columns = 0;
  private rowOrder: Int32Array | null = null;
  private columnOrder: Int32Array | null = null;

  constructor(private readonly options: CellCacheOptions) {
    const capacity = options.capacityBytes ?? CAPACITY;
    this.natural = new Blocks(capacity);
    this.ordered = new Blocks(capacity);
    this.epoch = childLifetime(options.lifetime);
  }

  /** Discards the blocks of the old table. */
  reset(rows: number, columns: number): void {
    this.rows = rows;
    this.columns = columns;
    this.version = 0;
    this.natural.clear();
    this.reorder(null, null);
  }

  /**
   * The row and column of the query at each position; null is the order of the query. An order may
   * omit rows or columns.
   */
  setOrder(rows: Int32Array | null, columns: Int32Array | null): void {
    if (rows === this.rowOrder && columns === this.columnOrder) return;
    this.reorder(rows, columns);
  }

  /** The kernel has counted more: incomplete blocks are loaded again when needed. */
  freshen(version: number): void {
    this.version = version;
    this.pump();
  }

  /** Fills `out`; returns whether the cell's block is loaded. */
  figures(row: number, column: number, out: CellCounts): boolean {
    if (this.isOrdered && read(this.ordered, this.keyAt(row, column), row, column, out))
      return true;
    return this.sourceFigures(at(this.rowOrder, row), at(this.columnOrder, column), out);
  }

  /** The same for a position in the query's order. */
  sourceFigures(row: number, column: number, out: CellCounts): boolean {
    return read(this.natural, this.naturalKey(row, column), row, column, out);
  }

  /** Whether every cell of the rectangle is loaded and counted. */
  covers(rows: Span, columns: Span): boolean {
    return this.blocks(rows, columns).every((key) => this.isCovered(key));
  }

  /** The same for a rectangle in the query's order. */
  coversSource(rows: Span, columns: Span): boolean {
    const width = blocksIn(this.columns);
    return this.keys(rows, columns, width).every((key) => this.natural.isComplete(key));
  }

  /** Sets the visible rectangle; queued requests for earlier rectangles are dropped. */
  need(rows: Span, columns: Span): void {
    this.wanted = this.blocks(rows, columns);
    for (const key of this.wanted) this.shown.touch(key);
    this.pump();
  }

  /**
   * Loads a whole rectangle of any size: for copying, not for painting. Rejects where a part fails,
   * and with an AbortError if the order changes meanwhile.
   */
  async gather(rows: Span, columns: Span): Promise<void> {
    const missing = this.blocks(rows, columns).filter((key) => this.lacks(key));
    await Promise.all(missing.map((key) => this.bring(key)));
  }

  // -- blocks --------------------------------------------------------------------------------

  private get isOrdered(): boolean {
    return this.rowOrder !== null || this.columnOrder !== null;
  }

  private get shown(): Blocks {
    return this.isOrdered ? this.ordered : this.natural;
  }

  private get shownRows(): number {
    return this.rowOrder?.length ?? this.rows;
  }

  private get shownColumns(): number {
    return this.columnOrder?.length ?? this.columns;
  }

  /** Blocks per row of blocks, in the visible order. */
  private get blockColumns(): number {
    return blocksIn(this.shownColumns);
  }

  private keyAt(row: number, column: number): number {
    return blockOf(row, column, this.blockColumns);
  }

  private naturalKey(row: number, column: number): number {
    return blockOf(row, column, blocksIn(this.columns));
  }

  private blocks(rows: Span, columns: Span): number[] {
    const { start, end } = rows;
    const shown = { start, end: Math.min(end, this.shownRows) };
    const across = { start: columns.start, end: Math.min(columns.end, this.shownColumns) };
    return this.keys(shown, across, this.blockColumns);
  }

  private keys(rows: Span, columns: Span, width: number): number[] {
    const keys: number[] = [];
    for (let i = Math.floor(rows.start / BLOCK_ROWS); i * BLOCK_ROWS < rows.end; i++) {
      for (
        let j = Math.floor(columns.start / BLOCK_COLUMNS);
        j * BLOCK_COLUMNS < columns.end;
        j++
      ) {
        keys.push(i * width + j);
      }
    }
    return keys;
  }

  /** The rows and columns of a block, in the visible order. */
  private placesOf(key: number): { rows: Span; columns: Span } {
    const row = Math.floor(key / this.blockColumns) * BLOCK_ROWS;
    const column = (key % this.blockColumns) * BLOCK_COLUMNS;
    return {
      rows: { start: row, end: Math.min(this.shownRows, row + BLOCK_ROWS) },
      columns: { start: column, end: Math.min(this.shownColumns, column + BLOCK_COLUMNS) },
    };
  }

  private isCovered(key: number): boolean {
    return this.shown.isComplete(key) || (this.isOrdered && this.naturalHolds(key));
  }

  /** Whether all cells of a block are loaded in the query's order. */
  private naturalHolds(key: number): boolean {
    const { rows, columns } = this.placesOf(key);
    const down = blockNumbers(this.rowOrder, rows, BLOCK_ROWS);
    const across = blockNumbers(this.columnOrder, columns, BLOCK_COLUMNS);
    for (const i of down) {
      for (const j of across) {
        if (!this.natural.isComplete(i * blocksIn(this.columns) + j)) return false;
      }
    }
    return true;
  }

  private lacks(key: number): boolean {
    if (this.isCovered(key)) return false;
    const held = this.shown.get(key);
    return held === undefined || held.version < this.version;
  }

  private reorder(rows: Int32Array | null, columns: Int32Array | null): void {
    this.rowOrder = rows;
    this.columnOrder = columns;
    this.epoch.abort(abortError("the table was put in another order"));
    this.epoch = childLifetime(this.options.lifetime);
    this.ordered.clear();
    this.running.clear();
    this.wanted = [];
  }

  // -- requests ---------------------------------------------------------------------------------

  private pump(): void {
    for (const key of this.wanted) {
      if (this.running.size >= PARALLEL) return;
      if (!this.running.has(key) && this.lacks(key)) void this.pullBlock(key);
    }
  }

  private async pullBlock(key: number): Promise<void> {
    const { signal } = this.epoch;
    try {
      await this.bring(key);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.wanted = this.wanted.filter((other) => other !== key);
      this.options.onError(error);
    }
  }

  private async bring(key: number): Promise<void> {
    const { signal } = this.epoch;
    const { version, shown } = this;
    const { rows, columns } = this.placesOf(key);
    this.running.add(key);
    try {
      const tile = await this.options.pull(
        positions(this.rowOrder, rows),
        positions(this.columnOrder, columns),
        signal,
      );
      if (signal.aborted) throw abortError("another table, or another order");
      shown.put(key, { tile, version });
    } finally {
      // After an abort, the entry belongs to a request of the next order.
      if (!signal.aborted) this.running.delete(key);
    }
    this.options.onArrive();
    this.pump();
  }
}

function read(blocks: Blocks, key: number, row: number, column: number, out: CellCounts): boolean {
  const held = blocks.get(key);
  if (held === undefined) return false;
  readCounts(held.tile, row % BLOCK_ROWS, column % BLOCK_COLUMNS, out);
  return true;
}

function blocksIn(columns: number): number {
  return Math.ceil(columns / BLOCK_COLUMNS);
}

function blockOf(row: number, column: number, width: number): number {
  return Math.floor(row / BLOCK_ROWS) * width + Math.floor(column / BLOCK_COLUMNS);
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

interface Held {
  readonly tile: Tile;
  /** The version of the table when it was requested. */
  readonly version: number;
}

/** An LRU cache of blocks, bounded by bytes. */
class Blocks {
  private readonly held = new Map<number, Held>();
  private bytes = 0;

  constructor(private readonly capacity: number) {}

  get(key: number): Held | undefined {
    return this.held.get(key);
  }

  isComplete(key: number): boolean {
    return this.held.get(key)?.tile.complete === true;
  }

  put(key: number, block: Held): void {
    this.bytes += block.tile.bytes - (this.held.get(key)?.tile.bytes ?? 0);
    this.held.delete(key);
    this.held.set(key, block);
    for (const [oldest, { tile }] of this.held) {
      if (this.bytes <= this.capacity || oldest === key) return;
      this.held.delete(oldest);
      this.bytes -= tile.bytes;
    }
  }

  /** Makes a block the last to be evicted: a Map keeps insertion order. */
  touch(key: number): void {
    const block = this.held.get(key);
    if (block === undefined) return;
    this.held.delete(key);
    this.held.set(key, block);
  }

  clear(): void {
    this.held.clear();
    this.bytes = 0;
  }
}
