// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  comparedBy,
  type Direction,
  type Level,
  nextSort,
  sortMark,
} from "../../src/crosstab/arrangement/order";

function sorted(values: readonly number[], direction: Direction): number[] {
  return values.map((_, place) => place).sort(comparedBy([{ values, direction }]));
}

describe("comparing by one level", () => {
  const values = [2, Number.NaN, 5, 2, Number.NaN, 9];

  it("is stable in both directions, with missing values last", () => {
    expect(sorted(values, "descending")).toEqual([5, 2, 0, 3, 1, 4]);
    expect(sorted(values, "ascending")).toEqual([0, 3, 2, 5, 1, 4]);
  });

  it("puts infinite values at their end", () => {
    const wide = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(sorted(wide, "descending")).toEqual([2, 3, 0, 1]);
  });

  it("is a permutation for any table", () => {
    const many = Array.from({ length: 500 }, (_, i) => (i * 7919) % 31);
    const order = sorted(many, "descending");
    expect(new Set(order).size).toBe(500);
    for (let i = 1; i < 500; i++) {
      expect(many[order[i - 1] as number]).toBeGreaterThanOrEqual(
        many[order[i] as number] as number,
      );
    }
  });
});

describe("comparing by several levels", () => {
  it("uses a later one only where the earlier are equal", () => {
    const compare = comparedBy([
      { values: [1, 2, 1, 2], direction: "descending" },
      { values: [5, 7, 4, 8], direction: "ascending" },
    ]);
    expect([0, 1, 2, 3].sort(compare)).toEqual([1, 3, 2, 0]);
  });

  it("treats two items without a value as equal", () => {
    const compare = comparedBy([
      { values: [Number.NaN, 1, Number.NaN], direction: "descending" },
      { values: [1, 1, 2], direction: "descending" },
    ]);
    expect([0, 1, 2].sort(compare)).toEqual([1, 2, 0]);
  });
});

describe("the next sort", () => {
  it("goes from descending to ascending to the order of the query", () => {
    const first = nextSort([], 4);
    const second = nextSort(first, 4);
    expect(first).toEqual([{ by: 4, direction: "descending" }]);
    expect(second).toEqual([{ by: 4, direction: "ascending" }]);
    expect(nextSort(second, 4)).toEqual([]);
  });

  it("restarts on another header", () => {
    expect(nextSort([{ by: 4, direction: "ascending" }], "size")).toEqual([
      { by: "size", direction: "descending" },
    ]);
  });

  it("adds a level after the others, reverses it in position, and removes it", () => {
    const one = nextSort([], 4);
    const two = nextSort(one, "size", true);
    expect(two.map(({ by }) => by)).toEqual([4, "size"]);
    const turned = nextSort(two, 4, true);
    expect(turned).toEqual([
      { by: 4, direction: "ascending" },
      { by: "size", direction: "descending" },
    ]);
    expect(nextSort(turned, 4, true)).toEqual([{ by: "size", direction: "descending" }]);
  });

  it("is limited to four levels", () => {
    const levels = [1, 2, 3, 4, 5].reduce<readonly Level[]>(
      (sort, by) => nextSort(sort, by, true),
      [],
    );
    expect(levels).toHaveLength(4);
  });
});

it("determines the sort state of a header", () => {
  const levels = [
    { by: 0, direction: "ascending" },
    { by: "size", direction: "descending" },
  ] as const;
  expect(sortMark(levels, "size")).toEqual({ direction: "descending", number: 2, of: 2 });
  expect(sortMark(levels, 1)).toBeNull();
});
