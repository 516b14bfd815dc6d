// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  type Chosen,
  chosenValues,
  type Facet,
  facetsOf,
  facetValues,
  passing,
  toggleFacet,
} from "../../src/catalogue/facets";
import { Catalogue } from "../../src/catalogue/model";
import { COVERAGE, smallCatalogue } from "./catalogue";

const catalogue = smallCatalogue();
const names = (chosen: Chosen) =>
  [...(passing(catalogue, chosen, COVERAGE) ?? [])].map((at) => catalogue.questions[at]?.name);
const values = (facet: Facet, chosen: Chosen = {}) =>
  facetValues(catalogue, facet, chosen, COVERAGE).map(({ value, count }) => [value, count]);

describe("offered facets", () => {
  it("omit namespaces that divide the questions as the datasets do", () => {
    expect(facetsOf(catalogue)).toContain("namespace");
    const questions = catalogue.questions.map((each) => ({
      ...each,
      datasets: [each.canonical.startsWith("core.") ? "lives" : "screens"],
    }));
    const alike = facetsOf(new Catalogue(catalogue.categories, questions));
    expect(alike).toContain("dataset");
    expect(alike).not.toContain("namespace");
  });
});

describe("questions that pass", () => {
  it("are all of them when nothing is selected", () => {
    expect(passing(catalogue, {}, null)).toBeNull();
    expect(passing(catalogue, { dataset: [] }, null)).toBeNull();
  });

  it("have one of the selected values", () => {
    expect(names({ dataset: ["screens"] })).toEqual(["Social platforms used", "Income"]);
    expect(names({ dataset: ["screens", "lives"] })).toHaveLength(5);
    expect(names({ namespace: ["panel2"] })).toEqual(["Income"]);
    expect(names({ kind: ["numbers"] })).toEqual(["Age"]);
    expect(names({ suffixes: ["with"] })).toEqual(["Social platforms used"]);
    expect(names({ access: ["locked"] })).toEqual(["Income"]);
  });

  it("have one in every facet", () => {
    expect(names({ dataset: ["screens"], access: ["open"] })).toEqual(["Social platforms used"]);
  });

  it("were asked in every selected wave", () => {
    expect(names({ wave: ["w1"] })).toEqual(["Gender", "Social platforms used"]);
    expect(names({ wave: ["w1", "w2"] })).toEqual(["Gender"]);
  });
});

describe("values of a facet", () => {
  it("are those that occur, with the number of their questions", () => {
    expect(values("access")).toEqual([
      ["open", 4],
      ["locked", 1],
    ]);
    expect(values("namespace")).toEqual([
      ["core", 4],
      ["panel2", 1],
    ]);
  });

  it("are in the order of waves and datasets", () => {
    expect(values("wave")).toEqual([
      ["w1", 2],
      ["w2", 2],
    ]);
    expect(values("dataset").map(([value]) => value)).toEqual(["lives", "screens"]);
  });

  it("count what the other facets leave, whatever is selected in their own", () => {
    const chosen: Chosen = { access: ["locked"], dataset: ["lives"] };
    expect(values("dataset", chosen)).toEqual([
      ["lives", 0],
      ["screens", 1],
    ]);
  });

  it("contain no waves before these are loaded", () => {
    expect(facetValues(catalogue, "wave", {}, null)).toEqual([]);
  });
});

describe("toggling a value", () => {
  it("adds and removes it, and lists all in the order of the facets", () => {
    let chosen: Chosen = toggleFacet({}, "wave", "w1");
    chosen = toggleFacet(chosen, "access", "open");
    expect(chosenValues(chosen)).toEqual([
      { facet: "access", value: "open" },
      { facet: "wave", value: "w1" },
    ]);
    expect(chosenValues(toggleFacet(chosen, "wave", "w1"))).toHaveLength(1);
  });
});
