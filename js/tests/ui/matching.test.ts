// @vitest-environment node
import "../searchWords";
import { describe, expect, it } from "vitest";
import {
  corrections,
  filterItems,
  fitOf,
  folded,
  matchWords,
  queryWords,
  Vocabulary,
} from "../../src/ui/matching";

const finds = (query: string, text: string) => matchWords(text, queryWords(query));

describe("matching words", () => {
  it("requires every word, in any order and case", () => {
    expect(finds("ladies YOUNG", "Young ladies")).toBe(true);
    expect(finds("young men", "Young ladies")).toBe(false);
    expect(finds("", "Young ladies")).toBe(true);
    expect(queryWords(" Media  social MEDIA ").map(({ text }) => text)).toEqual([
      "media",
      "social",
    ]);
  });

  it("ignores accents, however they are encoded", () => {
    for (const query of ["cafe\u0301", "caf\u00e9", "cafe"]) {
      expect(finds(query, "Caf\u00e9 visitors")).toBe(true);
      expect(finds(query, "Cafe\u0301 visitors")).toBe(true);
    }
    expect(folded("\ud55c\uad6d\uc5b4 Ñandú")).toBe("\ud55c\uad6d\uc5b4 nandu");
  });

  it("matches synonyms as whole words only", () => {
    expect(finds("women", "Female")).toBe(true);
    expect(finds("men", "Male")).toBe(true);
    expect(finds("men", "Female")).toBe(false);
    expect(finds("daily", "Several times a day")).toBe(true);
    expect(finds("daily", "A daydream")).toBe(false);
  });

  it("matches a plural by its singular", () => {
    expect(finds("categories", "Category")).toBe(true);
    expect(finds("brands", "My brand")).toBe(true);
    expect(finds("brands", "Brandy")).toBe(false);
    expect(finds("news", "New things")).toBe(false);
  });

  it("matches a range however it is written", () => {
    for (const query of ["18-24", "18 to 24", "18 – 24"]) {
      expect(finds(query, "18 to 24")).toBe(true);
      expect(finds(query, "18–24 years")).toBe(true);
      expect(finds(query, "118 to 249")).toBe(false);
    }
    expect(finds("65+", "65 and over")).toBe(true);
    expect(finds("65+", "Under 65")).toBe(false);
  });
});

describe("the rank of a match", () => {
  it("prefers whole words, then beginnings of words", () => {
    const best = (query: string, text: string) => fitOf(folded(text), queryWords(query));
    expect(best("men", "Men and women")).toBe(0);
    expect(best("men", "Male")).toBe(0);
    expect(best("soc", "Social media")).toBe(1);
    expect(best("ocia", "Social media")).toBe(2);
    expect(best("gender", "Social media")).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("correcting typing errors", () => {
  const vocabulary = new Vocabulary(["short video", "recommendations", "female", "shops", "q4 18"]);
  const corrected = (query: string) => corrections(queryWords(query), vocabulary)[0];

  it("corrects letters that are omitted, added, replaced or swapped", () => {
    expect(corrected("shrot video")).toBe("short video");
    expect(corrected("femle")).toBe("female");
    expect(corrected("femmale")).toBe("female");
    expect(corrected("famale")).toBe("female");
  });

  it("corrects an incomplete word", () => {
    expect(corrected("recomend")).toBe("recommendations");
    expect(corrected("wome")).toBe("women");
  });

  it("does not correct words that are known, short, numbers or too different", () => {
    for (const query of ["short", "vid", "shp", "q5", "1999", "zebras"]) {
      expect(corrected(query)).toBeUndefined();
    }
  });
});

describe("filtering a list", () => {
  it("returns the same list for an empty query", () => {
    const items = ["a", "b"];
    expect(filterItems(items, " ", (each) => each).items).toBe(items);
  });

  it("shows similar items only where none matches", () => {
    const items = ["Short", "Shrote"];
    expect(filterItems(items, "shrot", (each) => each)).toMatchObject({
      items: ["Shrote"],
      meant: "",
    });
    expect(filterItems(["Short"], "shrot", (each) => each)).toMatchObject({
      items: ["Short"],
      meant: "short",
    });
  });
});
