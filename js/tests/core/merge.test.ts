// @vitest-environment node
import { describe, expect, it } from "vitest";
import { merged } from "../../src/core/merge";

const node = (id: string, more: object = {}) => ({ id, kind: "leaf", ...more });
const tree = (...children: object[]) => ({
  name: "",
  root: { id: "n1", operator: "and", children },
});
const pick = (question: string, ...datapoints: string[]) => ({ question, datapoints });
const [a, b, c, d] = [node("a"), node("b"), node("c"), node("d")];

describe("what two pages changed is merged", () => {
  it.each([
    [
      "different fields",
      { heat: 1, bars: 1 },
      { heat: 2, bars: 1 },
      { heat: 1, bars: 2 },
      { heat: 2, bars: 2 },
    ],
    ["a new field each", {}, { rows: [1] }, { columns: [2] }, { rows: [1], columns: [2] }],
    [
      "a field that one removed",
      { names: 9, rows: 1 },
      { rows: 1 },
      { names: 9, rows: 2 },
      { rows: 2 },
    ],
    ["conditions that both added", tree(a), tree(a, b), tree(a, c), tree(a, b, c)],
    ["a condition before, and one after", tree(a), tree(b, a), tree(a, c), tree(b, a, c)],
    ["a removed and an added condition", tree(a, b), tree(b), tree(a, b, c), tree(b, c)],
    [
      "another order and an addition",
      tree(a, b, c),
      tree(c, a, b),
      tree(a, b, d, c),
      tree(c, a, b, d),
    ],
    [
      "different fields of one condition",
      tree(a),
      tree(node("a", { negated: true })),
      tree(node("a", { muted: true })),
      tree(node("a", { negated: true, muted: true })),
    ],
    [
      "answers of one condition",
      tree(node("a", { datapoints: ["1"] })),
      tree(node("a", { datapoints: ["1", "2"] })),
      tree(node("a", { datapoints: ["3"] })),
      tree(node("a", { datapoints: ["2", "3"] })),
    ],
    ["the same change", tree(a), tree(a, b), tree(a, b), tree(a, b)],
    [
      "picked questions",
      [pick("q1", "x")],
      [pick("q1", "x"), pick("q2", "y")],
      [pick("q3", "z")],
      [pick("q2", "y"), pick("q3", "z")],
    ],
    [
      "answers of a question that both picked",
      [],
      [pick("q1", "x")],
      [pick("q1", "y")],
      [pick("q1", "x", "y")],
    ],
    ["metrics", ["column"], ["column", "index"], ["column", "z"], ["column", "index", "z"]],
  ])("%s", (_, base, theirs, mine, both) => {
    expect(merged<unknown>(base, theirs, mine)).toEqual(both);
    // A change that is in both already changes nothing.
    expect(merged<unknown>(base, both, mine)).toEqual(both);
  });

  it.each([
    ["one field twice", { heat: 1 }, { heat: 2 }, { heat: 3 }],
    [
      "a condition that one removed and one changed",
      tree(a),
      tree(),
      tree(node("a", { muted: true })),
    ],
    ["two orders", tree(a, b, c), tree(b, a, c), tree(a, c, b)],
    [
      "a node moved to two groups",
      tree(node("g", { children: [] }), node("h", { children: [] }), a),
      tree(node("g", { children: [a] }), node("h", { children: [] })),
      tree(node("g", { children: [] }), node("h", { children: [a] })),
    ],
    [
      "another root",
      tree(a),
      { name: "", root: { id: "n9", operator: "and", children: [tree(a).root] } },
      tree(a, b),
    ],
    [
      "all answers of a question, and one of them",
      [pick("q1", "x")],
      [pick("q1")],
      [pick("q1", "x", "y")],
    ],
    ["sort levels", { sort: [{ by: 1 }] }, { sort: [{ by: 2 }] }, { sort: [{ by: 3 }] }],
    ["positions of two tables", { generation: 1 }, { generation: 2 }, { generation: 1, rows: [3] }],
    ["a list and a null", { datapoints: ["x"] }, { datapoints: null }, { datapoints: ["x", "y"] }],
  ])("but not %s", (_, base, theirs, mine) => {
    expect(merged<unknown>(base, theirs, mine)).toBeUndefined();
  });
});
