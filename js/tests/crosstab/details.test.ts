// @vitest-environment node
import { describe, expect, it } from "vitest";
import { type CellCounts, emptyFigures } from "../../src/crosstab/data/cellCounts";
import { detailsOf } from "../../src/crosstab/table/details";

const CELL: CellCounts = {
  size: 30_000,
  sample: 48,
  rowSize: 200_000,
  rowSample: 90,
  columnSize: 400_000,
  columnSample: 210,
  baseSize: 1_000_000,
  baseSample: 500,
};
const LOWER = { ...CELL, z: -5.79, p: 2e-7, freedom: 54, level: -99 };
const HIGHER = { ...CELL, z: 4, p: 1e-4, freedom: 54, level: 99 };
const SUBJECT = { row: "Women", column: "18 to 24", base: "Adults" };

const words = (key: Parameters<typeof detailsOf>[0], figures = CELL, transposed = false) =>
  detailsOf(key, figures, SUBJECT, transposed);

describe("details of a cell", () => {
  it("contain the cell's numbers in each formula", () => {
    expect(words("index").formula).toBe("Index 37.5 = 100 × (30.0K ÷ 400.0K) ÷ (200.0K ÷ 1.0M)");
    expect(words("column_percentage").formula).toBe("Column % 7.5% = 100 × 30.0K ÷ 400.0K");
    expect(words("row_percentage").formula).toBe("Row % 15.0% = 100 × 30.0K ÷ 200.0K");
    expect(words("percentage").formula).toBe("Total % 3.0% = 100 × 30.0K ÷ 1.0M");
    expect(words("size").formula).toBe("Weighted count 30.0K = 30,000");
  });

  it("have as many digits in a formula as give the value beside it", () => {
    const small = { ...CELL, size: 2.2402, rowSize: 8.0011, columnSize: 50.4, baseSize: 100.2 };
    expect(words("row_percentage", small).formula).toBe("Row % 28.0% = 100 × 2.24 ÷ 8.00");
    expect(words("percentage", small).formula).toBe("Total % 2.2% = 100 × 2.2 ÷ 100.2");
    expect(words("index", small).formula).toBe(
      "Index 55.7 = 100 × (2.24 ÷ 50.40) ÷ (8.00 ÷ 100.20)",
    );
    const large = { ...CELL, size: 12_345, rowSize: 45_678 };
    expect(words("row_percentage", large).formula).toBe("Row % 27.0% = 100 × 12.35K ÷ 45.68K");
  });

  it.each([
    [30_000, -95, "“18 to 24” are 63% less likely than average to be in “Women” (index 38)"],
    [78_000, 90, "No significant difference from the rest of the base (95%)"],
    [120_000, 95, "“18 to 24” are 50% more likely than average to be in “Women” (index 150)"],
    [200_000, 99, "“18 to 24” are 2.5 times as likely as average to be in “Women” (index 250)"],
    [200_000, Number.NaN, ""],
  ])("explain an index of %d in both", (size, level, meaning) => {
    expect(words("index", { ...CELL, size, level }).meaning).toBe(meaning);
  });

  it("say why there is no test", () => {
    const untested = { ...CELL, level: 0, z: Number.NaN, untested: "base under 30" };
    expect(words("index", untested).meaning).toBe("Not tested: base under 30");
    expect(words("z", untested).formula).toBe("Not tested: base under 30");
  });

  it("compare a share with that of the base, except for the base itself", () => {
    expect(words("column_percentage").meaning).toBe(
      "7.5% of “18 to 24” are in “Women”, 20.0% of “Adults”",
    );
    expect(words("row_percentage").meaning).toBe(
      "15.0% of “Women” are in “18 to 24”, 40.0% of “Adults”",
    );
    const everyone = { ...CELL, columnSize: CELL.baseSize, columnSample: CELL.baseSample };
    expect(words("column_percentage", everyone).meaning).toBe("3.0% of “18 to 24” are in “Women”");
  });

  it("name those who answered, where only they count", () => {
    const subject = { row: "Women", column: "18 to 24", base: "All", answered: true };
    const { meaning, facts } = detailsOf("column_percentage", CELL, subject, false);
    expect(meaning).toBe(
      "7.5% of “18 to 24” who answered are in “Women”, 20.0% of “All” who answered",
    );
    expect(facts.at(-1)?.name).toBe("Base: All who answered");
    expect(detailsOf("index", { ...HIGHER, size: 120_000 }, subject, false).meaning).toBe(
      "“18 to 24” who answered are 50% more likely than average to be in “Women” (index 150)",
    );
  });

  it("list every audience with weighted count and n, low bases marked", () => {
    expect(words("index").facts).toEqual([
      { name: "Both", figures: "30.0K / 48" },
      { name: "Women", figures: "200.0K / 90*" },
      { name: "18 to 24", figures: "400.0K / 210" },
      { name: "Base: Adults", figures: "1.0M / 500" },
    ]);
  });

  it("show people of a wave as they are, in formulas too where the result is the same", () => {
    const wave = { ...CELL, columnPart: 0.25 };
    expect(words("size", wave).formula).toBe("Weighted count 120.0K = 120,000");
    expect(words("column_percentage", wave).formula).toBe("Column % 7.5% = 100 × 120.0K ÷ 1.6M");
    expect(words("index", wave).formula).toBe(
      "Index 37.5 = 100 × (120.0K ÷ 1.6M) ÷ (200.0K ÷ 1.0M)",
    );
    const row = { ...CELL, rowPart: 0.25 };
    expect(words("row_percentage", row).formula).toBe("Row % 15.0% = 100 × 120.0K ÷ 800.0K");
    expect(words("column_percentage", row).formula).toBe("Column % 7.5% = 100 × 30.0K ÷ 400.0K");
    expect(words("row_percentage", wave).formula).toBe("Row % 15.0% = 100 × 30.0K ÷ 200.0K");
    expect(words("index", wave).facts.map(({ figures }) => figures)).toEqual([
      "120.0K / 48",
      "200.0K / 90*",
      "1.6M / 210",
      "1.0M / 500",
    ]);
  });

  it("keep the numbers and change the labels when transposed", () => {
    const turned = words("column_percentage", CELL, true);
    expect(turned.title).toBe("18 to 24 × Women");
    expect(turned.formula).toBe("Row % 7.5% = 100 × 30.0K ÷ 400.0K");
    expect(turned.meaning).toBe(words("column_percentage").meaning);
  });

  it("explain a difference by its parts and a z-score by its p-value", () => {
    expect(words("difference").formula).toBe(
      "Difference −12.5 = 100 × (30.0K ÷ 400.0K − 200.0K ÷ 1.0M)",
    );
    expect(words("z").formula).toBe("z-score …");
    expect(words("z", LOWER).formula).toBe("z-score −5.79 (p < 0.001, 54 degrees of freedom)");
    const normal = { ...LOWER, z: -2, p: 0.0455, freedom: Number.POSITIVE_INFINITY };
    expect(words("z", normal).formula).toBe("z-score −2.00 (p = 0.046)");
    expect(words("z", LOWER).meaning).toBe(
      "“18 to 24” are significantly (95%) less likely than the rest of the base to be in “Women”",
    );
  });

  it("follow the display settings: number format, marks, and suppression", () => {
    const style = {
      numbers: { decimals: 2, units: "full" },
      lowBase: { low: 80, veryLow: 50 },
      hideUnder: 0,
    } as const;
    const shown = detailsOf("index", CELL, SUBJECT, false, style);
    expect(shown.formula).toBe("Index 37.50 = 100 × (30,000 ÷ 400,000) ÷ (200,000 ÷ 1,000,000)");
    expect(shown.facts[1]).toEqual({ name: "Women", figures: "200,000 / 90" });
    const hidden = detailsOf("index", CELL, SUBJECT, false, { ...style, hideUnder: 100 });
    expect(hidden.formula).toBe("Hidden: fewer than 100 respondents in the denominator");
    expect(hidden.meaning).toBe("");
  });

  it("list the letters, once loaded", () => {
    const told = (letters?: string) => words("letters", { ...CELL, letters }).formula;
    expect([told(), told("A c")]).toEqual(["Letters …", "Letters A c"]);
  });

  it("explain missing values, and cells that are not counted yet", () => {
    const empty = words("column_percentage", { ...CELL, size: 0, columnSize: 0 });
    expect(empty.formula).toBe("No respondents in this column");
    expect(empty.meaning).toBe("");
    expect(words("index", emptyFigures()).formula).toBe("Not counted yet");
    const withheld = { ...emptyFigures(), isWithheld: true };
    expect(words("index", withheld).formula).toBe("Withheld by the service, or not counted");
  });
});
