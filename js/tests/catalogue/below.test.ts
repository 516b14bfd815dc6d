// @vitest-environment node
import { describe, expect, it } from "vitest";
import { categoryState, foundBelow, offeredBelow, pickedBelow } from "../../src/catalogue/below";
import { search, searchText } from "../../src/catalogue/search";
import {
  countMatches,
  matchesOf,
  type PickerMode,
  type Selection,
  withAll,
} from "../../src/catalogue/selection";
import { outline } from "../../src/catalogue/tree";
import { smallCatalogue } from "./catalogue";

const catalogue = smallCatalogue();
const tree = outline(catalogue);
const text = searchText(catalogue);
const [DEMOGRAPHICS, MEDIA, SOCIAL, EMPTY] = [0, 1, 2, 3];
const MODES: readonly PickerMode[] = ["datapoints", "question"];

function stateOf(category: number, selection: Selection) {
  const offered = offeredBelow(catalogue, null, "datapoints")[category] ?? 0;
  const picked = pickedBelow(catalogue, "datapoints", selection)[category] ?? 0;
  return categoryState(offered, picked);
}

describe("what stands below a category", () => {
  it("is counted as picking it would count, whatever was searched", () => {
    for (const query of ["", "to", "e", "chirper", "income", "gender"]) {
      for (const mode of MODES) {
        const found = search(text, query);
        const offered = offeredBelow(catalogue, found, mode);
        for (const category of catalogue.categories.keys()) {
          const below = foundBelow(tree, found, category);
          expect(offered[category]).toBe(countMatches(catalogue, below, mode));
          const all = withAll([], catalogue, matchesOf(catalogue, below, mode));
          expect(pickedBelow(catalogue, mode, all)[category]).toBe(offered[category]);
        }
      }
    }
  });

  it("includes the categories inside, and leaves out what is locked", () => {
    const below = foundBelow(tree, null, MEDIA);
    expect(matchesOf(catalogue, below, "datapoints").map(({ question }) => question)).toEqual([
      "q20",
    ]);
  });

  it("is only what was found while something is searched", () => {
    const below = foundBelow(tree, search(text, "18"), DEMOGRAPHICS);
    expect(matchesOf(catalogue, below, "datapoints")).toEqual([
      { question: "q4", datapoints: ["q4_2"], suffixes: [] },
    ]);
  });
});

describe("the tick of a category", () => {
  const one = [{ question: "core.q4", datapoints: ["q4_2"], suffixes: [] }];

  it("is none, mixed or all, also for categories further up", () => {
    expect(stateOf(DEMOGRAPHICS, [])).toBe("none");
    expect(stateOf(DEMOGRAPHICS, one)).toBe("some");
    expect(stateOf(MEDIA, one)).toBe("none");
    const platforms = [{ question: "q20", datapoints: [], suffixes: ["1"] }];
    expect([stateOf(SOCIAL, platforms), stateOf(MEDIA, platforms)]).toEqual(["all", "all"]);
  });

  it("is not there where nothing may be picked", () => {
    expect(stateOf(EMPTY, [])).toBeNull();
  });

  it("knows nothing of what the catalogue does not know", () => {
    expect(stateOf(MEDIA, [{ question: "q404", datapoints: [], suffixes: [] }])).toBe("none");
  });
});
