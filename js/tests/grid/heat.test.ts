import { describe, expect, it } from "vitest";
import { heatOf, heatSign, legendEnds } from "../../src/widgets/grid/heat";

const SCALE = { low: 60, high: 180 };

describe("heatOf", () => {
  it("is nothing at 100, and full at either end of the scale", () => {
    expect([100, 60, 180].map((index) => heatOf(index, SCALE))).toEqual([0, -1, 1]);
  });

  it("grows with the distance on its own side, and clips beyond the ends", () => {
    expect(heatOf(80, SCALE)).toBe(-0.5);
    expect(heatOf(140, SCALE)).toBe(0.5);
    expect([heatOf(5, SCALE), heatOf(900, SCALE)]).toEqual([-1, 1]);
  });

  it("leaves small noise pale in a flat table", () => {
    const flat = { low: 99, high: 101 };
    expect(heatOf(101, flat)).toBeCloseTo(0.1);
    expect(legendEnds(flat)).toEqual({ low: 90, high: 110 });
  });

  it("leaves a cell without an index uncoloured", () => {
    expect(heatOf(Number.NaN, SCALE)).toBe(0);
  });
});

describe("heatSign", () => {
  it("says over from 120 and under from 80", () => {
    expect([120, 119.9, 100, 80.1, 80, Number.NaN].map(heatSign)).toEqual([
      "over",
      "",
      "",
      "",
      "under",
      "",
    ]);
  });
});
