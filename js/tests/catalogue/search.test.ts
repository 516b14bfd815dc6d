// @vitest-environment node
import "../searchWords";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Catalogue, type QuestionRecord } from "../../src/catalogue/model";
import { excerpt, search, searchText, textOf } from "../../src/catalogue/search";
import { queryWords } from "../../src/ui/matching";
import { smallCatalogue } from "./catalogue";

const catalogue = smallCatalogue();
const text = searchText(catalogue);
const found = (query: string) =>
  [...(search(text, query)?.matches ?? [])].map(([at, { whole, datapoints }]) => ({
    question: catalogue.questions[at]?.code,
    whole,
    datapoints: datapoints.map((each) => catalogue.questions[at]?.datapoints.names[each]),
  }));

describe("searching", () => {
  it("does nothing for a blank query", () => {
    expect(search(text, "  ")).toBeNull();
  });

  it("finds parts of words in names, ignoring case", () => {
    expect(found("gEND")).toEqual([{ question: "q2", whole: true, datapoints: [] }]);
    expect(found("chirp")).toEqual([{ question: "q20", whole: false, datapoints: ["Chirper"] }]);
  });

  it("requires every word, and accepts words of the question for its datapoints", () => {
    expect(found("age 18")).toEqual([{ question: "q4", whole: false, datapoints: ["18 to 24"] }]);
  });

  it("counts the categories above a question as its own words", () => {
    expect(found("demographics male").map(({ question }) => question)).toEqual(["q2"]);
    expect(found("media")[0]?.question).toBe("q20");
  });

  it("finds codes of questions and of datapoints", () => {
    expect(found("q4_2")).toEqual([{ question: "q4", whole: false, datapoints: ["18 to 24"] }]);
    expect(found("panel2").map(({ question }) => question)).toEqual(["panel2.q7"]);
  });

  it("does not open a question whose datapoints only repeat its code", () => {
    expect(found("q4")).toEqual([{ question: "q4", whole: true, datapoints: [] }]);
  });

  it("shows datapoints that have a word of a question that matches as a whole", () => {
    expect(found("photogram social")[0]).toMatchObject({ whole: false, datapoints: ["Photogram"] });
  });

  it("does not match across two fields", () => {
    expect(found("genderq2")).toEqual([]);
  });

  it("searches descriptions too", () => {
    expect(found("birthday")).toEqual([{ question: "q4", whole: true, datapoints: [] }]);
    expect(found("birthday 18")[0]?.datapoints).toEqual(["18 to 24"]);
  });

  it("finds allowed questions only, with a query and without", () => {
    const some = new Set([0, 2]);
    expect(search(text, "to", some)).toMatchObject({ questions: 1, datapoints: 1 });
    expect(search(text, "", some)).toMatchObject({ questions: 2, datapoints: 0, words: [] });
    expect(search(text, "", new Set())).toMatchObject({ questions: 0 });
  });

  it("counts its matches", () => {
    expect(search(text, "to")).toMatchObject({ questions: 2, datapoints: 4 });
  });
});

describe("synonyms and corrections", () => {
  it("finds synonyms", () => {
    expect(found("women")[0]).toMatchObject({ question: "q2", datapoints: ["Female"] });
    expect(found("men")[0]).toMatchObject({ question: "q2", datapoints: ["Male"] });
    expect(found("ages")[0]).toMatchObject({ question: "q4" });
  });

  it("finds the answers that make up a range, and no others", () => {
    const parts = ["18 to 24", "25 to 34"];
    for (const query of ["18-34", "18 to 34", "18 – 34", "age 18-34"]) {
      expect(found(query)).toEqual([{ question: "q4", whole: false, datapoints: parts }]);
    }
    expect(found("18-24")[0]?.datapoints).toEqual(["18 to 24"]);
    expect(found("18-30")).toEqual([]);
  });

  it("corrects a query without matches, and reports it", () => {
    expect(search(text, "gendre femlae")).toMatchObject({ meant: "gender female", questions: 1 });
    expect(search(text, "gender female")).toMatchObject({ meant: "", questions: 1 });
    expect(search(text, "zzzzzz")).toMatchObject({ meant: "", questions: 0, some: false });
  });
});

