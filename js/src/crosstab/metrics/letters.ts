/**
 * The loaded significance letters: requested for visible cells, and cached. The kernel runs the
 * tests, and only for a complete table. Rows and columns are those of the query, whatever the
 * visible order. No DOM.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { abortError, childLifetime, isAbort } from "../../core/lifetime";
import type { LettersPart } from "../../protocol";

export type PullLetters = (
  rows: readonly number[],
  columns: readonly number[],
  signal: AbortSignal,
) => Promise<LettersPart>;

export type LettersKey = Pick<LettersPart, "legend" | "method" | "problem">;

/** Cells per request: the answer is far below the size limit of a message. */
const MOST_CELLS = 20_000;

export class Letters {
  /** The explanation of the letters; null while none have arrived. */
  readonly key: ReadonlySignal<LettersKey | null>;
  private readonly known = signal<LettersKey | null>(null);
  private readonly marks = new Map<number, string>();
  private readonly columnLetters = new Map<number, string>();
  private readonly asked = new Set<number>();
  private readonly wanted = { rows: new Set<number>(), columns: new Set<number>() };
  private columns = 0;
  private isReady = false;
  private isDue = false;
  private epoch: AbortController;

  constructor(
    private readonly lifetime: AbortSignal,
    private readonly pull: PullLetters,
    private readonly onArrive: () => void,
    private readonly onError: (error: unknown) => void,
  ) {
    this.key = this.known;
    this.epoch = childLifetime(lifetime);
  }

  /** Called for another table, or a recount: nothing is known until it is complete. */
  reset(columns: number): void {
    this.columns = columns;
    this.isReady = false;
    this.marks.clear();
    this.columnLetters.clear();
    this.asked.clear();
    this.known.value = null;
    this.epoch.abort(abortError("another table"));
    this.epoch = childLifetime(this.lifetime);
  }

  /** The table is complete: letters may be requested. */
  complete(): void {
    this.isReady = true;
  }

  /** A cell's letters; undefined, and requested, when they are not loaded. */
  at(row: number, column: number): string | undefined {
    const key = row * this.columns + column;
    const mark = this.marks.get(key);
    if (mark === undefined && this.isReady && !this.asked.has(key)) this.want(row, column);
    return mark;
  }

  /** The letter of a column; "" for none, or while it is not known. */
  headOf(column: number): string {
    return this.columnLetters.get(column) ?? "";
  }

  /** Loads the letters of a whole rectangle: for export, not for painting. */
  async gather(rows: readonly number[], columns: readonly number[]): Promise<void> {
    const height = Math.max(1, Math.floor(MOST_CELLS / Math.max(1, columns.length)));
    for (let start = 0; this.isReady && start < rows.length; start += height) {
      await this.bring(rows.slice(start, start + height), columns);
    }
  }

  private want(row: number, column: number): void {
    this.wanted.rows.add(row);
    this.wanted.columns.add(column);
    if (this.isDue) return;
    this.isDue = true;
    // One request for all cells that a painting missed.
    queueMicrotask(() => {
      this.isDue = false;
      const [rows, columns] = [[...this.wanted.rows], [...this.wanted.columns]];
      this.wanted.rows.clear();
      this.wanted.columns.clear();
      this.gather(rows, columns).catch((error) => this.onError(error));
    });
  }

  private async bring(rows: readonly number[], columns: readonly number[]): Promise<void> {
    const { signal } = this.epoch;
    for (const row of rows) {
      for (const column of columns) this.asked.add(row * this.columns + column);
    }
    try {
      const answer = await this.pull(rows, columns, signal);
      if (signal.aborted) return;
      this.keep(answer, rows, columns);
      this.onArrive();
    } catch (error) {
      // A failed request is not repeated, or every painting would fail again.
      if (!signal.aborted && !isAbort(error)) throw error;
    }
  }

  private keep(answer: LettersPart, rows: readonly number[], columns: readonly number[]): void {
    const { legend, method, problem } = answer;
    rows.forEach((row, i) => {
      columns.forEach((column, j) => {
        this.marks.set(row * this.columns + column, answer.marks[i]?.[j] ?? "");
      });
    });
    columns.forEach((column, j) => {
      this.columnLetters.set(column, answer.column_letters[j] ?? "");
    });
    this.known.value = { legend, method, problem };
  }
}
