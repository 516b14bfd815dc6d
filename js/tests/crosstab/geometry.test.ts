// @vitest-environment node
import { describe, expect, it } from "vitest";
import { geometryFor, looseWidth, originOf } from "../../src/crosstab/view/geometry";

const NAMES = { longestRow: 20, longestWord: 8, columnLines: 1 };

describe("the frozen part", () => {
  it("is names and figures where a column has room beside them", () => {
    const wide = geometryFor({ width: 900, ...NAMES });
    expect(wide.frozen).toBe(originOf(wide));
    expect(looseWidth(wide)).toBe(0);
  });

  it("is the names alone where there is none, and always leaves room for a column", () => {
    const narrow = geometryFor({ width: 269, ...NAMES });
    expect(narrow.frozen).toBe(narrow.name);
    expect(looseWidth(narrow)).toBe(narrow.size + narrow.sample);
    for (let width = 240; width < 1000; width++) {
      const { frozen, column } = geometryFor({ width, ...NAMES });
      expect(frozen + column).toBeLessThanOrEqual(width);
    }
  });

  it("is names and figures as long as nobody knows the width", () => {
    expect(looseWidth(geometryFor({ width: 0, ...NAMES }))).toBe(0);
  });

  it("leaves the margin columns out that are hidden", () => {
    const margins = { size: false, sample: true };
    const { name, size, sample, frozen } = geometryFor({ width: 900, ...NAMES, margins });
    expect([size, frozen]).toEqual([0, name + sample]);
  });
});

describe("rows", () => {
  it("are lower in a compact table, by the same for one metric and for three", () => {
    const heights = (cellLines: number) =>
      (["comfortable", "compact"] as const).map(
        (density) => geometryFor({ width: 900, ...NAMES, cellLines, density }).row,
      );
    expect(heights(1)).toEqual([24, 20]);
    expect(heights(3)).toEqual([56, 52]);
  });
});
