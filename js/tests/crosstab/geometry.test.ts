// @vitest-environment node
import { describe, expect, it } from "vitest";
import { within } from "../../src/crosstab/table/actions";
import {
  type Geometry,
  type GeometryChoice,
  looseWidth,
  originOf,
  sizesFor,
} from "../../src/crosstab/view/geometry";
import { brokenLetters, hyphenated, linesOf, shortened } from "../../src/crosstab/view/text";
import type { Density } from "../../src/protocol";

const text = (words: string) => 7 * words.length;
const CHOICE: GeometryChoice = {
  width: 900,
  text,
  rowNames: ["Twenty letters of it"],
  columnNames: ["Eighteen", "One", "Women of all the cities"],
  columns: 3,
  values: ["888.8"],
  size: "888.8M",
  sample: "8,888",
};

describe("the frozen part", () => {
  it("has names and bases where there is space for a column beside them", () => {
    const { geometry } = sizesFor(CHOICE);
    expect(geometry.frozen).toBe(originOf(geometry));
    expect(looseWidth(geometry)).toBe(0);
  });

  it("has only names where there is none, and always leaves space for a column", () => {
    const { geometry } = sizesFor({ ...CHOICE, width: 200 });
    expect(geometry.frozen).toBe(geometry.name);
    expect(looseWidth(geometry)).toBe(geometry.size + geometry.sample);
    for (let width = 200; width < 1000; width++) {
      const { frozen, column } = sizesFor({ ...CHOICE, width }).geometry;
      expect(frozen + column).toBeLessThanOrEqual(width);
    }
  });

  it("has names and bases while the width is unknown", () => {
    expect(looseWidth(sizesFor({ ...CHOICE, width: 0 }).geometry)).toBe(0);
  });

  it("excludes hidden base columns", () => {
    const margins = { size: false, sample: true };
    const { name, size, sample, frozen } = sizesFor({ ...CHOICE, margins }).geometry;
    expect([size, frozen]).toEqual([0, name + sample]);
  });
});

describe("text of another size", () => {
  it("has higher lines, rows and headers, and wider columns", () => {
    const large = { text: (words: string) => 1.5 * text(words), line: 24, group: 32 };
    const [usual, grown] = [CHOICE, { ...CHOICE, ...large, width: 1350 }].map(
      (choice) => sizesFor(choice).geometry,
    ) as [Geometry, Geometry];
    expect([usual.row, usual.base, usual.group]).toEqual([24, 38, 24]);
    expect([grown.row, grown.base, grown.group]).toEqual([32, 54, 32]);
    expect(grown.head - 10).toBe(1.5 * (usual.head - 10));
    for (const part of ["name", "size", "sample", "column", "pad", "sign"] as const)
      expect(Math.abs(grown[part] - 1.5 * usual[part])).toBeLessThan(2);
  });

  it("leaves space for the letter before a column's name", () => {
    const name = (isLettered: boolean) =>
      sizesFor({ ...CHOICE, isLettered }).fittingColumn("Eighteen");
    expect(name(true) - name(false)).toBe(text("W · "));
  });
});

describe("long names of rows", () => {
  const rowNames = ["Very or fairly satisfied (very satisfied, fairly satisfied)"];
  const columnNames = ["One", "Two", "Three", "Four", "Five", "Six", "Seven"];
  const shape = { columnNames, columns: 7, density: "comfortable" } as const;
  const long = { ...CHOICE, rowNames, ...shape };

  it("give way to columns where all of them fit then", () => {
    const { geometry, columnWidth } = sizesFor(long);
    const across = columnNames.reduce((sum, name) => sum + columnWidth(name), 0);
    const beside = geometry.size + geometry.sample + across;
    const name = (width: number) => sizesFor({ ...long, width }).geometry.name;
    expect(name(1200)).toBeGreaterThan(300);
    expect([200, 250].map((left) => name(beside + left))).toEqual([200, 250]);
  });
});