describe("the excerpt of a description", () => {
  const told = "Which of these services have you paid for in the last twelve months?";

  it("is empty where the label contains every word", () => {
    expect(excerpt("Paid services", told, queryWords("paid"))).toBe("");
    expect(excerpt("Paid services", told, [])).toBe("");
    expect(excerpt("Paid services", told, queryWords("zebra"))).toBe("");
  });

  it("begins shortly before the word that the label lacks, at a word boundary", () => {
    expect(excerpt("Services", told, queryWords("which"))).toBe(told);
    expect(excerpt("Services", told, queryWords("services twelve"))).toBe(
      "… paid for in the last twelve months?",
    );
  });

  it("contains the word, whatever text precedes it", () => {
    const long = `${"W".repeat(200)}needle`;
    expect(excerpt("", long, queryWords("needle"))).toBe("… needle");
  });
});

/** Tests that a large catalogue is searched completely and correctly, not the time. */
describe("a catalogue of 50,000 datapoints", () => {
  it("finds exactly the datapoints that have the words", () => {
    const large = textOf(
      Array.from({ length: 1_000 }, (_, q) => ({
        name: `question ${q}`,
        codes: [`core.q${q}`],
        own: `question ${q}\ncore.q${q}`,
      })),
      Array.from({ length: 1_000 }, (_, q) =>
        Array.from({ length: 50 }, (_, d) => `brand ${q * 50 + d}\nq${q}_${d}`),
      ),
    );
    expect(search(large, "brand 49999")).toMatchObject({ questions: 1, datapoints: 1 });
    expect(search(large, "brand")).toMatchObject({ questions: 1_000, datapoints: 50_000 });
  });
});

interface Cases {
  catalogues: Record<string, CaseQuestion[]>;
  cases: { in: string; query: string; found: string[]; meant?: string; some?: boolean }[];
}

interface CaseQuestion {
  code: string;
  name: string;
  description: string;
  path: string[];
  answers: Record<string, string>;
}

/** The file that holds Python to the same. */
const { catalogues, cases }: Cases = JSON.parse(
  readFileSync(resolve("../tests/data/search_cases.json"), "utf8"),
);

function catalogueOf(questions: readonly CaseQuestion[]): Catalogue {
  const categories: { id: string; name: string; parent: number }[] = [];
  const records = questions.map(({ path, answers, ...each }): QuestionRecord => {
    let parent = -1;
    for (const name of path) {
      const known = categories.findIndex((other) => other.name === name && other.parent === parent);
      parent = known >= 0 ? known : categories.push({ id: name, name, parent }) - 1;
    }
    return {
      ...each,
      canonical: each.code.includes(".") ? each.code : `core.${each.code}`,
      accessible: true,
      numeric: false,
      own_numbers: false,
      categories: [parent],
      datasets: [],
      datapoints: { codes: Object.keys(answers), names: Object.values(answers) },
      suffixes: { codes: [], names: [] },
    };
  });
  return new Catalogue(categories, records);
}

describe("the cases that Python's search is held to as well", () => {
  it.each(Object.keys(catalogues))("in a catalogue in %s", (name) => {
    const catalogue = catalogueOf(catalogues[name] ?? []);
    const text = searchText(catalogue);
    const own = cases.filter((each) => each.in === name);
    const shown = own.map(({ query }) => {
      const result = search(text, query);
      const ranked = [...(result?.matches ?? [])].sort(([, a], [, b]) => a.rank - b.rank);
      const questions = ranked.map(([at, { whole, datapoints }]) => {
        const { code = "", datapoints: answers } = catalogue.questions[at] ?? {};
        const names = datapoints.map((each) => answers?.names[each]).join(" | ");
        return names ? `${code}${whole ? " + " : ": "}${names}` : code;
      });
      const meant = result?.meant ? { meant: result.meant } : {};
      const some = result?.some ? { some: true } : {};
      return { in: name, query, found: questions, ...meant, ...some };
    });
    expect(shown).toEqual(own);
  });
});
