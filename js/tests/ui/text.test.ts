// @vitest-environment node
import { describe, expect, it } from "vitest";
import { folded, queryWords } from "../../src/ui/matching";
import { isolated, markWords } from "../../src/ui/text";

const marked = (label: string, words: string[]) =>
  markWords(label, queryWords(words.join(" ")))
    .map(({ text, marked }) => (marked ? `[${text}]` : text))
    .join("");

describe("marking words", () => {
  it("marks every occurrence, ignoring case, and keeps the label whole", () => {
    expect(marked("Social Media, social", ["social"])).toBe("[Social] Media, [social]");
  });

  it("merges hits that overlap", () => {
    expect(marked("smartphone", ["smart", "artph"])).toBe("[smartph]one");
  });

  it("gives the label unmarked when nothing matches or nothing was typed", () => {
    expect(marked("Gender", ["age"])).toBe("Gender");
    expect(marked("Gender", [])).toBe("Gender");
    expect(marked("", ["a"])).toBe("");
  });

  it("marks another word for what was typed", () => {
    expect(marked("Female", ["women"])).toBe("[Female]");
    expect(marked("Once a day", ["daily"])).toBe("Once [a day]");
  });

  it("leaves labels alone that have another length when folded", () => {
    expect(marked("x\u0302 axis", ["axis"])).toBe("x\u0302 axis");
    expect(marked("İstanbul", ["stan"])).toBe("İ[stan]bul");
  });

  it("treats markup as text", () => {
    expect(marked("<img onerror=x>", ["img"])).toBe("<[img] onerror=x>");
  });
});

describe("a name inside a sentence", () => {
  it("is set apart where it could turn the words after it round, and left alone elsewhere", () => {
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
  it("are the same however they are composed", () => {
    expect(marked("Ze\u0301ro", ["z\u00e9"])).toBe("[Z\u00e9]ro");
    expect(folded("Ze\u0301ro")).toBe(folded("Z\u00c9RO"));
  });
});
