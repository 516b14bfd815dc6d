import { describe, expect, it } from "vitest";
import { ariaSort, nextSort, sortedOrder } from "../../src/widgets/grid/order";

describe("sortedOrder", () => {
  const values = [2, Number.NaN, 5, 2, Number.NaN, 9];

  it("is stable in both directions, with what has no number last", () => {
    expect([...sortedOrder(values, "descending")]).toEqual([5, 2, 0, 3, 1, 4]);
    expect([...sortedOrder(values, "ascending")]).toEqual([0, 3, 2, 5, 1, 4]);
  });

  it("puts infinite values at their end", () => {
    const wide = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect([...sortedOrder(wide, "descending")]).toEqual([2, 0, 1]);
  });

  it("is a permutation for any table", () => {
    const many = Float64Array.from({ length: 500 }, (_, i) => (i * 7919) % 31);
    const order = sortedOrder(many, "descending");
    expect(new Set(order).size).toBe(500);
    for (let i = 1; i < 500; i++) {
      expect(many[order[i - 1] as number]).toBeGreaterThanOrEqual(
        many[order[i] as number] as number,
      );
    }
  });
});

describe("nextSort", () => {
  it("goes from highest first to lowest first to the order of the request", () => {
    const first = nextSort(null, 4);
    const second = nextSort(first, 4);
    expect(first).toEqual({ by: 4, direction: "descending" });
    expect(second).toEqual({ by: 4, direction: "ascending" });
    expect(nextSort(second, 4)).toBeNull();
  });

  it("starts anew on another header", () => {
    expect(nextSort({ by: 4, direction: "ascending" }, "size")).toEqual({
      by: "size",
      direction: "descending",
    });
  });

  it("tells a header its aria-sort", () => {
    expect(ariaSort({ by: 0, direction: "ascending" }, 0)).toBe("ascending");
    expect(ariaSort({ by: 0, direction: "ascending" }, 1)).toBe("none");
    expect(ariaSort(null, 0)).toBe("none");
  });
});
