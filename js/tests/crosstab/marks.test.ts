// @vitest-environment node
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { emptyFigures } from "../../src/crosstab/data/cellCounts";
import type { Positions } from "../../src/crosstab/data/cells";
import { MarksBlock } from "../../src/crosstab/data/marksBlock";
import { Marks } from "../../src/crosstab/metrics/marks";
import type { MarksHeader } from "../../src/protocol";

const COLUMNS = { start: 0, end: 8 };
const rowsFrom = (start: number) => ({ start, end: start + 20 });

/** Tests whose z is the row, with a letter for each column. */
function block(rows: Positions, columns: Positions): MarksBlock {
  const [down, across] = [rows, columns].map((each) =>
    "start" in each
      ? Array.from({ length: each.stop - each.start }, (_, i) => each.start + i)
      : each,
  ) as [number[], number[]];
  const shape = [down.length, 1] as const;
  const header: MarksHeader = {
    ...{ rows: down.length, columns: across.length, complete: true, reasons: ["", "few"] },
    planes: ["z", "level", "reason", "letters"].map((name, i) => {
      return { name, dtype: "float64", shape, offset: 8 * i * down.length };
    }),
    texts: ["", "B"],
    column_letters: across.map((column) => "ABCDEFGHIJ"[column] ?? ""),
    ...{ method: "Told.", short: "design unknown", problem: "", previous_method: "" },
    unchanged: [],
    ...{ letters_legend: "", letters_method: "", no_letters: "" },
  };
  const planes = [down, down.map(() => -95), down.map(() => 0), down.map((row) => row % 2)];
  return new MarksBlock(header, Float64Array.from(planes.flat()).buffer);
}

function played() {
  const pulled: { rows: Positions; signal: AbortSignal; answer(): void }[] = [];
  const marks = new Marks({
    lifetime: new AbortController().signal,
    pull: (rows, columns, signal) =>
      new Promise((resolve) => {
        pulled.push({ rows, signal, answer: () => resolve(block(rows, columns)) });
      }),
    onArrive: () => {},
    onError: () => {},
  });
  marks.reset(1000, 10);
  const read = (row: number) => {
    const figures = emptyFigures();
    marks.read(row, 1, figures);
    return figures;
  };
  return { marks, pulled, read };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the tests of cells", () => {
  it("are requested when scrolling pauses, and only those in view", async () => {
    const { marks, pulled } = played();
    marks.complete();
    for (let at = 0; at < 10; at++) {
      marks.need(rowsFrom(32 * at), COLUMNS);
      await vi.advanceTimersByTimeAsync(16);
    }
    expect(pulled).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(pulled.map(({ rows }) => rows)).toEqual([{ start: 288, stop: 320 }]);
  });

  it("are those of the kernel, and its words for the legend", async () => {
    const { marks, pulled, read } = played();
    marks.complete();
    expect(read(3)).toMatchObject({ z: Number.NaN, level: Number.NaN, letters: undefined });
    marks.need(rowsFrom(0), COLUMNS);
    await vi.advanceTimersByTimeAsync(100);
    pulled[0]?.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(read(3)).toMatchObject({ z: 3, level: -95, untested: "", letters: "B" });
    expect(read(4).letters).toBe("");
    expect(read(40).level).toBeNaN();
    expect([marks.headOf(1), marks.headOf(40)]).toEqual(["B", ""]);
    expect(marks.key.value?.short).toBe("design unknown");
  });

  it("wait for the complete table, and for one another", async () => {
    const { marks, pulled } = played();
    marks.need(rowsFrom(0), COLUMNS);
    await vi.advanceTimersByTimeAsync(200);
    expect(pulled).toEqual([]);
    marks.complete();
    marks.need({ start: 20, end: 40 }, COLUMNS);
    await vi.advanceTimersByTimeAsync(100);
    expect(pulled.length).toBe(1);
    pulled[0]?.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(pulled.map(({ rows }) => rows)).toEqual([
      { start: 0, stop: 32 },
      { start: 32, stop: 64 },
    ]);
  });

  it("are cancelled where another place is looked at", async () => {
    const { marks, pulled, read } = played();
    marks.complete();
    marks.need(rowsFrom(0), COLUMNS);
    await vi.advanceTimersByTimeAsync(100);
    marks.need(rowsFrom(640), COLUMNS);
    await vi.advanceTimersByTimeAsync(100);
    expect(pulled.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    pulled[0]?.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(read(3).level).toBeNaN();
  });
});
