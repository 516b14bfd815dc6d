// @vitest-environment node
import "../searchWords";
import { describe, expect, it } from "vitest";
import { folded, queryWords } from "../../src/ui/matching";
import { isolated, markWords } from "../../src/ui/text";

const marked = (label: string, words: string[]) =>
  markWords(label, queryWords(words.join(" ")))
    .map(({ text, marked }) => (marked ? `[${text}]` : text))
    .join("");

describe("highlighting words", () => {
  it("marks every occurrence, ignoring case, and keeps the label complete", () => {
    expect(marked("Social Media, social", ["social"])).toBe("[Social] Media, [social]");
  });

  it("merges overlapping matches", () => {
    expect(marked("smartphone", ["smart", "artph"])).toBe("[smartph]one");
  });

  it("returns the label unmarked without a match or a query", () => {
    expect(marked("Gender", ["age"])).toBe("Gender");
    expect(marked("Gender", [])).toBe("Gender");
    expect(marked("", ["a"])).toBe("");
  });

  it("marks a synonym", () => {
    expect(marked("Female", ["women"])).toBe("[Female]");
    expect(marked("Once a day", ["daily"])).toBe("Once [a day]");
  });

  it("marks labels whose length changes when folded", () => {
    expect(marked("x\u0302 axis", ["axis"])).toBe("x\u0302 [axis]");
    expect(marked("Wei\u00df nicht, gro\u00df", ["gross", "weiss"])).toBe(
      "[Wei\u00df] nicht, [gro\u00df]",
    );
    expect(marked("Alter: 18 bis 24 Jahre", ["18-24"])).toBe("Alter: [18 bis 24] Jahre");
    expect(marked("İstanbul", ["stan"])).toBe("İ[stan]bul");
  });

  it("treats markup as text", () => {
    expect(marked("<img onerror=x>", ["img"])).toBe("<[img] onerror=x>");
  });
});

describe("a name inside a sentence", () => {
  it("is isolated where it could reorder the words after it, and left alone elsewhere", () => {
    expect(isolated("Women 25–34 é")).toBe("Women 25–34 é");
    for (const name of [
      "\u05e9\u05dc\u05d5\u05dd",
      "\u0645\u0631\u062d\u0628\u0627",
      "\u202eabc",
    ]) {
      expect(isolated(name)).toBe(`\u2068${name}\u2069`);
    }
  });
});

describe("letters with accents", () => {
  it("match in any Unicode normal form", () => {
    expect(marked("Ze\u0301ro", ["z\u00e9"])).toBe("[Z\u00e9]ro");
    expect(folded("Ze\u0301ro")).toBe(folded("Z\u00c9RO"));
  });
});
