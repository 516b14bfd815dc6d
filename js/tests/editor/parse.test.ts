import { describe, expect, it } from "vitest";
import { toWire } from "../../src/editor/document";
import { whereOn } from "../../src/editor/dragging";
import { readName, readNodes, writeNodes } from "../../src/editor/parse";
import { group, leaf } from "./samples";

describe("nodes as text", () => {
  it("are parsed back to the same nodes", () => {
    const nodes = [
      leaf("n2", { datapoints: ["a", "b"], quantifier: "all", suffixes: ["1"] }),
      leaf("n3", { datapoints: null, quantifier: "at_least", count: 3, negated: true }),
      group("n4", [leaf("n5"), group("n6", [leaf("n7")], { negated: true })], { operator: "or" }),
    ];
    const read = readNodes(writeNodes(nodes));
    expect(read?.map(toWire)).toEqual(nodes.map(toWire));
    expect(readNodes(writeNodes(nodes.slice(0, 1)))?.map(toWire)).toEqual([
      toWire(leaf("n2", nodes[0] as object)),
    ]);
  });

  it("stay unfinished where they were", () => {
    const read = readNodes(writeNodes([leaf("n2", { datapoints: [] }), leaf("n3")]));
    expect(read).toMatchObject([{ datapoints: [] }, { datapoints: ["q4_2"] }]);
  });

  it("may have their answers as saved audiences have them", () => {
    const saved = '{"question": "q4", "options": ["q4_2", "q4_3"], "min_count": 2}';
    expect(readNodes(saved)).toMatchObject([{ datapoints: ["q4_2", "q4_3"], quantifier: "all" }]);
  });

  it("leave out what is muted", () => {
    const written = writeNodes([group("n2", [leaf("n3"), leaf("n4", { muted: true })])]);
    expect(readNodes(written)).toMatchObject([{ children: [{ kind: "leaf" }] }]);
  });

  it("are read of an audience and of a list", () => {
    const audience = { name: "Young", expression: { question: "q4", datapoints: ["q4_2"] } };
    expect(readNodes(JSON.stringify(audience))).toMatchObject([{ question: "q4" }]);
    expect(readNodes(JSON.stringify([audience, audience]))).toHaveLength(2);
    expect(readNodes('{"question": "q4", "suffixes": [1]}')).toMatchObject([{ suffixes: ["1"] }]);
  });

  it.each([
    "",
    "al.Q('q4').any('q4_2')",
    "[]",
    "3",
    "null",
    "{}",
    '{"question": 4}',
    '{"question": "q4", "datapoints": "q4_2"}',
    '{"question": "q4", "options": "q4_2"}',
    '{"question": "q4", "options": ["q4_2"], "datapoints": ["q4_3"]}',
    '{"question": "q4", "min_count": 0}',
    '{"and": [{}]}',
    '{"name": "Everyone", "expression": null}',
  ])("are not made of %s", (text) => {
    expect(readNodes(text)).toBeNull();
  });
});

describe("a name", () => {
  it("is an audience's, and no other text has one", () => {
    const expression = { question: "q4" };
    expect(readName(JSON.stringify({ name: "Young", expression }))).toBe("Young");
    for (const text of ['{"question": "q4"}', '[{"name": "Young"}]', '{"name": 4}', "Young"]) {
      expect(readName(text)).toBe("");
    }
  });
});

describe("the place on a row", () => {
  it("says what a drop does", () => {
    const condition = { kind: "leaf", level: 2 } as const;
    expect([0.1, 0.5, 0.9].map((y) => whereOn(condition, y))).toEqual(["before", "join", "behind"]);
    const nested = { kind: "group", level: 2 } as const;
    expect([0.1, 0.5, 0.9].map((y) => whereOn(nested, y))).toEqual(["before", "inside", "inside"]);
    expect(whereOn({ kind: "group", level: 1 }, 0.1)).toBe("inside");
  });
});
