import { describe, expect, it } from "vitest";
import {
  blocksOf,
  EMPTY,
  pageLength,
  poolSize,
  reveal,
  visibleSpan,
} from "../../src/widgets/grid/windower";

const ROWS = { count: 1000, size: 24 };

describe("visibleSpan", () => {
  it("covers every item that touches the viewport, and the overscan", () => {
    expect(visibleSpan(ROWS, 0, 240, 0)).toEqual({ first: 0, last: 10 });
    expect(visibleSpan(ROWS, 1, 240, 0)).toEqual({ first: 0, last: 11 });
    expect(visibleSpan(ROWS, 2400, 240, 3)).toEqual({ first: 97, last: 113 });
  });

  it("never leaves the axis, however far the scroll bounces", () => {
    expect(visibleSpan(ROWS, -50, 240, 2)).toEqual({ first: 0, last: 12 });
    expect(visibleSpan(ROWS, 24_000, 240, 0)).toEqual({ first: 999, last: 1000 });
  });

  it("is empty in a hidden cell and in an empty table", () => {
    expect(visibleSpan(ROWS, 0, 0, 5)).toEqual(EMPTY);
    expect(visibleSpan({ count: 0, size: 24 }, 0, 240, 5)).toEqual(EMPTY);
  });

  it("never exceeds the pool, wherever it stands", () => {
    const pool = poolSize(ROWS, 250, 4);
    for (let scroll = 0; scroll < 24_000; scroll += 7) {
      const { first, last } = visibleSpan(ROWS, scroll, 250, 4);
      expect(last - first).toBeLessThanOrEqual(pool);
    }
  });
});

describe("reveal", () => {
  it("moves as little as shows the item whole", () => {
    expect(reveal(ROWS, 5, 0, 240)).toBe(0);
    expect(reveal(ROWS, 10, 0, 240)).toBe(24);
    expect(reveal(ROWS, 2, 240, 240)).toBe(48);
    expect(reveal(ROWS, 999, 0, 240)).toBe(24_000 - 240);
  });

  it("shows the start of an item that is larger than the viewport", () => {
    expect(reveal({ count: 9, size: 100 }, 4, 0, 60)).toBe(400);
  });
});

describe("pageLength and blocksOf", () => {
  it("keeps one item in sight, and always moves", () => {
    expect(pageLength(ROWS, 240)).toBe(9);
    expect(pageLength(ROWS, 10)).toBe(1);
  });

  it("names the blocks a span touches", () => {
    expect(blocksOf({ first: 63, last: 65 }, 64)).toEqual({ first: 0, last: 2 });
    expect(blocksOf({ first: 64, last: 128 }, 64)).toEqual({ first: 1, last: 2 });
    expect(blocksOf(EMPTY, 64)).toEqual(EMPTY);
  });
});
