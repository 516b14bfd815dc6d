// @vitest-environment node
import { describe, expect, it } from "vitest";
import { formatCount, formatP } from "../../src/crosstab/metrics/format";
import { metricOf } from "../../src/crosstab/metrics/metrics";
import type { Units } from "../../src/protocol";
import { formats, p as pValues } from "../shared.json";

describe("values as Python formats them", () => {
  const cases = Object.entries(formats).flatMap(([units, metrics]) =>
    Object.entries(metrics).flatMap(([metric, all]) =>
      (all as [number | null, number | null, string][]).map(
        (one) => [metric, units, ...one] as const,
      ),
    ),
  );

  it.each(cases)("%s, %s: %d with %s decimals is %s", (metric, units, value, decimals, text) => {
    const style = { decimals, units: units as Units };
    expect(metricOf(metric).format(value ?? Number.NaN, style)).toBe(text);
  });

  it.each(pValues as [number, string][])("p of %d is %s", (p, text) => {
    expect(formatP(p)).toBe(text);
  });
});

describe("counts", () => {
  it("of some services are not integers", () => {
    expect([24_922, 12.5].map(formatCount)).toEqual(["24,922", "12.5"]);
  });
});
