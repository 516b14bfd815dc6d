// @vitest-environment node
/**
 * The appearance of cells; shades of the heat map are classes, each with a rule in the style sheet.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SAMPLE_COLUMN, SIZE_COLUMN } from "../../src/crosstab/arrangement/position";
import { type CellCounts, emptyFigures } from "../../src/crosstab/data/cellCounts";
import { heatFor } from "../../src/crosstab/metrics/heat";
import { LOW_BASES, type MetricKey, metricOf } from "../../src/crosstab/metrics/metrics";
import type { CellStyle } from "../../src/crosstab/table/displaySettings";
import { baseView, cellView, headerView, marginView } from "../../src/crosstab/view/cellStyle";

const css = readFileSync(resolve("src/crosstab/view/cells.css"), "utf8");

/** A cell of 10,000 people with the given index. */
function indexed(index: number): CellCounts {
  const both = 25 * index;
  return {
    ...{ size: both, rowSize: 5000, columnSize: 5000, baseSize: 10_000 },
    ...{ sample: both, rowSample: 5000, columnSample: 5000, baseSample: 10_000 },
  };
}

function styled(keys: readonly MetricKey[], part: Partial<CellStyle> = {}): CellStyle {
  return {
    metrics: keys.map(metricOf),
    numbers: { decimals: null, units: "short" },
    heat: heatFor("index", { index: { low: 50, high: 150 }, difference: { low: -9, high: 9 } }),
    bar: null,
    lowBase: LOW_BASES,
    hideUnder: 0,
    weighted: true,
    significance: "none",
    level: 0.95,
    ...part,
  };
}

const look = (figures: CellCounts | null, style: CellStyle, letters?: string) =>
  cellView(figures && { ...figures, letters }, style, "");

