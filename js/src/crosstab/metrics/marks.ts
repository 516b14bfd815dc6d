/**
 * The tests of cells: arrows, z and letters, computed by the kernel for the cells that are shown.
 * They are requested when scrolling pauses, of a complete table only, so that they never delay a
 * value. Rows and columns are positions in the visible order, as those of the cells. No DOM.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { debounced } from "../../core/lifetime";
import type { Span } from "../../core/windower";
import type { MarksHeader } from "../../protocol";
import type { CellCounts } from "../data/cellCounts";
import { CellCache, type CellCacheOptions, type Positions } from "../data/cells";
import { type MarksBlock, withoutTests } from "../data/marksBlock";

/** Milliseconds without a painting after which the visible cells are tested. */
const QUIET_MS = 80;
/** Few enough cells that a block takes no longer than a blink. */
const SIZE = [32, 16] as const;
const CAPACITY = 4 * 1024 * 1024;

/** What the legend says of the tests. */
export type MarksKey = Omit<MarksHeader, "rows" | "columns" | "complete" | "planes" | "reasons">;

/** Whether the test of a cell is loaded; it may say why there is none. */
export function isTestKnown({ level = Number.NaN }: CellCounts): boolean {
  return !Number.isNaN(level);
}

/**
 * Whether the column's share is significantly above (1) or below (-1) that of the rest of the base,
 * or not (0); null where there is no test.
 */
export function significance(figures: CellCounts, level: number): -1 | 0 | 1 | null {
  const { level: reached = Number.NaN, untested } = figures;
  return Number.isNaN(reached) || untested ? null : sideOf(reached, level);
}

/** The same of a column that is a wave, against the one before; 0 where there is no test. */
export function sinceWaveBefore({ previous = 0 }: CellCounts, level: number): -1 | 0 | 1 {
  return Number.isNaN(previous) ? 0 : sideOf(previous, level);
}

function sideOf(reached: number, level: number): -1 | 0 | 1 {
  return Math.abs(reached) < Math.round(100 * level) ? 0 : reached > 0 ? 1 : -1;
}

type Options = Pick<
  CellCacheOptions<MarksBlock, CellCounts>,
  "lifetime" | "pull" | "onArrive" | "onError"
>;

export class Marks {
  /** What is known of the tests; null while none have arrived. */
  readonly key: ReadonlySignal<MarksKey | null>;
  readonly #known = signal<MarksKey | null>(null);
  readonly #cells: CellCache<MarksBlock, CellCounts>;
  readonly #columnLetters = new Map<number, string>();
  readonly #ask: (rows: Span, columns: Span) => void;
  readonly #longest: Readonly<Record<"rows" | "columns", Map<number, string>>> = {
    rows: new Map(),
    columns: new Map(),
  };
  #isReady = false;
  /** Increases when letters arrive. */
  version = 0;

  constructor(options: Options) {
    this.key = this.#known;
    this.#cells = new CellCache({
      ...options,
      pull: async (rows, columns, signal) => {
        const block = await options.pull(rows, columns, signal);
        if (!signal.aborted) this.#note(block, rows, columns);
        return block;
      },
      read: (block, row, column, out) => block.read(row, column, out),
      capacityBytes: CAPACITY,
      size: SIZE,
      parallel: 1,
      abandons: true,
    });
    this.#ask = debounced(QUIET_MS, options.lifetime, (rows: Span, columns: Span) => {
      if (this.#isReady) this.#cells.need(rows, columns);
    });
  }

  /** Called for another table, a recount, or other tests: nothing is known until it is complete. */
  reset(rows: number, columns: number): void {
    this.#isReady = false;
    this.#columnLetters.clear();
    this.#forget();
    this.#known.value = null;
    this.#cells.reset(rows, columns);
  }

  /** The tests are requested again, such as with letters of another level. */
  restart(): void {
    this.#forget();
    this.#cells.clear();
  }

  setOrder(rows: Int32Array | null, columns: Int32Array | null): void {
    this.#cells.setOrder(rows, columns);
  }

  /** The table is complete: its cells may be tested. */
  complete(): void {
    this.#isReady = true;
  }

  /** Sets the visible rectangle. */
  need(rows: Span, columns: Span): void {
    this.#ask(rows, columns);
  }

  /** Loads the tests of a whole rectangle: for export, not for painting. */
  async gather(rows: Span, columns: Span): Promise<void> {
    if (this.#isReady) await this.#cells.gather(rows, columns);
  }

  /** Adds the test of a cell to its values. */
  read(row: number, column: number, out: CellCounts): void {
    if (!this.#cells.figures(row, column, out)) withoutTests(out);
  }

  /** The letter of a column by its position in the query; "" for none, or while it is not known. */
  headOf(column: number): string {
    return this.#columnLetters.get(column) ?? "";
  }

  /** The longest letters that have arrived of each row, or each column, of the query. */
  longest(side: "rows" | "columns"): ReadonlyMap<number, string> {
    return this.#longest[side];
  }

  #forget(): void {
    this.#longest.rows.clear();
    this.#longest.columns.clear();
    this.version += 1;
  }

  #note(block: MarksBlock, rows: Positions, columns: Positions): void {
    const { header } = block;
    header.column_letters.forEach((letter, i) => {
      this.#columnLetters.set(sourceAt(columns, i), letter);
    });
    for (const [row, column, letters] of block.letters()) {
      keepLonger(this.#longest.rows, sourceAt(rows, row), letters);
      keepLonger(this.#longest.columns, sourceAt(columns, column), letters);
    }
    this.version += 1;
    this.#known.value = header;
  }
}

function sourceAt(positions: Positions, at: number): number {
  return "start" in positions ? positions.start + at : (positions[at] ?? -1);
}

function keepLonger(longest: Map<number, string>, at: number, letters: string): void {
  if (letters.length > (longest.get(at)?.length ?? 0)) longest.set(at, letters);
}
