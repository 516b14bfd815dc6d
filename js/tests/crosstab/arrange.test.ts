// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  type ArrangeOptions,
  arranged,
  bandOf,
  laidOut,
  type Move,
  moveTo,
  type Shown,
  siblingsOf,
  stepOf,
  treeOf,
} from "../../src/crosstab/arrangement/arrange";
import { type Banner, plainBanner, readBanner } from "../../src/crosstab/arrangement/banner";
import { comparedBy } from "../../src/crosstab/arrangement/order";
import { filterKey, isFolded, type Plan, passes } from "../../src/crosstab/arrangement/plan";
import cases from "./arrangements.json" with { type: "json" };

const NOTHING: ArrangeOptions = { compare: null, moves: [], hidden: new Set(), passes: null };

/**
 * Gender (two items and their net), then Age with Young (two) and Old (one), then one item without
 * group.
 */
const BANNER = readBanner({
  runs: [
    [["Gender"], 3],
    [["Age", "Young"], 2],
    [["Age", "Old"], 1],
    [[], 1],
  ],
  nets: [2],
});

function shown(banner: Banner, wishes: Partial<ArrangeOptions>, folded: string[][] = []): Shown {
  const whole = arranged(banner, { ...NOTHING, ...wishes });
  return laidOut(whole, banner, (groups) => isFolded({ folded }, groups));
}

function order(wishes: Partial<ArrangeOptions>, folded: string[][] = []): number[] {
  const { order: places, count } = shown(BANNER, wishes, folded);
  return places ? [...places] : Array.from({ length: count }, (_, i) => i);
}

const down = comparedBy([{ values: [1, 5, 9, 2, 4, 8, 7], direction: "descending" }]);

describe("visible items", () => {
  it("are in the query's order without an arrangement", () => {
    expect(shown(BANNER, {}).order).toBeNull();
    expect(shown(plainBanner(5), {}).order).toBeNull();
  });

  it("are sorted within their groups, and nets keep their positions", () => {
    expect(order({ compare: down })).toEqual([1, 0, 2, 4, 3, 5, 6]);
  });

  it("are moved among their siblings only", () => {
    const move = (line: number, before: number | null, level?: number): Move =>
      level === undefined ? { line, before } : { line, before, level };
    expect(order({ moves: [move(1, 0)] })).toEqual([1, 0, 2, 3, 4, 5, 6]);
    expect(order({ moves: [move(0, null)] })).toEqual([1, 2, 0, 3, 4, 5, 6]);
    expect(order({ moves: [move(0, 4), move(99, 0), move(0, 99)] })).toEqual(order({}));
    expect(order({ moves: [move(3, 0, 0)] })).toEqual([3, 4, 5, 0, 1, 2, 6]);
    expect(order({ moves: [move(5, 4, 1)] })).toEqual([0, 1, 2, 5, 3, 4, 6]);
  });

  it("are moved after sorting", () => {
    expect(order({ compare: down, moves: [{ line: 0, before: 1 }] })).toEqual([
      0, 1, 2, 4, 3, 5, 6,
    ]);
  });

  it("exclude hidden items, and empty groups", () => {
    const { sections } = shown(BANNER, { hidden: new Set([5, 0]) });
    expect(order({ hidden: new Set([5, 0]) })).toEqual([1, 2, 3, 4, 6]);
    expect(sections.map(({ groups }) => groups.join("/"))).toEqual(["Gender", "Age", "Age/Young"]);
  });

  it("exclude items that do not pass; a net stays while an item of its group does", () => {
    expect(order({ passes: (line) => line === 1 })).toEqual([1, 2]);
    expect(order({ passes: (line) => line > 5 })).toEqual([6]);
  });

  it("exclude the items of a collapsed group, but not the group", () => {
    const { sections, order: places } = shown(BANNER, {}, [["Age"]]);
    expect([...(places ?? [])]).toEqual([0, 1, 2, 6]);
    expect(sections).toEqual([
      { groups: ["Gender"], at: 0, count: 3, total: 3, first: 0, isFolded: false },
      { groups: ["Age"], at: 3, count: 0, total: 3, first: 3, isFolded: true },
    ]);
  });

  it("have groups of each level over them", () => {
    const all = shown(BANNER, {});
    expect(bandOf(all, 0).map(({ at, count }) => [at, count])).toEqual([
      [0, 3],
      [3, 3],
    ]);
    expect(bandOf(all, 1).map(({ groups, at, count }) => [groups[1], at, count])).toEqual([
      ["Young", 3, 2],
      ["Old", 5, 1],
    ]);
  });
});

describe("moving", () => {
  it("knows the siblings of an item and of a group", () => {
    const whole = treeOf(BANNER);
    expect(siblingsOf(whole, 4)).toEqual([3, 4]);
    expect(siblingsOf(whole, 5, 0)).toEqual([0, 3]);
    expect(siblingsOf(whole, 5, 1)).toEqual([3, 5]);
    expect(siblingsOf(whole, 77)).toEqual([]);
  });

  it("moves one position forwards or backwards, and stops at the ends", () => {
    expect(stepOf([4, 7, 9], 7, 1)).toEqual({ line: 7, before: null });
    expect(stepOf([4, 7, 9], 7, -1)).toEqual({ line: 7, before: 4 });
    expect(stepOf([4, 7, 9], 4, 1)).toEqual({ line: 4, before: 9 });
    expect(stepOf([4, 7, 9], 4, -1)).toBeNull();
    expect(stepOf([4, 7, 9], 9, 1)).toBeNull();
    expect(moveTo([4, 7], 7, 0, 1)).toEqual({ line: 7, before: 4, level: 1 });
  });
});

describe("the same rules as in Python", () => {
  it.each(cases.map((one, number) => ({ number, ...one })))("case $number", (one) => {
    const banner = readBanner({
      runs: one.runs as [string[], number][],
      nets: one.nets,
    });
    const plan = one.plan as unknown as Plan;
    const values = one.values.map((line) => line.map((value) => value ?? Number.NaN));
    const keys = (plan.sort ?? []).map(({ by, direction }) => ({
      values: values[by as number] ?? [],
      direction,
    }));
    const filters = plan.filters ?? [];
    const { order: places, count } = laidOut(
      arranged(banner, {
        compare: keys.length > 0 ? comparedBy(keys) : null,
        moves: plan.moves ?? [],
        hidden: new Set(plan.hidden),
        passes:
          filters.length === 0
            ? null
            : (line) =>
                filters.every((filter) =>
                  passes(filter, values[filterKey(filter).of as number]?.[line] ?? Number.NaN),
                ),
      }),
      banner,
      (groups) => isFolded(plan, groups),
    );
    expect(places ? [...places] : Array.from({ length: count }, (_, i) => i)).toEqual(one.order);
  });
});
