import { describe, expect, it } from "vitest";
import { search, searchText } from "../../src/widgets/picker/search";
import { flatten, outline, parentIndex, type Row } from "../../src/widgets/picker/tree";
import { smallCatalogue } from "./catalogue";

const catalogue = smallCatalogue();
const tree = outline(catalogue);
const rows = (toggled: string[] = [], query = "") =>
  flatten(tree, new Set(toggled), search(searchText(catalogue), query));

const name = (row: Row) =>
  row.kind === "category"
    ? catalogue.categories[row.category]?.name
    : row.kind === "question"
      ? catalogue.questions[row.question]?.name
      : catalogue.questions[row.question]?.datapoints.names[row.datapoint];
const drawn = (list: Row[]) => list.map((row) => `${"  ".repeat(row.level - 1)}${name(row)}`);

describe("the tree while nothing is searched", () => {
  it("begins with the roots and what stands in no category", () => {
    expect(drawn(rows())).toEqual(["Demographics", "Media", "Remarks"]);
  });

  it("shows what is opened, and leaves out categories without questions", () => {
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

  it("tells level, place and number of siblings of every row", () => {
    const open = rows(["c0", "c0/q0"]);
    const male = open.find((row) => name(row) === "Male");
    expect(male).toMatchObject({ level: 3, posinset: 2, setsize: 2 });
    expect(open[0]).toMatchObject({ level: 1, posinset: 1, setsize: 3, expanded: true });
  });

  it("gives each row a key of its own, also to a question that stands in two categories", () => {
    const keys = rows(["c0", "c1", "c1/c2", "c0/q3", "c1/q3"]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("the tree while searching", () => {
  it("shows the way to what matches, opened, and nothing else", () => {
    expect(drawn(rows([], "chirper"))).toEqual([
      "Media",
      "  Social media",
      "    Social platforms used",
      "      Chirper",
    ]);
  });

  it("keeps a question closed that is found as a whole, and opens it on request to all of it", () => {
    expect(drawn(rows([], "gender"))).toEqual(["Demographics", "  Gender"]);
    expect(drawn(rows(["c0/q0"], "gender"))).toEqual([
      "Demographics",
      "  Gender",
      "    Female",
      "    Male",
    ]);
  });

  it("counts siblings among what is shown", () => {
    expect(rows([], "18")[2]).toMatchObject({ setsize: 1, posinset: 1 });
  });

  it("has no rows when nothing matches", () => {
    expect(rows([], "zebra")).toEqual([]);
  });
});

describe("the parent of a row", () => {
  it("is the nearest row above of a lower level", () => {
    const open = rows(["c0", "c0/q0"]);
    const index = open.findIndex((row) => name(row) === "Male");
    expect(name(open[parentIndex(open, index)] as Row)).toBe("Gender");
    expect(parentIndex(open, 0)).toBe(-1);
  });
});
