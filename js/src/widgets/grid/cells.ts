/**
 * The cells that this page has of the table: blocks of it, pulled by need, kept while there is
 * room, and asked for again while the kernel still counts. No DOM, and no order: rows and
 * columns are places in the order that `setOrder` gave.
 */
import { abortError, childLifetime, isAbort } from "../../shared/lifetime";
import type { Span } from "../../shared/windower";
import { type Figures, readFigures } from "./figures";
import type { Tile } from "./tiles";

/** Source positions: a range, or a list where the order is not the request's. */
export type Positions = { readonly start: number; readonly stop: number } | readonly number[];

export type PullTile = (rows: Positions, columns: Positions, signal: AbortSignal) => Promise<Tile>;

export interface CellsOptions {
  readonly lifetime: AbortSignal;
  readonly pull: PullTile;
  /** A block came, or came again. */
  readonly onArrive: () => void;
  readonly onError: (error: unknown) => void;
  readonly capacityBytes?: number;
}

/** Large enough that a screen needs few, small enough that one comes in a blink. */
export const BLOCK_ROWS = 64;
export const BLOCK_COLUMNS = 32;
/** More at once would only make the block that is looked at wait for those that are not. */
const PARALLEL = 3;
const CAPACITY = 32 * 1024 * 1024;

interface Held {
  readonly tile: Tile;
  /** The version of the table that was asked. */
  readonly version: number;
}

export class Cells {
  private held = new Map<number, Held>();
  private heldBytes = 0;
  private readonly running = new Set<number>();
  private wanted: number[] = [];
  private epoch: AbortController;
  private version = 0;
  private rows = 0;
  private columns = 0;
  private rowOrder: Int32Array | null = null;
  private columnOrder: Int32Array | null = null;
  private readonly capacity: number;

  constructor(private readonly options: CellsOptions) {
    this.epoch = childLifetime(options.lifetime);
    this.capacity = options.capacityBytes ?? CAPACITY;
  }

  /** Another table: nothing of the old one is of use. */
  reset(rows: number, columns: number): void {
    this.rows = rows;
    this.columns = columns;
    this.version = 0;
    this.setOrder(null, null);
  }

  /** Which source row and column stands at each place; null is the order of the request. */
  setOrder(rows: Int32Array | null, columns: Int32Array | null): void {
    this.rowOrder = rows;
    this.columnOrder = columns;
    this.epoch.abort(abortError("the table was put in another order"));
    this.epoch = childLifetime(this.options.lifetime);
    this.held = new Map();
    this.heldBytes = 0;
    this.running.clear();
    this.wanted = [];
  }

  /** The kernel has counted more: blocks with gaps are worth asking for again. */
  freshen(version: number): void {
    this.version = version;
    this.pump();
  }

  /** Fills `out` and answers true if this page holds the cell's block. */
  figures(row: number, column: number, out: Figures): boolean {
    const held = this.held.get(this.keyAt(row, column));
    if (held === undefined) return false;
    readFigures(held.tile, row % BLOCK_ROWS, column % BLOCK_COLUMNS, out);
    return true;
  }

  /** Whether every cell of the rectangle is held and counted. */
  covers(rows: Span, columns: Span): boolean {
    return this.blocks(rows, columns).every((key) => this.held.get(key)?.tile.complete === true);
  }

  /** Says what is looked at now; whatever was wanted before and is not begun is forgotten. */
  need(rows: Span, columns: Span): void {
    this.wanted = this.blocks(rows, columns);
    for (const key of this.wanted) this.touch(key);
    this.pump();
  }

  /** Brings a whole rectangle here, however large: for copying, not for painting. */
  async gather(rows: Span, columns: Span): Promise<void> {
    const missing = this.blocks(rows, columns).filter((key) => this.lacks(key));
    await Promise.all(missing.map((key) => this.pullBlock(key)));
  }

  private blocks(rows: Span, columns: Span): number[] {
    const keys: number[] = [];
    const rowEnd = Math.min(rows.end, this.rows);
    const columnEnd = Math.min(columns.end, this.columns);
    for (let i = Math.floor(rows.start / BLOCK_ROWS); i * BLOCK_ROWS < rowEnd; i++) {
      for (let j = Math.floor(columns.start / BLOCK_COLUMNS); j * BLOCK_COLUMNS < columnEnd; j++) {
        keys.push(i * this.blockColumns + j);
      }
    }
    return keys;
  }

  private get blockColumns(): number {
    return Math.ceil(this.columns / BLOCK_COLUMNS);
  }

  private keyAt(row: number, column: number): number {
    return Math.floor(row / BLOCK_ROWS) * this.blockColumns + Math.floor(column / BLOCK_COLUMNS);
  }

  private lacks(key: number): boolean {
    const held = this.held.get(key);
    return held === undefined || (!held.tile.complete && held.version < this.version);
  }

  private pump(): void {
    for (const key of this.wanted) {
      if (this.running.size >= PARALLEL) return;
      if (!this.running.has(key) && this.lacks(key)) void this.pullBlock(key);
    }
  }

  private async pullBlock(key: number): Promise<void> {
    const { signal } = this.epoch;
    const { version } = this;
    const row = Math.floor(key / this.blockColumns) * BLOCK_ROWS;
    const column = (key % this.blockColumns) * BLOCK_COLUMNS;
    this.running.add(key);
    try {
      const tile = await this.options.pull(
        positions(this.rowOrder, row, Math.min(this.rows, row + BLOCK_ROWS)),
        positions(this.columnOrder, column, Math.min(this.columns, column + BLOCK_COLUMNS)),
        signal,
      );
      if (signal.aborted) return;
      this.running.delete(key);
      this.keep(key, { tile, version });
      this.options.onArrive();
      this.pump();
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.running.delete(key);
      this.wanted = this.wanted.filter((other) => other !== key);
      this.options.onError(error);
    }
  }

  private keep(key: number, held: Held): void {
    this.heldBytes += held.tile.bytes - (this.held.get(key)?.tile.bytes ?? 0);
    this.held.delete(key);
    this.held.set(key, held);
    for (const [oldest, { tile }] of this.held) {
      if (this.heldBytes <= this.capacity || oldest === key) return;
      this.held.delete(oldest);
      this.heldBytes -= tile.bytes;
    }
  }

  /** What is looked at is the last to be evicted: a Map keeps the order of insertion. */
  private touch(key: number): void {
    const held = this.held.get(key);
    if (held === undefined) return;
    this.held.delete(key);
    this.held.set(key, held);
  }
}

function positions(order: Int32Array | null, start: number, stop: number): Positions {
  return order === null ? { start, stop } : Array.from(order.subarray(start, stop));
}
