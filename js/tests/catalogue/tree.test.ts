// @vitest-environment node
import { describe, expect, it } from "vitest";
import { Catalogue, type QuestionRecord } from "../../src/catalogue/model";
import { search, searchText } from "../../src/catalogue/search";
import { flatten, outline, parentIndex, pathKeys, type Row } from "../../src/catalogue/tree";
import { smallCatalogue } from "./catalogue";

const catalogue = smallCatalogue();
const tree = outline(catalogue);
const flat = (toggled: string[] = [], query = "", allowed?: Set<number>) =>
  flatten(tree, new Set(toggled), search(searchText(catalogue), query, allowed));
const rows = (...args: Parameters<typeof flat>) => [...flat(...args)];

const name = (row: Row) =>
  row.kind === "category"
    ? catalogue.categories[row.category]?.name
    : row.kind === "question"
      ? catalogue.questions[row.question]?.name
      : catalogue.questions[row.question]?.datapoints.names[row.datapoint];
const drawn = (list: Row[]) => list.map((row) => `${"  ".repeat(row.level - 1)}${name(row)}`);

describe("the tree without a search", () => {
  it("begins with the roots and questions without category", () => {
    expect(drawn(rows())).toEqual(["Demographics", "Media", "Remarks"]);
  });

  it("shows open nodes, and leaves out categories without questions", () => {
    expect(drawn(rows(["c0", "c0/q1", "c1"]))).toEqual([
      "Demographics",
      "  Gender",
      "  Age",
      "    16 to 17",
      "    18 to 24",
      "    25 to 34",
      "  Income",
      "Media",
      "  Social media",
      "  Income",
      "Remarks",
    ]);
  });

  it("counts the questions below a category, subcategories included", () => {
    const media = rows().find((row) => name(row) === "Media");
    expect(media).toMatchObject({ questions: 2 });
  });

  it("has level, position and number of siblings for every row", () => {
    const open = rows(["c0", "c0/q0"]);
    const male = open.find((row) => name(row) === "Male");
    expect(male).toMatchObject({ level: 3, posinset: 2, setsize: 2 });
    expect(open[0]).toMatchObject({ level: 1, posinset: 1, setsize: 3, expanded: true });
  });

  it("gives each row a key, also for a question in two categories", () => {
    const keys = rows(["c0", "c1", "c1/c2", "c0/q3", "c1/q3"]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("the tree during a search", () => {
  it("shows the path to the matches, expanded, and nothing else", () => {
    expect(drawn(rows([], "chirper"))).toEqual([
      "Media",
      "  Social media",
      "    Social platforms used",
      "      Chirper",
    ]);
  });

  it("keeps a question collapsed that matches as a whole, and expands it completely on request", () => {
    expect(drawn(rows([], "gender"))).toEqual(["Demographics", "  Gender"]);
    expect(drawn(rows(["c0/q0"], "gender"))).toEqual([
      "Demographics",
      "  Gender",
      "    Female",
      "    Male",
    ]);
  });

  it("counts visible siblings", () => {
    expect(rows([], "18")[2]).toMatchObject({ setsize: 1, posinset: 1 });
  });

  it("has no rows when nothing matches", () => {
    expect(rows([], "zebra")).toEqual([]);
  });
});

describe("the tree with facets", () => {
  it("expands to the remaining questions if they are few", () => {
    expect(drawn(rows([], "", new Set([0, 2])))).toEqual([
      "Demographics",
      "  Gender",
      "Media",
      "  Social media",
      "    Social platforms used",
    ]);
  });

  it("keeps open nodes while many remain", () => {
    const many = new Catalogue(
      catalogue.categories,
      Array.from({ length: 100 }, () => catalogue.questions[0] as QuestionRecord),
    );
    const all = search(searchText(many), "", new Set(many.questions.keys()));
    expect([...flatten(outline(many), new Set(), all)]).toHaveLength(1);
    expect([...flatten(outline(many), new Set(["c0"]), all)]).toHaveLength(101);
  });
});

describe("the tree with recently used questions", () => {
  const used = outline(catalogue, [2, 0]);
  const shown = (toggled: string[], query = "") => [
    ...flatten(used, new Set(toggled), search(searchText(catalogue), query)),
  ];

  it("begins with them, newest first, in a category of their own", () => {
    const names = shown(["c-1"]).slice(0, 3).map(name);
    expect(names).toEqual([undefined, "Social platforms used", "Gender"]);
    expect(shown([])[0]).toMatchObject({ questions: 2, posinset: 1, setsize: 4 });
  });

  it("omits them during a search", () => {
    expect(drawn(shown([], "gender"))).toEqual(["Demographics", "  Gender"]);
  });
});

describe("rows that are made on access", () => {
  for (const [toggled, query] of [
    [["c0", "c0/q1", "c1", "c1/c2", "c1/c2/q2"], ""],
    [[], "to"],
    [["c0/q1"], "age"],
  ] as const) {
    it(`are found by their keys, each at its index (${query || "opened"})`, () => {
      const list = flat([...toggled], query);
      expect(list.length).toBeGreaterThan(3);
      [...list].forEach((row, index) => {
        expect(list.indexOf(row.key)).toBe(index);
        expect(list.at(index)).toEqual(row);
      });
    });
  }

  it("are undefined outside the list", () => {
    const list = flat(["c0", "c0/q0"]);
    expect([list.at(-1), list.at(list.length)]).toEqual([undefined, undefined]);
    expect(["c0/q0/2", "c0/q1/0", "c9", ""].map((key) => list.indexOf(key))).toEqual([
      -1, -1, -1, -1,
    ]);
  });
});

describe("the path to a question", () => {
  it("leads through its categories, and is one step where it has none", () => {
    expect(pathKeys(tree, 2)).toEqual(["c1", "c1/c2", "c1/c2/q2"]);
    expect(pathKeys(tree, 4)).toEqual(["q4"]);
    const open = flat(pathKeys(tree, 2));
    expect(open.indexOf("c1/c2/q2")).toBeGreaterThan(0);
  });
});

describe("the parent of a row", () => {
  it("is the nearest row above with a lower level", () => {
    const open = flat(["c0", "c0/q0"]);
    const index = [...open].findIndex((row) => name(row) === "Male");
    expect(name(open.at(parentIndex(open, index)) as Row)).toBe("Gender");
    expect(parentIndex(open, 0)).toBe(-1);
  });
});
