/** Blocks of cells that are held, oldest look first, evicted when there are too many bytes. */
import type { Tile } from "./tiles";

export interface Held {
  readonly tile: Tile;
  /** The version of the table that was asked. */
  readonly version: number;
}

export class Blocks {
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

  /** What is looked at is the last to be evicted: a Map keeps the order of insertion. */
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
