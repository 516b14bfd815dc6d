// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  formatCount,
  formatDifference,
  formatIndex,
  formatPercentage,
  formatSize,
  formatZ,
  type Units,
} from "../../src/crosstab/metrics/format";
import { metricOf } from "../../src/crosstab/metrics/metrics";
import shared from "./formats.json";

describe("formatSize", () => {
  it.each([
    [0, "0"],
    [844.6, "845"],
    [9_999.4, "9,999"],
    [9_999.5, "10.0K"],
    [12_345, "12.3K"],
    [999_940, "999.9K"],
    [999_950, "1.0M"],
    [1_234_567, "1.2M"],
    [257_532_138, "257.5M"],
    [999_950_000, "1.0B"],
    [7_800_000_000, "7.8B"],
    [Number.NaN, "–"],
  ])("%d is %s", (value, text) => {
    expect(formatSize(value)).toBe(text);
  });
});

describe("formatPercentage", () => {
  it.each([
    [12.34, "12.3%"],
    [100, "100.0%"],
    [0, "0.0%"],
    [0.04, "<0.1%"],
    [0.05, "0.1%"],
    [Number.NaN, "–"],
  ])("%d is %s", (value, text) => {
    expect(formatPercentage(value)).toBe(text);
  });
});

describe("formatCount and formatIndex", () => {
  it("formats counts in full and indices with one decimal", () => {
    expect(formatCount(24_922)).toBe("24,922");
    expect(formatCount(12.5)).toBe("12.5");
    expect(formatIndex(104.66)).toBe("104.7");
    expect(formatIndex(Number.NaN)).toBe("–");
  });
});

describe("decimals and units", () => {
  const size = (value: number, units: Units, decimals: number | null = null) =>
    formatSize(value, { units, decimals });

  it.each([
    [1_234_567, "short", 0, "1M"],
    [999_500, "short", 0, "1M"],
    [999_499, "short", 0, "999K"],
    [1_234_567, "short", 2, "1.23M"],
    [999_995, "short", 2, "1.00M"],
    [999_994, "short", 2, "999.99K"],
    [1_234_567, "thousands", null, "1,234.6K"],
    [860, "thousands", null, "0.9K"],
    [12, "thousands", null, "<0.1K"],
    [0, "thousands", null, "0.0K"],
    [1_234_567.4, "full", null, "1,234,567"],
    [1_234_567.4, "full", 1, "1,234,567"],
    [Number.NaN, "full", 1, "–"],
  ] as const)("%d in %s with %s decimals is %s", (value, units, decimals, text) => {
    expect(size(value, units, decimals)).toBe(text);
  });

  it("apply to every metric but counts", () => {
    const numbers = { decimals: 3, units: "short" } as const;
    expect(formatPercentage(12.34567, numbers)).toBe("12.346%");
    expect(formatPercentage(0.0004, numbers)).toBe("<0.001%");
    expect(formatIndex(104.66, numbers)).toBe("104.660");
    expect(formatIndex(104.66, { decimals: 0, units: "short" })).toBe("105");
    expect(formatZ(1.96, { decimals: 0, units: "short" })).toBe("+2");
  });
});

describe("formatDifference and formatZ", () => {
  it.each([
    [3.21, "+3.2", "+3.21"],
    [-3.21, "−3.2", "−3.21"],
    [0, "0.0", "0.00"],
    [0.04, "0.0", "+0.04"],
    [-0.001, "0.0", "0.00"],
    [Number.NaN, "–", "–"],
  ])("%d is %s points and a z of %s", (value, points, z) => {
    expect(formatDifference(value)).toBe(points);
    expect(formatZ(value)).toBe(z);
  });
});

describe("values as Python formats them", () => {
  const cases = Object.entries(shared).flatMap(([units, metrics]) =>
    Object.entries(metrics).flatMap(([metric, all]) =>
      (all as [number, number | null, string][]).map((one) => [metric, units, ...one] as const),
    ),
  );

  it.each(cases)("%s, %s: %d with %s decimals is %s", (metric, units, value, decimals, text) => {
    expect(metricOf(metric).format(value, { decimals, units: units as Units })).toBe(text);
  });
});
