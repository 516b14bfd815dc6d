// @vitest-environment node
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
  it("wants every word somewhere, in any order and case", () => {
    expect(finds("ladies YOUNG", "Young ladies")).toBe(true);
    expect(finds("young men", "Young ladies")).toBe(false);
    expect(finds("", "Young ladies")).toBe(true);
    expect(queryWords(" Media  social MEDIA ").map(({ text }) => text)).toEqual([
      "media",
      "social",
    ]);
  });

  it("ignores accents, however they are written", () => {
    for (const query of ["cafe\u0301", "caf\u00e9", "cafe"]) {
      expect(finds(query, "Caf\u00e9 visitors")).toBe(true);
      expect(finds(query, "Cafe\u0301 visitors")).toBe(true);
    }
    expect(folded("\ud55c\uad6d\uc5b4 Ñandú")).toBe("\ud55c\uad6d\uc5b4 nandu");
  });

  it("takes other words for the same, but only whole ones", () => {
    expect(finds("women", "Female")).toBe(true);
    expect(finds("men", "Male")).toBe(true);
    expect(finds("men", "Female")).toBe(false);
    expect(finds("daily", "Several times a day")).toBe(true);
    expect(finds("daily", "A daydream")).toBe(false);
  });

  it("takes the singular for a plural", () => {
    expect(finds("categories", "Category")).toBe(true);
    expect(finds("brands", "My brand")).toBe(true);
    expect(finds("brands", "Brandy")).toBe(false);
    expect(finds("news", "New things")).toBe(false);
  });

  it("takes a range however it is written", () => {
    for (const query of ["18-24", "18 to 24", "18 – 24"]) {
      expect(finds(query, "18 to 24")).toBe(true);
      expect(finds(query, "18–24 years")).toBe(true);
      expect(finds(query, "118 to 249")).toBe(false);
    }
    expect(finds("65+", "65 and over")).toBe(true);
    expect(finds("65+", "Under 65")).toBe(false);
  });
});

describe("how well words fit", () => {
  it("prefers whole words, then beginnings of words", () => {
    const best = (query: string, text: string) => fitOf(text, queryWords(query));
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

  it("mends letters that are left out, added, replaced or exchanged", () => {
    expect(corrected("shrot video")).toBe("short video");
    expect(corrected("femle")).toBe("female");
    expect(corrected("femmale")).toBe("female");
    expect(corrected("famale")).toBe("female");
  });

  it("mends a word that is not typed to its end", () => {
    expect(corrected("recomend")).toBe("recommendations");
    expect(corrected("wome")).toBe("women");
  });

  it("leaves alone what is known, short, a number or too far away", () => {
    for (const query of ["short", "vid", "shp", "q5", "1999", "zebras"]) {
      expect(corrected(query)).toBeUndefined();
    }
  });
});

describe("filtering a list", () => {
  it("returns the same list when nothing is typed", () => {
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
