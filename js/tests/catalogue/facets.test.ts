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

describe("the facets that are offered", () => {
  it("leave out namespaces that divide the questions as the datasets do", () => {
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

describe("the questions that pass", () => {
  it("are all of them while nothing is chosen", () => {
    expect(passing(catalogue, {}, null)).toBeNull();
    expect(passing(catalogue, { dataset: [] }, null)).toBeNull();
  });

  it("have one of the chosen values", () => {
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

  it("were asked in every chosen wave", () => {
    expect(names({ wave: ["w1"] })).toEqual(["Gender", "Social platforms used"]);
    expect(names({ wave: ["w1", "w2"] })).toEqual(["Gender"]);
  });
});

describe("the values to choose from", () => {
  it("are those that occur, with how many questions have them", () => {
    expect(values("access")).toEqual([
      ["open", 4],
      ["locked", 1],
    ]);
    expect(values("namespace")).toEqual([
      ["core", 4],
      ["panel2", 1],
    ]);
  });

  it("stand in the order of the waves and datasets", () => {
    expect(values("wave")).toEqual([
      ["w1", 2],
      ["w2", 2],
    ]);
    expect(values("dataset").map(([value]) => value)).toEqual(["lives", "screens"]);
  });

  it("count what the other facets leave, whatever is chosen in their own", () => {
    const chosen: Chosen = { access: ["locked"], dataset: ["lives"] };
    expect(values("dataset", chosen)).toEqual([
      ["lives", 0],
      ["screens", 1],
    ]);
  });

  it("are no waves until somebody has counted", () => {
    expect(facetValues(catalogue, "wave", {}, null)).toEqual([]);
  });
});

describe("choosing", () => {
  it("takes a value in and out, and lists all in the order of the facets", () => {
    let chosen: Chosen = toggleFacet({}, "wave", "w1");
    chosen = toggleFacet(chosen, "access", "open");
    expect(chosenValues(chosen)).toEqual([
      { facet: "access", value: "open" },
      { facet: "wave", value: "w1" },
    ]);
    expect(chosenValues(toggleFacet(chosen, "wave", "w1"))).toHaveLength(1);
  });
});
