/** What is loaded of a table by the number of its block. */

/** The cells of a rectangle; a complete one is not requested again. */
export interface Block {
  readonly complete: boolean;
  readonly bytes: number;
}

interface Held<B> {
  readonly block: B;
  /** The version of the table when it was requested. */
  readonly version: number;
}

/** An LRU cache of blocks, bounded by bytes. */
export class Blocks<B extends Block> {
  readonly #held = new Map<number, Held<B>>();
  #bytes = 0;

  constructor(private readonly capacity: number) {}

  get(key: number): Held<B> | undefined {
    return this.#held.get(key);
  }

  isComplete(key: number): boolean {
    return this.#held.get(key)?.block.complete === true;
  }

  put(key: number, held: Held<B>): void {
    this.#bytes += held.block.bytes - (this.#held.get(key)?.block.bytes ?? 0);
    this.#held.delete(key);
    this.#held.set(key, held);
    for (const [oldest, { block }] of this.#held) {
      // The block itself is kept, even if it alone exceeds the capacity.
      if (this.#bytes <= this.capacity || oldest === key) return;
      this.#held.delete(oldest);
      this.#bytes -= block.bytes;
    }
  }

  /** Makes a block the last to be evicted: a Map keeps insertion order. */
  touch(key: number): void {
    const block = this.#held.get(key);
    if (block === undefined) return;
    this.#held.delete(key);
    this.#held.set(key, block);
  }

  clear(): void {
    this.#held.clear();
    this.#bytes = 0;
  }
}
