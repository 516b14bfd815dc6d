// @vitest-environment node
import { describe, expect, it } from "vitest";
import { emptyFigures, readCounts } from "../../src/crosstab/data/cellCounts";
import { CellCache, type Positions } from "../../src/crosstab/data/cells";
import { Tile, type TileLayout } from "../../src/crosstab/data/tiles";
import { settle } from "../core/fakes";

const SCREEN = { start: 0, end: 20 };
const ALL = { start: 0, end: 1000 };

interface Pulled {
  rows: Positions;
  signal: AbortSignal;
  /** The kernel's answer: each cell's size is its row of the query. */
  answer(complete?: boolean): void;
  fail(): void;
}

function tile(rows: Positions, complete: boolean): Tile {
  const places = "start" in rows ? range(rows.start, rows.stop) : rows;
  const header: TileLayout = {
    rows: places.length,
    columns: 10,
    complete,
    planes: [{ name: "size", dtype: "float64", shape: [places.length, 1], offset: 0 }],
  };
  return new Tile(header, Float64Array.from(places).buffer);
}

function range(start: number, stop: number): number[] {
  return Array.from({ length: stop - start }, (_, i) => start + i);
}

/** Cells of 1,000 × 10 with a kernel that the test plays. */
function played(capacityBytes?: number, more: { parallel?: number; abandons?: boolean } = {}) {
  const pulled: Pulled[] = [];
  const errors: unknown[] = [];
  const lifetime = new AbortController();
  const cells = new CellCache({
    lifetime: lifetime.signal,
    pull: (rows, _, signal) =>
      new Promise((resolve, reject) => {
        pulled.push({
          rows,
          signal,
          answer: (complete = true) => resolve(tile(rows, complete)),
          fail: () => reject(new Error("no")),
        });
      }),
    read: readCounts,
    onArrive: () => {},
    onError: (error) => errors.push(error),
    ...(capacityBytes !== undefined && { capacityBytes }),
    ...more,
  });
  cells.reset(1000, 10);
  const sizeAt = (row: number) => {
    const figures = emptyFigures();
    return cells.figures(row, 0, figures) ? figures.size : null;
  };
  const firsts = () => pulled.map(({ rows }) => ("start" in rows ? rows.start : rows[0]));
  return { cells, pulled, errors, lifetime, sizeAt, firsts };
}

