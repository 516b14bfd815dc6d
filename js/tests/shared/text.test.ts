import { describe, expect, it } from "vitest";
import { markWords } from "../../src/shared/text";

const marked = (label: string, words: string[]) =>
  markWords(label, words)
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

  it("leaves labels alone whose lower case has another length", () => {
    expect(marked("İstanbul", ["stan"])).toBe("İstanbul");
  });

  it("treats markup as text", () => {
    expect(marked("<img onerror=x>", ["img"])).toBe("<[img] onerror=x>");
  });
});
