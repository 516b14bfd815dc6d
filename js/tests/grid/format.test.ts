import { describe, expect, it } from "vitest";
import {
  formatCount,
  formatIndex,
  formatPercentage,
  formatSize,
} from "../../src/widgets/grid/format";

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
    [12.34, "12.3\u202f%"],
    [100, "100.0\u202f%"],
    [0, "0.0\u202f%"],
    [0.04, "<0.1\u202f%"],
    [0.05, "0.1\u202f%"],
    [Number.NaN, "–"],
  ])("%d is %s", (value, text) => {
    expect(formatPercentage(value)).toBe(text);
  });
});

describe("formatCount and formatIndex", () => {
  it("writes counts in full and indices with one decimal", () => {
    expect(formatCount(24_922)).toBe("24,922");
    expect(formatCount(12.5)).toBe("12.5");
    expect(formatIndex(104.66)).toBe("104.7");
    expect(formatIndex(Number.NaN)).toBe("–");
  });
});