describe("Cells", () => {
  it("loads a visible block once, however often it is read", async () => {
    const { cells, pulled, sizeAt } = played();
    cells.need(SCREEN, SCREEN);
    cells.need(SCREEN, SCREEN);
    expect(pulled.length).toBe(1);
    expect(sizeAt(5)).toBeNull();
    pulled[0]?.answer();
    await settle();
    cells.need(SCREEN, SCREEN);
    expect(pulled.length).toBe(1);
    expect(sizeAt(5)).toBe(5);
  });

  it("sends few requests at a time, and drops blocks that were scrolled past", async () => {
    const { cells, pulled, firsts } = played();
    cells.need(ALL, SCREEN);
    expect(firsts()).toEqual([0, 64, 128]);
    cells.need({ start: 900, end: 920 }, SCREEN);
    pulled[0]?.answer();
    await settle();
    expect(firsts()).toEqual([0, 64, 128, 896]);
  });

  it("reloads incomplete blocks, only after the kernel has counted more", async () => {
    const { cells, pulled } = played();
    cells.need(SCREEN, SCREEN);
    pulled[0]?.answer(false);
    await settle();
    cells.need(SCREEN, SCREEN);
    expect(pulled.length).toBe(1);
    cells.freshen(1);
    expect(pulled.length).toBe(2);
  });

  it("cancels all requests when the order changes", async () => {
    const { cells, pulled, sizeAt } = played();
    cells.need(SCREEN, SCREEN);
    cells.setOrder(Int32Array.from(range(0, 1000).reverse()), null);
    expect(pulled[0]?.signal.aborted).toBe(true);
    pulled[0]?.answer();
    await settle();
    expect(sizeAt(5)).toBeNull();
    cells.need(SCREEN, SCREEN);
    expect(pulled[1]?.rows).toEqual(range(936, 1000).reverse());
    pulled[1]?.answer();
    await settle();
    expect(sizeAt(5)).toBe(994);
  });

  it("shows loaded cells in any order without a request", async () => {
    const { cells, pulled, sizeAt } = played();
    cells.reset(100, 10);
    cells.need(ALL, SCREEN);
    for (const pull of pulled) pull.answer();
    await settle();
    cells.setOrder(Int32Array.from(range(0, 100).reverse()), null);
    cells.need(ALL, SCREEN);
    expect(pulled.length).toBe(2);
    expect([sizeAt(0), sizeAt(99)]).toEqual([99, 0]);
    expect(cells.covers(ALL, SCREEN)).toBe(true);
  });

  it("evicts the least recently used blocks", async () => {
    const block = 64 * 8;
    const { cells, pulled, sizeAt } = played(2 * block);
    for (const start of [0, 64, 0, 128]) {
      cells.need({ start, end: start + 1 }, SCREEN);
      pulled.at(-1)?.answer();
      await settle();
    }
    expect([sizeAt(0), sizeAt(64), sizeAt(128)]).toEqual([0, null, 128]);
  });

  it("reports a failure and tries again when the block is visible again", async () => {
    const { cells, pulled, errors } = played();
    cells.need(SCREEN, SCREEN);
    pulled[0]?.fail();
    await settle();
    expect(errors.length).toBe(1);
    cells.need(SCREEN, SCREEN);
    expect(pulled.length).toBe(2);
  });

  it("loads the other visible blocks after a failure", async () => {
    const { cells, pulled } = played(undefined, { parallel: 1 });
    cells.need({ start: 0, end: 100 }, ALL);
    pulled[0]?.fail();
    await settle();
    expect(pulled.map(({ rows }) => rows)).toEqual([
      { start: 0, stop: 64 },
      { start: 64, stop: 128 },
    ]);
  });

  it("gathers a rectangle that was never on the screen", async () => {
    const { cells, pulled } = played();
    const gathered = cells.gather(ALL, SCREEN);
    expect(pulled.length).toBe(16);
    for (const pull of pulled) pull.answer();
    await gathered;
    expect(cells.covers(ALL, SCREEN)).toBe(true);
  });

  it("gathers all or nothing", async () => {
    const { cells, pulled, errors } = played();
    const gathered = cells.gather(ALL, SCREEN);
    pulled[3]?.fail();
    await expect(gathered).rejects.toThrow("no");
    expect(errors).toEqual([]);
    const again = cells.gather(ALL, SCREEN);
    cells.setOrder(Int32Array.from(range(0, 1000).reverse()), null);
    for (const pull of pulled) pull.answer();
    await expect(again).rejects.toThrow("another order");
  });

  it("sends nothing once the view is closed", async () => {
    const { cells, pulled, errors, lifetime, sizeAt } = played();
    cells.need(SCREEN, SCREEN);
    lifetime.abort();
    pulled[0]?.fail();
    await settle();
    expect(errors).toEqual([]);
    expect(sizeAt(5)).toBeNull();
  });
});

describe("blocks that are left behind", () => {
  it("are cancelled where that is wanted, and the visible one is next", async () => {
    const { cells, pulled, firsts, sizeAt, errors } = played(undefined, {
      parallel: 1,
      abandons: true,
    });
    cells.need(SCREEN, SCREEN);
    cells.need({ start: 640, end: 650 }, SCREEN);
    expect(pulled[0]?.signal.aborted).toBe(true);
    expect(firsts()).toEqual([0, 640]);
    pulled[0]?.answer();
    pulled[1]?.answer();
    await settle();
    expect([sizeAt(0), sizeAt(640), errors]).toEqual([null, 640, []]);
  });
});
