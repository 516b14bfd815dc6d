/** Shades of heat are classes, and each of them is in the style sheet. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Figures } from "../../src/widgets/grid/figures";
import { cellLook } from "../../src/widgets/grid/looks";
import { metricOf } from "../../src/widgets/grid/metrics";

const css = readFileSync(resolve("src/widgets/grid/grid.css"), "utf8");

/** A cell of 10,000 people whose index is as told. */
function indexed(index: number): Figures {
  const both = 25 * index;
  return {
    ...{ size: both, rowSize: 5000, columnSize: 5000, baseSize: 10_000 },
    ...{ sample: both, rowSample: 5000, columnSample: 5000, baseSample: 10_000 },
  };
}

describe("the heat of a cell", () => {
  const style = { metric: metricOf("index"), heat: { low: 50, high: 150 } };
  const shade = (index: number) =>
    cellLook(indexed(index), style, "").is?.match(/(hot|cold)-\d+/)?.[0] ?? "";

  it("is none at 100, and full at either end of the scale and beyond it", () => {
    expect([100, 150, 190, 50, 10].map(shade)).toEqual([
      "",
      "hot-12",
      "hot-12",
      "cold-12",
      "cold-12",
    ]);
    expect([125, 75].map(shade)).toEqual(["hot-6", "cold-6"]);
  });

  it("has a rule for every shade", () => {
    const shades = Array.from({ length: 141 }, (_, i) => shade(i + 30)).filter(Boolean);
    expect(new Set(shades).size).toBe(24);
    for (const name of shades) expect(css).toContain(`.al-grid-cell.is-${name} {`);
  });
});
