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

describe("counts below a category", () => {
  it("counts what picking it selects, whatever the search", () => {
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

  it("includes subcategories and leaves out locked questions", () => {
    const below = foundBelow(tree, null, MEDIA);
    expect(matchesOf(catalogue, below, "datapoints").map(({ question }) => question)).toEqual([
      "q20",
    ]);
  });

  it("counts only matches during a search", () => {
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

  it("is hidden where nothing can be picked", () => {
    expect(stateOf(EMPTY, [])).toBeNull();
  });

  it("ignores questions that are not in the catalogue", () => {
    expect(stateOf(MEDIA, [{ question: "q404", datapoints: [], suffixes: [] }])).toBe("none");
  });
});
