// @vitest-environment node
import { describe, expect, it } from "vitest";
import { readSaved, Unreadable } from "../../../src/lab/saved/format";
import sample from "./crosstab.json";

type Loose = Record<string, unknown>;

/** The sample with a change. */
function changed(change: (told: Loose) => void): unknown {
  const told = structuredClone(sample) as Loose;
  change(told);
  return told;
}

const plane = (told: Loose, name: string) => (told.planes as Record<string, Loose>)[name] as Loose;

describe("a saved table", () => {
  it("has its rows of means, if there are any", () => {
    expect(readSaved(sample).statistics.lines).toEqual([]);
    const line = { name: "Age: mean", base: "41.20", cells: ["40.10", "42.00", "·"] };
    const withMeans = changed((told) => {
      told.statistics = { lines: [line], note: "Age: mean: of numbers as answered." };
    });
    const { statistics } = readSaved(withMeans);
    expect(statistics.lines).toEqual([line]);
    expect(statistics.columns).toEqual(readSaved(sample).columns.names);
    const narrow = changed((told) => {
      told.statistics = { lines: [{ ...line, cells: ["40.10"] }], note: "" };
    });
    expect(() => readSaved(narrow)).toThrow("do not have the columns");
  });

  it("has its whole rows and columns once where its cells have the same", () => {
    const { tile } = readSaved(sample);
    expect(tile.at("row_own_sample", 1, 0)).toBe(tile.at("row_sample", 1, 0));
    expect(tile.at("column_own_size", 0, 1)).toBe(tile.at("column_size", 0, 1));
    // As all tables of 1.0 and 2.0, and those with several waves.
    const both = changed((told) => {
      (told.planes as Loose).row_own_sample = plane(told, "row_size");
    });
    expect(readSaved(both).tile.at("row_own_sample", 1, 0)).toBe(tile.at("row_size", 1, 0));
    expect(readSaved(both).tile.at("row_sample", 1, 0)).toBe(tile.at("row_sample", 1, 0));
  });

  it("says whom its figures are of", () => {
    const saved = readSaved(
      changed((told) => {
        told.base_line = "Base: those who answered, by question";
        told.answered = true;
        told.notes = ["<b>Dora</b>: offered in 1 of 3 waves.", 7];
        delete told.weighted_base;
      }),
    );
    expect(saved.baseLine).toBe("Base: those who answered, by question");
    expect([saved.answered, saved.weightedBase]).toEqual([true, ""]);
    expect(saved.notes).toEqual(["<b>Dora</b>: offered in 1 of 3 waves."]);
    const old = readSaved(
      changed((told) => {
        delete told.base_line;
        delete told.weighted_base;
      }),
    );
    expect([old.baseLine, old.answered, old.weightedBase]).toEqual(["", false, "Weighted base"]);
  });

  it("is parsed with its values, names, groups and nets", () => {
    const saved = readSaved(sample);
    expect(saved.rows.names).toEqual(["Men", "Women", "All of them"]);
    expect(saved.rows.banner).toEqual({
      runs: [
        [["Gender"], 2],
        [[], 1],
      ],
      nets: [2],
    });
    expect(saved.columns.banner.runs).toEqual([
      [["Drinks", "Hot"], 2],
      [["Drinks"], 1],
    ]);
    expect(saved.base).toEqual({ name: "All", sentence: "", size: 1250235.875, sample: 25005 });
    expect(saved.tile.at("size", 1, 1)).toBe(30.25);
    expect(saved.tile.at("size", 2, 0)).toBeCloseTo(1_250_000.125);
    expect(saved.tile.at("sample", 2, 0)).toBe(25_001);
    expect(saved.tile.at("row_own_size", 2, 1)).toBe(1_250_080.125);
    expect(saved.tile.at("base_sample", 2, 2)).toBe(25_005);
    expect(saved.heat?.index).toEqual({ low: 100.007, high: 100.007 });
  });

  it.each([
    ["nothing", null],
    ["a text", "crosstab"],
    ["a list", []],
    ["another version", changed((told) => Object.assign(told, { version: 2 }))],
    ["a version of its own", changed((told) => Object.assign(told, { version: { toString: 1 } }))],
    ["no rows", changed((told) => Object.assign(told, { rows: undefined }))],
    ["rows without names", changed((told) => Object.assign(told, { rows: { names: "x" } }))],
    ["no cells", changed((told) => Object.assign(told, { rows: { names: [] } }))],
    ["no figures", changed((told) => Object.assign(told, { planes: [] }))],
    [
      "far too many cells",
      changed((told) => {
        for (const side of ["rows", "columns"]) told[side] = { names: Array(9_999).fill("x") };
      }),
    ],
    [
      "a shape of its own",
      changed((told) => Object.assign(plane(told, "size"), { shape: [2, 3] })),
    ],
    ["a huge shape", changed((told) => Object.assign(plane(told, "size"), { shape: [1e9, 1] }))],
    ["a kind of its own", changed((told) => Object.assign(plane(told, "size"), { dtype: "x" }))],
    [
      "an inherited kind",
      changed((told) => Object.assign(plane(told, "size"), { dtype: "toString" })),
    ],
    ["too few bytes", changed((told) => Object.assign(plane(told, "size"), { data: "AAAA" }))],
    ["no base64", changed((told) => Object.assign(plane(told, "size"), { data: "<b>&" }))],
    [
      "heads over other lines",
      changed((told) => Object.assign(told.rows as Loose, { heads: [[["All"], 2]] })),
    ],
  ])("that is %s is rejected", (_, told) => {
    expect(() => readSaved(told)).toThrow(Unreadable);
  });

  it("has settings by their names of earlier versions", () => {
    const looks = { low_base: [50, 10], blank_under: 20 };
    const told = changed((each) => Object.assign(each, { looks }));
    expect(readSaved(told).looks).toEqual({ stars: [50, 10], hide_under: 20 });
  });

  it("keeps valid settings where others are invalid", () => {
    const odd = changed((told) =>
      Object.assign(told, {
        looks: {
          metrics: "index",
          stars: 3,
          decimals: 99,
          heat: {},
          units: 5,
          owned: true,
          toString: 1,
        },
        heat: { index: { low: "1", high: 2 } },
        base: { name: 7, size: "many" },
        scope: ["x"],
      }),
    );
    const saved = readSaved(odd);
    expect(saved.looks).toEqual({});
    expect(saved.heat).toBeNull();
    expect(saved.base).toEqual({ name: "", sentence: "", size: null, sample: null });
    expect(saved.scope).toBe("");
  });
});
