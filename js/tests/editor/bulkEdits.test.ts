import { describe, expect, it } from "vitest";
import * as several from "../../src/editor/bulkEdits";
import { type EditorDocument, EMPTY_DOCUMENT, locate, walk } from "../../src/editor/document";
import { dice, documentOf, group, leaf, NESTED } from "./samples";

/** A tree as nested ids: `n1(n2 n3(n4 n5))`. */
function shape(document: EditorDocument): string {
  const write = (node: EditorDocument["root"] | ReturnType<typeof leaf>): string =>
    node.kind === "leaf"
      ? node.id
      : `${node.id}(${node.children.map((child) => write(child)).join(" ")})`;
  return write(document.root);
}

const FLAT = documentOf([leaf("n2"), leaf("n3"), leaf("n4"), group("n5", [leaf("n6")])]);

describe("several nodes", () => {
  it("are in the order of the tree, without descendants of others, never the root", () => {
    expect(several.topmost(NESTED, ["n5", "n3", "n2", "n1", "gone"])).toEqual(["n2", "n3"]);
    expect(several.topmost(NESTED, ["n5", "n4"])).toEqual(["n4", "n5"]);
  });

  it("are switched on together, and off where all are on", () => {
    const one = several.toggleAll(FLAT, ["n2"], "muted");
    const all = several.toggleAll(one, ["n2", "n3"], "muted");
    const muted = (document: EditorDocument) =>
      [...walk(document.root)].flatMap(({ node }) => (node.muted ? node.id : []));
    expect(muted(all)).toEqual(["n2", "n3"]);
    expect(muted(several.toggleAll(all, ["n2", "n3"], "muted"))).toEqual([]);
  });

  it("are removed, and copied after the last", () => {
    expect(shape(several.removeAll(FLAT, ["n2", "n5"]))).toBe("n1(n3 n4)");
    const { document, ids } = several.cloneAll(FLAT, ["n2", "n5"]);
    expect(shape(document)).toBe("n1(n2 n3 n4 n5(n6) n7 n8(n9))");
    expect(ids).toEqual(["n7", "n8"]);
  });

  it("are put in one group at the position of the first", () => {
    expect(shape(several.wrapAll(NESTED, ["n2", "n5"]).document)).toBe("n1(n6(n2 n5) n3(n4))");
  });

  it("move together, and stay together at the ends", () => {
    expect(shape(several.moveAll(FLAT, ["n2", "n3"], "down"))).toBe("n1(n4 n2 n3 n5(n6))");
    expect(shape(several.moveAll(FLAT, ["n3", "n4"], "up"))).toBe("n1(n3 n4 n2 n5(n6))");
    expect(several.moveAll(FLAT, ["n2", "n3"], "up")).toBe(FLAT);
    expect(shape(several.moveAll(FLAT, ["n4"], "in"))).toBe("n1(n2 n3 n5(n4 n6))");
    expect(shape(several.moveAll(FLAT, ["n3", "n4"], "in"))).toBe("n1(n2 n5(n3 n4 n6))");
  });
});

describe("a drop", () => {
  it("puts nodes before, after and into others", () => {
    expect(shape(several.moveTo(FLAT, ["n4"], "n2", "before"))).toBe("n1(n4 n2 n3 n5(n6))");
    expect(shape(several.moveTo(FLAT, ["n2"], "n4", "behind"))).toBe("n1(n3 n4 n2 n5(n6))");
    expect(shape(several.moveTo(FLAT, ["n2", "n4"], "n5", "inside"))).toBe("n1(n3 n5(n6 n2 n4))");
    expect(shape(several.moveTo(FLAT, ["n6", "n2"], "n1", "inside"))).toBe("n1(n3 n4 n5() n6 n2)");
  });

  it("creates a group from a condition and what is dropped on it", () => {
    const joined = several.moveTo(FLAT, ["n4"], "n2", "join");
    expect(shape(joined)).toBe("n1(n7(n2 n4) n3 n5(n6))");
    expect(locate(joined, "n7")?.node).toMatchObject({ operator: "or" });
  });

  it("puts nothing into itself, and is not a step where nothing moves", () => {
    expect(several.moveTo(FLAT, ["n5"], "n6", "join")).toBe(FLAT);
    expect(several.moveTo(FLAT, ["n5"], "n5", "inside")).toBe(FLAT);
    expect(several.moveTo(FLAT, ["n2"], "n3", "before")).toBe(FLAT);
    expect(several.moveTo(FLAT, ["n3"], "n2", "behind")).toBe(FLAT);
    expect(several.moveTo(FLAT, ["n6"], "n5", "inside")).toBe(FLAT);
    expect(several.moveTo(FLAT, [], "n5", "inside")).toBe(FLAT);
  });

  it("loses and duplicates no node, whatever the target", () => {
    const roll = dice(7);
    let document = NESTED;
    const all = (each: EditorDocument) =>
      [...walk(each.root)].flatMap(({ node }) => (node.kind === "leaf" ? node.id : [])).sort();
    const wheres = ["before", "behind", "inside", "join"] as const;
    for (let i = 0; i < 400; i++) {
      const ids = [...walk(document.root)].map(({ node }) => node.id);
      const some = several.topmost(
        document,
        ids.filter(() => roll(3) === 0),
      );
      const target = ids[roll(ids.length)] ?? "n1";
      document = several.moveTo(document, some, target, wheres[roll(4)] ?? "join");
      expect(all(document)).toEqual(all(NESTED));
    }
  });
});

describe("nodes from elsewhere", () => {
  it("get new ids", () => {
    const { document, ids } = several.insert(FLAT, [group("", [leaf("")])], "n2", "behind");
    expect(shape(document)).toBe("n1(n2 n7(n8) n3 n4 n5(n6))");
    expect(ids).toEqual(["n7"]);
    expect(document.next).toBe(9);
  });

  it("become the tree where it was empty", () => {
    const pasted = group("", [leaf(""), leaf("")], { operator: "or", negated: true });
    const { document } = several.insert(EMPTY_DOCUMENT, [pasted], "n1", "inside");
    expect(shape(document)).toBe("n1(n2 n3)");
    expect(document.root).toMatchObject({ operator: "or", negated: true });
  });
});