describe("the letter before a column's name", () => {
  const { inColumn } = sizesFor({ ...CHOICE, isLettered: true });
  const around = 14;

  it("stays with the name, or has its own line where it would take one anyway", () => {
    const word = text("Hombre") + around;
    expect(inColumn("A · Hombre", word + text("A · "))).toBe("A · Hombre");
    expect(inColumn("A · Hombre", word)).toBe("A\nHombre");
    expect(inColumn("AB · Hombre", word)).toBe("AB\nHombre");
    expect(inColumn("Hombre · B", word)).toBe("Hombre · B");
    expect(sizesFor(CHOICE).inColumn("A · Hombre", word)).toBe("A · Hombre");
  });

  it("takes no line more than the table has space for", () => {
    const names = ["Haushaltsnettoeinkommen", "Women of all the cities", "18 to 24 years"];
    for (const name of names.map((each) => `A · ${each}`)) {
      for (let inside = 30; inside < 200; inside += 7) {
        const shown = inColumn(name, inside + around)
          .replaceAll("\u00ad", "")
          .split("\n");
        const lines = shown.map((each) => linesOf(each, inside, text, true));
        expect(lines.reduce((sum, each) => sum + each)).toBe(linesOf(name, inside, text, true));
      }
    }
  });
});

describe("names of rows on one line", () => {
  const [agree, disagree] = ["Statement 6: Strongly agree", "Statement 6: Strongly disagree"];

  it("are cut in the middle, so that names that begin alike differ", () => {
    expect(shortened(agree, text(agree), text)).toBe(agree);
    for (const inside of [120, 150, 180]) {
      const [one, other] = [agree, disagree].map((name) => shortened(name, inside, text));
      expect(one).toMatch(/^State.*….*agree$/);
      expect(one).not.toBe(other);
      expect(text(one ?? "")).toBeLessThanOrEqual(inside);
    }
    expect(shortened("👩‍👩‍👧 全くそう思わない", 0, text)).toBe("👩…");
  });

  it("have a larger part of the width in larger text, up to two fifths", () => {
    const part = (line: number) => {
      const large = { text: (words: string) => (line / 16) * text(words), line };
      const rowNames = [disagree.repeat(3)];
      const many = { columns: 200, rowNames, width: 700 };
      return sizesFor({ ...CHOICE, ...large, ...many }).geometry.name / 700;
    };
    expect([16, 20, 24, 32].map((line) => Math.round(100 * part(line)))).toEqual([25, 25, 34, 40]);
  });
});

describe("very long and very short names", () => {
  const long = "Donaudampfschifffahrtsgesellschaftskapitän ".repeat(3);

  it("of rows take 84 pixels to two fifths of the width, unless somebody chose another", () => {
    const name = (rowNames: string[], chosen?: number) =>
      sizesFor({ ...CHOICE, width: 1_500, rowNames, name: chosen }).geometry.name;
    expect([name(["A"]), name([long]), name([long], 700)]).toEqual([84, 600, 700]);
  });

  it("leave ten columns in view, and names of rows a sixth of the width", () => {
    const columnNames = Array.from({ length: 12 }, () => `${long} and others`);
    const choice = { ...CHOICE, width: 1040, rowNames: [long], columnNames, columns: 12 };
    const { geometry, inColumn } = sizesFor(choice);
    expect(originOf(geometry) + 10 * geometry.column).toBeLessThanOrEqual(1040);
    expect(geometry.name).toBeGreaterThanOrEqual(0.16 * 1040 - 1);
    expect(geometry.headLines).toBe(8);
    expect(inColumn("Haushaltsnettoeinkommen", geometry.column)).toContain("\u00ad");
    const low = sizesFor({ ...choice, height: 300 }).geometry;
    expect(low.headLines).toBe(2);
  });

  it("of columns wrap within 132 pixels", () => {
    expect(sizesFor(CHOICE).columnWidth(long)).toBe(132);
  });

  it("of up to 128 columns are on one line where all fit", () => {
    const wide = (columns: number) =>
      sizesFor({ ...CHOICE, width: 90_000, columns }).columnWidth("Women of London");
    expect(wide(128)).toBeGreaterThan(wide(129));
    expect(wide(129)).toBe(wide(3_000));
  });

  it("give way to a width that is dragged, between 60 and 800 pixels", () => {
    expect([59, 60, 61, 799, 800, 801].map(within)).toEqual([60, 60, 61, 799, 800, 800]);
  });
});