describe("the heat of a cell", () => {
  const shade = (index: number) =>
    look(indexed(index), styled(["index"])).is?.match(/(hot|cold)-\d+/)?.[0] ?? "";

  it("is none at 100, and full at either end of the scale and beyond", () => {
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

  it("has no sign without a heat map", () => {
    expect(look(indexed(150), styled(["index"], { heat: null })).is).toBe("");
  });
});

describe("several metrics in a cell", () => {
  it("are below each other in the selected order", () => {
    const { text } = look(indexed(120), styled(["size", "index", "column_percentage"]));
    expect(text).toBe("3,000\n120.0\n60.0%");
  });

  it("have a low-base mark each, by their own denominators", () => {
    const few = { ...indexed(100), columnSample: 90, rowSample: 20 };
    const all = look(few, styled(["column_percentage", "sample", "row_percentage"]));
    expect(all.marks).toBe("*\n\n**");
    expect(all.is).not.toContain("low");
    const one = look(few, styled(["column_percentage"]));
    expect([one.is, one.marks]).toEqual(["low", undefined]);
  });

  it("show their reasons together where they have no value", () => {
    const empty = { ...indexed(0), columnSize: 0, columnSample: 0 };
    const { text, title, is } = look(empty, styled(["index", "column_percentage", "size"]));
    expect(text).toBe("–\n–\n0");
    expect(title).toBe("No respondents in this column");
    expect(is).not.toContain("none");
    expect(look(empty, styled(["index"])).is).toContain("none");
  });
});

describe("low bases", () => {
  const few = { ...indexed(150), columnSample: 40 };

  it("hide the value with a reason, and its colour and bar", () => {
    const style = styled(["column_percentage", "row_percentage"], {
      hideUnder: 50,
      bar: metricOf("column_percentage"),
    });
    const { text, title, is, bar } = look(few, style);
    expect(text).toBe("·\n75.0%");
    expect(title).toBe("Hidden: fewer than 50 respondents in the denominator");
    expect(is).toBe("");
    expect(bar).toBe(0);
  });

  it("are shown from the threshold on, and counts always", () => {
    expect(look(few, styled(["column_percentage"], { hideUnder: 40 })).text).toBe("75.0%");
    expect(look(few, styled(["sample"], { hideUnder: 1e6 })).text).toBe("3,750");
  });

  it("have no colour and no sign, by the denominator of the heat", () => {
    const names = (figures: CellCounts, part: Partial<CellStyle> = {}) =>
      look(figures, styled(["column_percentage"], part)).is;
    expect(names(few)).toBe("low");
    expect(names({ ...indexed(150), rowSample: 99 })).toBe("");
    expect(names({ ...indexed(150), rowSample: 100 })).toContain("hot-12");
    expect(names(few, { lowBase: { low: 40, veryLow: 30 } })).toContain("hot-12");
    const byZ = heatFor("z", null);
    expect(names({ ...indexed(190), baseSample: 5099 }, { heat: byZ })).toBe("");
  });

  it("are marked by the configured thresholds", () => {
    const marked = (low: number, veryLow: number) =>
      look(few, styled(["column_percentage"], { heat: null, lowBase: { low, veryLow } })).is;
    expect([marked(50, 30), marked(60, 50), marked(40, 10)]).toEqual(["low", "verylow", ""]);
    const style = styled([], { lowBase: { low: 9, veryLow: 5 } });
    expect(marginView({ size: 1, sample: 7 }, 2, style).is).toBe("low");
    expect(baseView({ size: 1, sample: 4 }, style).is).toBe("verylow");
    const alone = baseView({ size: 1, sample: 4 }, { ...style, weighted: false });
    expect([alone.text, alone.second]).toEqual(["4", undefined]);
  });
});

describe("bars", () => {
  it("have the length of the share", () => {
    const bar = metricOf("column_percentage");
    const width = (index: number) => look(indexed(index), styled(["index"], { bar })).bar;
    expect([0, 60, 150, 200].map(width)).toEqual([0, 30, 75, 100]);
    expect(look(indexed(60), styled(["index"])).bar).toBe(0);
  });
});

describe("letters", () => {
  const style = styled(["letters"]);

  it("are shown when loaded, on as many lines as they need", () => {
    expect(look(indexed(100), style).text).toBe("…");
    expect(look(indexed(100), style, "").text).toBe("");
    expect(look(indexed(100), style, "A C d").text).toBe("ACd");
    expect(look(indexed(100), style, "A C d AB").text).toBe("A C d AB");
    const figures = { ...indexed(100), letters: "A B C D E F G H I J K L" };
    const room = { isBeside: () => false, lettersIn: (all: string) => all.match(/.{1,5}/g) ?? [] };
    const many = cellView(figures, style, "", room, 60);
    expect(many).toMatchObject({ text: "ABCDE\nFGHIJ\nKL" });
    expect(look(indexed(100), style, "AA AB AC AD AE").text).toBe("AA AB AC AD AE");
  });

  it("follow the names of the columns", () => {
    const name = { name: "Women", sentence: "", groups: [], net: false };
    expect(headerView(name, "none", false, "B").text).toBe("B · Women");
  });
});

describe("a cell that is not counted yet", () => {
  it("shows no value", () => {
    expect(look(null, styled(["index"])).is).toBe("absent");
    expect(look(emptyFigures(), styled(["index"])).is).toBe("absent");
  });

  it("is a dash with the reason where the service withholds it", () => {
    const withheld = { ...emptyFigures(), sample: 12, isWithheld: true };
    for (const metric of ["size", "sample", "index"] as const) {
      const { text, title, is } = look(withheld, styled([metric]));
      expect([text, title, is]).toEqual(["–", "Withheld by the service, or not counted", "none"]);
    }
    const margin = { size: Number.NaN, sample: Number.NaN };
    for (const view of [marginView(margin, -1), marginView(margin, -2), baseView(margin)]) {
      expect([view.text, view.title]).toEqual(["–", "Withheld by the service, or not counted"]);
    }
    expect(baseView(undefined).is).toBe("absent");
  });
});

describe("who counts", () => {
  it("is said of a row whose base is not that of all rows", () => {
    const margin = { size: 500, sample: 51, base: { size: 9_950, sample: 995 } };
    expect(marginView(margin, SAMPLE_COLUMN).text).toBe("51* of 995");
    expect(marginView(margin, SAMPLE_COLUMN).title).toBe(
      "Base of the row: 9,950 / 995 (weighted / n)",
    );
    expect(marginView(margin, SIZE_COLUMN).text).toBe("500");
    expect(marginView({ ...margin, base: { size: 0, sample: 0 } }, SAMPLE_COLUMN).text).toBe("–");
    expect(baseView(margin, undefined, true).title).toContain("995");
    expect(baseView({ size: 1, sample: 1 }, undefined, true).title).toContain("different bases");
  });

  it("leaves a cell without a base without counts, colour and arrow, and says why", () => {
    const empty = { ...emptyFigures(), reason: "no respondent answered both" };
    for (const name of Object.keys(emptyFigures())) Object.assign(empty, { [name]: 0 });
    const shown = look(empty, styled(["sample", "index"], { significance: "arrows" }));
    expect(shown.text).toBe("–\n–");
    expect(shown.title).toBe("No value: no respondent answered both");
    expect(shown.is).toBe("none");
    const arrows = styled(["index"], { significance: "arrows" });
    const higher = { ...indexed(150), z: 9, level: 99 };
    expect(look(higher, arrows).is).toContain("higher");
    const untested = { ...higher, level: 0, untested: "items differ between waves" };
    expect(look(untested, arrows).is).not.toContain("higher");
    expect(look({ ...empty, reason: "" }, styled(["size"])).title).toContain("base of this cell");
  });
});

describe("significance", () => {
  const arrows = (part: Partial<CellStyle> = {}) =>
    styled(["index"], { significance: "arrows", ...part });
  const tested = (level: number, z = level): CellCounts => ({ ...indexed(125), z, level });

  it("is an arrow where the kernel found the column to differ at the level", () => {
    expect(look(tested(95), arrows()).is).toContain("higher");
    expect(look(tested(-99), arrows()).is).toContain("lower");
    for (const figures of [tested(0), tested(90), indexed(125)])
      expect(look(figures, arrows()).is).not.toMatch(/higher|lower/);
    expect(look(tested(90), arrows({ level: 0.9 })).is).toContain("higher");
    expect(look(tested(-95), arrows({ level: 0.99 })).is).not.toMatch(/higher|lower/);
  });

  it("is an arrow against the wave before, whatever the test against the rest says", () => {
    const waves = arrows({ significance: "previous wave" });
    const since = (previous: number) => look({ ...tested(-99), previous }, waves).is;
    expect(since(95)).toContain("higher");
    expect(since(-95)).toContain("lower");
    for (const none of [0, 90, Number.NaN]) expect(since(none)).not.toMatch(/higher|lower/);
  });

  it("colours cells that differ, and is awaited as a metric", () => {
    const byZ = styled(["z"], { heat: heatFor("z", null), significance: "none" });
    expect(look(tested(99, 3.1), byZ)).toMatchObject({ text: "+3.10", is: "hot-7 over" });
    expect(look(tested(-95, -2), byZ).is).toBe("cold-3 under");
    expect(look(tested(90, 1.8), byZ).is).toBe("");
    expect(look(indexed(125), byZ)).toMatchObject({ text: "…", is: "none" });
    const few = { ...indexed(125), z: Number.NaN, level: 0, untested: "base under 30" };
    expect(look(few, byZ)).toMatchObject({ text: "–", title: "Not tested: base under 30" });
  });

  it("replaces the sign of the heat map", () => {
    expect(look(tested(0), arrows()).is).not.toContain("over");
    expect(look(tested(0), styled(["index"])).is).toContain("over");
  });

  it("is not visible for a suppressed value", () => {
    expect(look(tested(99), arrows({ hideUnder: 10_000 })).is).not.toContain("higher");
  });

  it("has letters beside the value, or below it where they have no space", () => {
    const letters = styled(["index"], { significance: "letters" });
    expect(look(indexed(110), letters, "A c")).toMatchObject({ text: "110.0", letters: "Ac" });
    const room = { isBeside: () => false, lettersIn: () => ["ABCD", "EF"] };
    const under = cellView({ ...indexed(110), letters: "A B C D E F" }, letters, "", room, 60);
    expect(under).toMatchObject({ letters: "ABCD\nEF", is: "hot-2 under" });
    expect(look(indexed(110), letters).letters).toBe("");
    expect(look(indexed(110), arrows(), "A c").letters).toBe("");
    const twice = styled(["index", "letters"], { significance: "letters" });
    expect(look(indexed(110), twice, "A c")).toMatchObject({ text: "110.0\nAc", letters: "" });
  });
});
