// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { strings as picker } from "../../src/catalogue/strings";
import { defused } from "../../src/core/csvInjection";
import { atLeast, count, percent, written } from "../../src/core/numbers";
import { words as editor } from "../../src/editor/strings";
import { formulas, rounding } from "../shared.json";

const SOURCE = resolve(import.meta.dirname, "../../src");

describe("numbers", () => {
  it.each(rounding as [number, number, string][])(
    "%d with %i decimals is %s, as in Python",
    (value, decimals, text) => {
      expect(written(value, decimals)).toBe(text);
    },
  );

  it("have a dash where they are not known", () => {
    expect([written(Number.NaN, 1), count(Number.NaN), percent(null), percent(Number.NaN)]).toEqual(
      ["–", "–", "–", "–"],
    );
  });

  it("are never zero where they are small", () => {
    expect([percent(0.04), percent(0.05), percent(0), atLeast(0.004, 2, "K")]).toEqual([
      ...["<0.1%", "0.1%", "0.0%", "<0.01K"],
    ]);
  });

  it("are the same in picker and editor as in a table: 29 of 2,000", () => {
    const share = (100 * 29) / 2_000;
    expect(editor.ofBase(share)).toBe("1.5% of the base");
    expect(picker.size(29, share, 29)).toBe("29 people, 1.5% of all, from 29 respondents");
  });

  it("are written in one module", () => {
    const others = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
      (file) => /\.tsx?$/.test(file) && !file.endsWith(join("core", "numbers.ts")),
    );
    const own = /\.(toFixed|toPrecision|toLocaleString)\(|Intl\.NumberFormat/;
    expect(others.filter((file) => own.test(readFileSync(join(SOURCE, file), "utf8")))).toEqual([]);
  });
});

describe("text for spreadsheets", () => {
  it.each(formulas as [string, boolean][])("%j: would be calculated: %s", (text, isFormula) => {
    expect(defused(text)).toBe(isFormula ? `'${text}` : text);
  });
});