describe("columns", () => {
  it("are as wide as their name, and at least as wide as a value", () => {
    const { columnWidth, geometry } = sizesFor(CHOICE);
    const [word, short, many] = CHOICE.columnNames.map(columnWidth) as [number, number, number];
    expect(word).toBeGreaterThan(short);
    expect(short).toBeGreaterThan(text("888.8M"));
    expect(many).toBeLessThan(text("Women of all the cities"));
    expect(geometry.column).toBe(Math.max(word, many));
  });

  it("are narrower in a compact table, which is the default in a narrow widget", () => {
    const short = (part: Partial<GeometryChoice>) =>
      sizesFor({ ...CHOICE, ...part }).columnWidth("One");
    expect(short({ density: "compact" })).toBeLessThan(short({}));
    expect(short({ width: 600 })).toBe(short({ density: "compact" }));
    expect(short({ width: 600, density: "comfortable" })).toBe(short({}));
  });
});

describe("the density", () => {
  const compact = (width: number, density: Density = "auto") =>
    sizesFor({ ...CHOICE, width, density }).isCompact;

  it("is compact in a table narrower than 800 pixels, once its width is known", () => {
    expect([0, 1, 799, 800].map((width) => compact(width))).toEqual([false, true, true, false]);
  });

  it("is compact where ten columns would leave too little for names", () => {
    const ten = (width: number) => sizesFor({ ...CHOICE, width, columns: 10 }).isCompact;
    expect([850, 900].map(ten)).toEqual([true, false]);
  });

  it("is the one that was chosen in any width", () => {
    expect([799, 800].map((width) => compact(width, "comfortable"))).toEqual([false, false]);
    expect([799, 800].map((width) => compact(width, "compact"))).toEqual([true, true]);
  });
});

describe("rows", () => {
  it("are lower in a compact table, by the same amount for one metric and for three", () => {
    const heights = (cellLines: number) =>
      (["comfortable", "compact"] as const).map(
        (density) => sizesFor({ ...CHOICE, cellLines, density }).geometry.row,
      );
    expect(heights(1)).toEqual([24, 20]);
    expect(heights(3)).toEqual([56, 52]);
  });

  it("have as many lines as their names need", () => {
    const { rowLines } = sizesFor({ ...CHOICE, name: 130 });
    expect(rowLines("Ten or so", 0)).toBe(1);
    expect(rowLines("Twenty letters of it", 0)).toBe(2);
    expect(rowLines("Donaudampfschifffahrtsgesellschaftskapitän ".repeat(3), 1)).toBe(3);
  });
});

describe("lines of a name", () => {
  it("break between words, and inside a word only if it is longer than the line", () => {
    const lines = (name: string) => linesOf(name, 70, text);
    expect(["All", "18 to 24", "65 and over", "Extraordinary"].map(lines)).toEqual([1, 1, 2, 2]);
  });

  it("have a hyphen between syllables, of words that are longer than the line only", () => {
    const shown = (name: string) => hyphenated(name, 84, text).replaceAll("\u00ad", "|");
    expect(shown("bis 24 Jahre")).toBe("bis 24 Jahre");
    expect(shown("Haushaltsnettoeinkommen")).toBe("Haus|halts|net|toein|kom|men");
    expect(shown("berufstätig/arbeitssuchend")).toBe("be|rufs|tä|tig/ar|beits|su|chend");
    expect(shown("コーヒーについての情報をどこで")).toBe("コーヒーについての情報をどこで");
  });

  it("of letters are full, and break between columns", () => {
    expect(brokenLetters("BCDEFGH", 21, text)).toEqual(["BCD", "EFG", "H"]);
    expect(brokenLetters("AA AB AC", 40, text)).toEqual(["AA AB", "AC"]);
  });
});
