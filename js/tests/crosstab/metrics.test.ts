// @vitest-environment node
import { describe, expect, it } from "vitest";
import { type CellCounts, emptyFigures } from "../../src/crosstab/data/cellCounts";
import { significance } from "../../src/crosstab/metrics/marks";
import {
  lowBaseMark,
  METRICS,
  metricLabel,
  metricOf,
  whyEmpty,
} from "../../src/crosstab/metrics/metrics";
import { METRICS as NAMES } from "../../src/protocol/constants";
import { arrows, lowBases as denominators, metrics as shared } from "../shared.json";

/** Of 1,000 people (500 respondents), 200 are in the row, 400 in the column, 100 in both. */
const CELL: CellCounts = {
  size: 100,
  sample: 48,
  rowSize: 200,
  rowSample: 90,
  columnSize: 400,
  columnSample: 210,
  baseSize: 1000,
  baseSample: 500,
};

const measure = (key: string, figures: CellCounts) => metricOf(key).value(figures);

describe("the metrics", () => {
  it("follow their definitions", () => {
    expect(measure("index", CELL)).toBe(125);
    expect(measure("column_percentage", CELL)).toBe(25);
    expect(measure("row_percentage", CELL)).toBe(50);
    expect(measure("percentage", CELL)).toBe(10);
    expect(measure("size", CELL)).toBe(100);
    expect(measure("sample", CELL)).toBe(48);
  });

  it("reproduce the published crosstab cell", () => {
    const cell: CellCounts = {
      size: 36_643_034,
      sample: 3728,
      rowSize: 36_643_034,
      rowSample: 3728,
      columnSize: 257_758_496,
      columnSample: 24_922,
      baseSize: 257_758_496,
      baseSample: 24_922,
    };
    expect(measure("index", cell)).toBeCloseTo(100, 10);
    expect(metricOf("percentage").format(measure("percentage", cell))).toBe("14.2%");
  });

  it("have no value with an empty denominator, and a reason", () => {
    const empty = { ...CELL, size: 0, columnSize: 0, columnSample: 0 };
    expect(measure("index", empty)).toBeNaN();
    expect(measure("column_percentage", empty)).toBeNaN();
    expect(measure("row_percentage", empty)).toBe(0);
    expect(whyEmpty(empty, Number.NaN)).toBe("No respondents in this column");
    expect(whyEmpty({ ...CELL, baseSize: 0 }, Number.NaN)).toMatch(/no wave in common/);
    expect(whyEmpty(CELL, 0)).toBeNull();
  });

  it("have labels for visible rows and columns, also when transposed", () => {
    expect(metricLabel("column_percentage", false)).toBe("Column %");
    expect(metricLabel("column_percentage", true)).toBe("Row %");
    expect(new Set(METRICS.map((m) => metricLabel(m.key, true))).size).toBe(METRICS.length);
  });
});

describe("values", () => {
  it("are the same here and in Python, including ties", () => {
    for (const { figures, ...told } of shared) {
      const cell = { ...emptyFigures(), ...figures };
      for (const [metric, value] of Object.entries(told)) {
        if (value === null) expect(measure(metric, cell)).toBeNaN();
        else if (metric === "index" || metric.endsWith("percentage"))
          expect(measure(metric, cell)).toBe(value);
        else expect(measure(metric, cell)).toBeCloseTo(value, 10);
      }
    }
  });
});

describe("differences", () => {
  it("are none where everyone is in the row and in the column", () => {
    expect(measure("difference", { ...CELL, rowSize: 1000, columnSize: 1000, size: 1000 })).toBe(0);
  });

  it("have the base of the smaller side", () => {
    expect(metricOf("z").denominator({ ...CELL, columnSample: 480 })).toBe(20);
    expect(metricOf("difference").denominator(CELL)).toBe(210);
  });
});

describe("low bases", () => {
  it("depend on the denominator and never on the count in the cell", () => {
    const rare = { ...CELL, sample: 3, columnSample: 4000, rowSample: 25 };
    const mark = (key: string) => lowBaseMark(metricOf(key).denominator(rare));
    expect(mark("column_percentage")).toBe("");
    expect(mark("row_percentage")).toBe("**");
    expect(mark("index")).toBe("**");
    expect(mark("sample")).toBe("");
  });

  it("are marked as Python marks them", () => {
    for (const { figures, marks } of denominators) {
      for (const [key, mark] of Object.entries(marks)) {
        expect([key, lowBaseMark(metricOf(key).denominator(figures))]).toEqual([key, mark]);
      }
    }
  });

  it("are marked under 100 and under 30", () => {
    expect([100, 99, 30, 29, 0].map((n) => lowBaseMark(n))).toEqual(["", "*", "*", "**", "**"]);
  });

  it("are in the order of the kernel", () => {
    expect(METRICS.map(({ key }) => key)).toEqual(Object.keys(NAMES));
  });
});

describe("significance", () => {
  it("is what the kernel found, at the level that is shown or a stricter one", () => {
    for (const [level, shown, sign] of arrows as [number, number, number][])
      expect([level, shown, significance({ ...CELL, level }, shown)]).toEqual([level, shown, sign]);
  });

  it("is not known without a test", () => {
    expect(significance(CELL, 0.95)).toBeNull();
    expect(significance({ ...CELL, level: 0, untested: "base under 30" }, 0.95)).toBeNull();
  });

  it("has no value and a reason where there is no test", () => {
    const untested = { ...CELL, z: Number.NaN, untested: "base under 30" };
    expect(whyEmpty(untested, metricOf("z").value(untested))).toBe("Not tested: base under 30");
  });
});
