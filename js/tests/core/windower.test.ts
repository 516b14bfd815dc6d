import { describe, expect, it } from "vitest";
import { SlotPool, scrollToShow, visibleSpan } from "../../src/core/windower";

const axis = { viewport: 240, size: 24, count: 1000, overscan: 2 };

describe("the visible span", () => {
  it("contains visible items and a few beyond", () => {
    expect(visibleSpan({ ...axis, scroll: 0 })).toEqual({ start: 0, end: 12 });
    expect(visibleSpan({ ...axis, scroll: 2400 })).toEqual({ start: 98, end: 112 });
  });

  it("contains partly visible items", () => {
    expect(visibleSpan({ ...axis, scroll: 12, overscan: 0 })).toEqual({ start: 0, end: 11 });
  });

  it("stays inside the list when the scroll overshoots", () => {
    expect(visibleSpan({ ...axis, scroll: -500 })).toEqual({ start: 0, end: 12 });
    expect(visibleSpan({ ...axis, scroll: 1e9 })).toEqual({ start: 988, end: 1000 });
  });

  it("is right when a list became shorter than the scroll offset", () => {
    expect(visibleSpan({ ...axis, count: 3, scroll: 5000 })).toEqual({ start: 0, end: 3 });
  });

  it("is empty for an empty list, and valid for a hidden one", () => {
    expect(visibleSpan({ ...axis, count: 0, scroll: 0 })).toEqual({ start: 0, end: 0 });
    expect(visibleSpan({ ...axis, viewport: 0, scroll: 0 })).toEqual({ start: 0, end: 2 });
  });
});

describe("scrolling to show an item", () => {
  it("moves as little as possible", () => {
    const at = { scroll: 240, viewport: 240, size: 24 };
    expect(scrollToShow(15, at)).toBe(240);
    expect(scrollToShow(3, at)).toBe(72);
    expect(scrollToShow(20, at)).toBe(264);
  });
});

describe("the slot pool", () => {
  it("keeps an index in its slot while it is visible", () => {
    const pool = new SlotPool();
    const before = new Map(pool.assign({ start: 0, end: 10 }).map((a) => [a.index, a.slot]));
    const after = new Map(pool.assign({ start: 5, end: 15 }).map((a) => [a.index, a.slot]));
    for (let index = 5; index < 10; index++) expect(after.get(index)).toBe(before.get(index));
  });

  it("never has more slots than were visible at once, and no duplicates", () => {
    const pool = new SlotPool();
    for (const start of [0, 3, 500, 499, 20, 0]) {
      const slots = pool.assign({ start, end: start + 12 }).map(({ slot }) => slot);
      expect(new Set(slots).size).toBe(12);
      expect(Math.max(...slots)).toBeLessThan(12);
    }
  });
});
