// @vitest-environment node
import { describe, expect, it } from "vitest";
import { emptyFigures } from "../../src/crosstab/data/cellCounts";
import { type Heat, heatFor, heatOf, heatSign, heatStep } from "../../src/crosstab/metrics/heat";
import type { HeatKey } from "../../src/protocol";
import { heats as shared } from "../shared.json";

const SCALES = { index: { low: 60, high: 180 }, difference: { low: -10, high: 20 } };
const heat = (key: "index" | "difference" | "z", scales = SCALES) => heatFor(key, scales) as Heat;

describe("heat by index", () => {
  const byIndex = heat("index");

  it("is none at 100, and full at either end of the scale", () => {
    expect([100, 60, 180].map((index) => heatOf(index, byIndex))).toEqual([0, -1, 1]);
  });

  it("grows with the distance on its side, and is clipped beyond the ends", () => {
    expect(heatOf(80, byIndex)).toBe(-0.5);
    expect(heatOf(140, byIndex)).toBe(0.5);
    expect([heatOf(5, byIndex), heatOf(900, byIndex)]).toEqual([-1, 1]);
  });

  it("leaves noise pale in a flat table", () => {
    const flat = heat("index", { ...SCALES, index: { low: 99, high: 101 } });
    expect(heatOf(101, flat)).toBeCloseTo(0.1);
    expect([flat.low, flat.high]).toEqual([90, 110]);
  });

  it("has no colour for a cell without an index", () => {
    expect(heatOf(Number.NaN, byIndex)).toBe(0);
  });

  it("has a sign from 120 up and from 80 down", () => {
    const signs = [120, 119.9, 100, 80.1, 80, Number.NaN].map((index) => heatSign(index, byIndex));
    expect(signs).toEqual(["over", "", "", "", "under", ""]);
  });
});

describe("heat by difference", () => {
  it("is none where column and base agree, and full at either end", () => {
    const byDifference = heat("difference");
    expect([0, -10, -5, 20, 10].map((points) => heatOf(points, byDifference))).toEqual([
      0, -1, -0.5, 1, 0.5,
    ]);
    expect([5, 4.9, -5].map((points) => heatSign(points, byDifference))).toEqual([
      "over",
      "",
      "under",
    ]);
  });
});

describe("heat by z", () => {
  it("has two steps, whatever the table: 95% and 99% confidence", () => {
    const shades = [0, 90, 95, 99, -95, -99].map((level) => heatOf(level, heat("z")));
    expect(shades).toEqual([0, 0, 0.25, 0.6, -0.25, -0.6]);
    const tested = { ...emptyFigures(), z: 2.1, level: 95 };
    expect([heat("z").value(tested), heat("z").value(emptyFigures())]).toEqual([95, Number.NaN]);
    const ends = heat("z", { ...SCALES, index: { low: 1, high: 900 } });
    expect([ends.low, ends.high]).toEqual([-99, 99]);
  });

  it("has a sign wherever it has a colour", () => {
    expect([-95, 90, 99].map((level) => heatSign(level, heat("z")))).toEqual(["under", "", "over"]);
  });
});

describe("no heat", () => {
  it("has neither colour nor sign", () => {
    expect(heatFor("none", SCALES)).toBeNull();
  });

  it("has the least extent while nothing is counted", () => {
    expect(heatFor("index", null)).toMatchObject({ low: 90, high: 110 });
  });
});

describe("the shade of a cell", () => {
  it.each(shared.cases)(
    "by %s on a %s scale at %d is %d, as in the static form",
    (key, scale, value, step) => {
      const scales = scale === null ? null : shared.scales[scale as keyof typeof shared.scales];
      const heat = heatFor(key as HeatKey, scales) as Heat;
      expect(heatStep((value ?? Number.NaN) as number, heat) + 0).toBe(step);
    },
  );

  it.each(shared.signs as [HeatKey, number, string][])(
    "by %s at %d have the sign %j",
    (key, value, sign) => {
      expect(heatSign(value, heatFor(key, null) as Heat)).toBe(sign);
    },
  );
});
