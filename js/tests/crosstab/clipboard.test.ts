import { expect, it } from "vitest";
import {
  documentHtml,
  markdown,
  spreadsheetHtml,
  spreadsheetText,
} from "../../src/crosstab/export/clipboardFormats";
import type { Sheet } from "../../src/crosstab/export/sheet";

const UNWEIGHTED: Sheet = {
  metric: "index",
  decimals: 1,
  label: "Index",
  base: "All",
  baseLine: "Base: All",
  notes: [],
  about: ["4 waves · unweighted", "Source: kunden, counted 2026-01-01"],
  isWeighted: false,
  bands: [],
  columns: ["Women"],
  bases: { all: { size: 600, sample: 500 }, columns: [{ size: 300, sample: 250 }] },
  lines: [
    {
      kind: "row",
      name: "Age 1",
      own: { size: 1234.5, sample: 29 },
      cells: [{ value: 1, text: "1", mark: "" }],
    },
  ],
};

it("says what a whole table is of, and has no weighted base without a weight", () => {
  expect(spreadsheetText([UNWEIGHTED]).split("\n")).toEqual([
    "Index\tUnweighted base (n)\tWomen",
    "Unweighted base (n): All\t500\t250",
    "Age 1\t29\t1",
    "",
    "Base: All",
    ...UNWEIGHTED.about,
  ]);
  expect(spreadsheetText([{ ...UNWEIGHTED, bases: null }])).not.toContain("Source");
  for (const write of [spreadsheetHtml, documentHtml, markdown]) {
    expect(write([UNWEIGHTED])).toContain("Source: kunden, counted 2026-01-01");
    expect(write([UNWEIGHTED])).not.toMatch(/[Ww]eighted \/ n|Weighted base/);
  }
});
