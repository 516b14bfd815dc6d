// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  byYear,
  nameWithinYear,
  sameCodes,
  toggled,
  toggledAll,
} from "../../src/crosstab/query/codeSelection";
import {
  axisWords,
  baseWords,
  codesWords,
  itemsOf,
  joinedBins,
} from "../../src/crosstab/query/messages";
import type { QuerySummary } from "../../src/protocol";

const waves = [
  { code: "q4_2023", name: "Q4 2023" },
  { code: "q1_2024", name: "Q1 2024" },
  { code: "q2_2024", name: "Q2 2024" },
  { code: "q3_2024", name: "Q3 2024" },
  { code: "pilot", name: "Pilot" },
  { code: "q4_2024", name: "Q4 2024" },
];

describe("the query as text", () => {
  it("names the groups of an axis, and the number of those left out", () => {
    expect(axisWords({ question: "", count: 8, names: ["Gender", "Age"], more: 0 })).toBe(
      "Gender, Age",
    );
    expect(axisWords({ question: "", count: 80, names: ["Gender"], more: 12 })).toBe(
      "Gender, and 12 more",
    );
    expect(axisWords({ question: "", count: 0, names: [], more: 0 })).toBe("none (base only)");
  });

  it("names bases, or counts them where they are many", () => {
    const summary = (bases: string[], base_count = bases.length, chosen = "everyone") =>
      baseWords({ bases, base_count, who_counts: { chosen } } as unknown as QuerySummary);
    expect(summary([])).toBe("All respondents");
    expect(summary([], 0, "valid")).toBe("Those who answered");
    expect(summary(["Women"], 1, "valid")).toBe("Women who answered");
    expect(summary(["Women", "Men"])).toBe("Women, Men");
    expect(summary(["Women", "Men"], 9)).toBe("9 bases");
  });

  it("describes the defaults of waves and locations", () => {
    expect(codesWords("waves", null)).toBe("latest 4");
    expect(codesWords("locations", null)).toBe("everywhere");
    expect(codesWords("waves", { count: 2, names: ["Q1 2024", "Q2 2024"] })).toBe(
      "Q1 2024, Q2 2024",
    );
    expect(codesWords("waves", { count: 7, names: ["a", "b", "c"] })).toBe("7 waves");
    expect(codesWords("locations", { count: 1, names: ["s2_1"] })).toBe("1 location");
  });

  it("counts the items that would be added", () => {
    const picked = [
      { question: "q2", datapoints: ["q2_1"], suffixes: [] },
      { question: "q4", datapoints: [], suffixes: [] },
    ];
    const chosen = { picked, saved: ["a"] };
    expect(itemsOf(chosen, "split", () => 6)).toBe(8);
    expect(itemsOf(chosen, "nest", () => 6)).toBe(8);
    expect(itemsOf({ picked, saved: [] }, "nest", () => 6)).toBe(6);
    expect(itemsOf(chosen, "and", () => 6)).toBe(1);
    expect(itemsOf({ picked: [], saved: [] }, "or", () => 6)).toBe(0);
  });
});

describe("codes", () => {
  const last = new Set(["q2_2024", "q3_2024", "pilot", "q4_2024"]);

  it("start from the default's codes", () => {
    expect(toggled(null, last, "q1_2024")?.size).toBe(5);
    expect(toggled(null, last, "pilot")?.has("pilot")).toBe(false);
    expect(toggled(null, new Set(), "pilot")).toEqual(new Set(["pilot"]));
  });

  it("omit the year of the heading from a name, and nothing else", () => {
    expect(nameWithinYear("Q4 2024", "2024")).toBe("Q4");
    expect(nameWithinYear("2024 second half", "2024")).toBe("second half");
    expect(nameWithinYear("2024", "2024")).toBe("2024");
    expect(nameWithinYear("q4_2024", "2024")).toBe("q4_2024");
    expect(nameWithinYear("Pilot", "")).toBe("Pilot");
  });

  it("toggle a group as a whole", () => {
    const year = waves.slice(1, 4);
    const all = toggledAll(null, last, year);
    expect(all?.size).toBe(5);
    expect(toggledAll(all, last, year)).toEqual(new Set(["pilot", "q4_2024"]));
  });

  it("are equal in any order, and differ from the default", () => {
    expect(sameCodes(new Set(["a", "b"]), new Set(["b", "a"]))).toBe(true);
    expect(sameCodes(new Set(["a"]), new Set(["b"]))).toBe(false);
    expect(sameCodes(null, last)).toBe(false);
    expect(sameCodes(null, null)).toBe(true);
  });

  it("are grouped by year, the latest first", () => {
    expect(byYear(waves).map(([year, each]) => [year, each.length])).toEqual([
      ["2024", 4],
      ["2023", 1],
      ["", 1],
    ]);
  });
});

describe("joined bins", () => {
  it("are named by the bounds of the first and the last", () => {
    expect(joinedBins(["18 to 24", "25 to 34"])).toBe("18 to 34");
    expect(joinedBins(["£10–19", "£20–29", "£30–39"])).toBe("£10–39");
    expect(joinedBins(["55-64", "65+"])).toBe("55+");
    expect(joinedBins(["55 to 64", "65 and over"])).toBe("55 and over");
  });

  it("have no such name where they are not consecutive bins", () => {
    expect(joinedBins(["25 to 34", "18 to 24"])).toBe("");
    expect(joinedBins(["18 to 24", "Female"])).toBe("");
    expect(joinedBins(["65 and over", "18 to 24"])).toBe("");
    expect(joinedBins(["18 to 24"])).toBe("");
  });
});
