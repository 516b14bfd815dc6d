import { describe, expect, it } from "vitest";
import { documentWire, EMPTY_DOCUMENT, locate, meaning, toWire } from "../../src/editor/document";
import * as tree from "../../src/editor/tree";
import { documentOf, group, leaf, NESTED } from "./samples";

const ids = (document: { root: ReturnType<typeof group> }) => shape(document.root);

/** A tree as nested ids: `n1(n2 n3(n4 n5))`. */
function shape(node: ReturnType<typeof group> | ReturnType<typeof leaf>): string {
  if (node.kind === "leaf") return node.id;
  return `${node.id}(${node.children.map((child) => shape(child)).join(" ")})`;
}

describe("the written form", () => {
  it("is everyone for an empty tree", () => {
    expect(documentWire(EMPTY_DOCUMENT)).toBeNull();
  });

  it("leaves out what has its default", () => {
    expect(toWire(leaf("n2"))).toEqual({ question: "core.q4", datapoints: ["q4_2"] });
    expect(toWire(leaf("n2", { datapoints: null }))).toEqual({ question: "core.q4" });
  });

  it("keeps all of, at least, suffixes and not", () => {
    const datapoints = ["q4_1", "q4_2", "q4_3"];
    expect(toWire(leaf("n2", { datapoints, quantifier: "all" }))).toMatchObject({ min_count: 3 });
    expect(
      toWire(leaf("n2", { datapoints, quantifier: "at_least", count: 2, suffixes: ["1"] })),
    ).toEqual({ question: "core.q4", datapoints, suffixes: ["1"], min_count: 2 });
    expect(toWire(leaf("n2", { negated: true }))).toMatchObject({ not: true });
  });

  it("says a lone condition without the group around it, unless that group is negated", () => {
    expect(documentWire(documentOf([leaf("n2")]))).toEqual(toWire(leaf("n2")));
    expect(documentWire(documentOf([leaf("n2")], { negated: true }))).toEqual({
      and: [toWire(leaf("n2"))],
      not: true,
    });
  });

  it("means the same whatever the ids are", () => {
    expect(meaning(leaf("n2"))).toBe(meaning(leaf("n9", { count: 7 })));
    expect(meaning(leaf("n2"))).not.toBe(meaning(leaf("n2", { negated: true })));
  });
});

describe("fields", () => {
  it("change one node and leave the rest the same objects", () => {
    const after = tree.toggleNot(NESTED, "n4");
    expect(locate(after, "n4")?.node.negated).toBe(true);
    expect(after.root.children[0]).toBe(NESTED.root.children[0]);
    expect(locate(NESTED, "n4")?.node.negated).toBe(false);
  });

  it("return the same document when nothing changes", () => {
    expect(tree.setOperator(NESTED, "n3", "or")).toBe(NESTED);
    expect(tree.setDatapoints(NESTED, "n2", ["q4_2"])).toBe(NESTED);
    expect(tree.setName(NESTED, "Test")).toBe(NESTED);
    expect(tree.toggleNot(NESTED, "gone")).toBe(NESTED);
  });

  it("do not let all of stand without listed answers", () => {
    const all = tree.setQuantifier(NESTED, "n2", "all");
    const every = tree.setDatapoints(all, "n2", null);
    expect(locate(every, "n2")?.node).toMatchObject({ quantifier: "any", datapoints: null });
  });
});

describe("adding and removing", () => {
  it("gives every new node an id that was never used", () => {
    const one = tree.addLeaf(NESTED, "n3", { question: "core.q2", datapoints: ["q2_1"] });
    const two = tree.addGroup(tree.remove(one.document, "n6"), "n1");
    expect(one.id).toBe("n6");
    expect(two.id).toBe("n7");
    expect(ids(two.document)).toBe("n1(n2 n3(n4 n5) n7())");
  });

  it("makes a nested group of the other operator", () => {
    const { document, id } = tree.addGroup(NESTED, "n3");
    expect(locate(document, id ?? "")?.node).toMatchObject({ operator: "and", children: [] });
  });

  it("does not add to a condition", () => {
    expect(tree.addGroup(NESTED, "n2")).toEqual({ document: NESTED, id: null });
  });

  it("inserts at a place", () => {
    const { document } = tree.addLeaf(NESTED, "n1", { question: "q", datapoints: null }, 1);
    expect(ids(document)).toBe("n1(n2 n6 n3(n4 n5))");
  });

  it("empties the root rather than removing it", () => {
    expect(ids(tree.remove(NESTED, "n1"))).toBe("n1()");
    expect(ids(tree.remove(NESTED, "n3"))).toBe("n1(n2)");
  });

  it("clones deeply, right behind the original", () => {
    const { document, id } = tree.clone(NESTED, "n3");
    expect(ids(document)).toBe("n1(n2 n3(n4 n5) n6(n7 n8))");
    expect(id).toBe("n6");
    expect(tree.clone(NESTED, "n1").id).toBeNull();
  });
});

describe("moving", () => {
  it("goes up and down among siblings", () => {
    expect(ids(tree.moveBy(NESTED, "n2", 1))).toBe("n1(n3(n4 n5) n2)");
    expect(ids(tree.moveBy(NESTED, "n5", -1))).toBe("n1(n2 n3(n5 n4))");
  });

  it("leaves a nested group at its ends", () => {
    expect(ids(tree.moveBy(NESTED, "n4", -1))).toBe("n1(n2 n4 n3(n5))");
    expect(ids(tree.moveBy(NESTED, "n5", 1))).toBe("n1(n2 n3(n4) n5)");
  });

  it("stays at the ends of the root", () => {
    expect(tree.moveBy(NESTED, "n2", -1)).toBe(NESTED);
    expect(tree.moveBy(NESTED, "n3", 1)).toBe(NESTED);
    expect(tree.moveOut(NESTED, "n2")).toBe(NESTED);
  });

  it("goes into the neighbouring group", () => {
    expect(ids(tree.moveIn(NESTED, "n2"))).toBe("n1(n3(n2 n4 n5))");
    const behind = tree.moveBy(NESTED, "n2", 1);
    expect(ids(tree.moveIn(behind, "n2"))).toBe("n1(n3(n4 n5 n2))");
    expect(tree.moveIn(NESTED, "n4")).toBe(NESTED);
  });

  it("counts places as they were before the move", () => {
    const three = documentOf([leaf("n2"), leaf("n3"), leaf("n4")]);
    expect(ids(tree.move(three, "n2", "n1", 3))).toBe("n1(n3 n4 n2)");
    expect(tree.move(three, "n2", "n1", 1)).toBe(three);
    expect(tree.move(three, "n2", "n1", 0)).toBe(three);
  });

  it("refuses to move a group into itself, or the root", () => {
    const deep = documentOf([group("n2", [group("n3", [leaf("n4")])])]);
    expect(tree.move(deep, "n2", "n3", 0)).toBe(deep);
    expect(tree.move(deep, "n2", "n2", 0)).toBe(deep);
    expect(tree.move(deep, "n1", "n3", 0)).toBe(deep);
  });
});

describe("grouping", () => {
  it("puts a group of the other operator around a node", () => {
    const { document, id } = tree.wrap(NESTED, "n2");
    expect(ids(document)).toBe("n1(n6(n2) n3(n4 n5))");
    expect(locate(document, id ?? "")?.node).toMatchObject({ operator: "or" });
  });

  it("wraps the root's conditions and keeps the root's id", () => {
    const { document } = tree.wrap(tree.toggleNot(NESTED, "n1"), "n1");
    expect(ids(document)).toBe("n1(n6(n2 n3(n4 n5)))");
    expect(document.root).toMatchObject({ operator: "or", negated: false });
    expect(document.root.children[0]).toMatchObject({ operator: "and", negated: true });
    expect(tree.wrap(EMPTY_DOCUMENT, "n1")).toEqual({ document: EMPTY_DOCUMENT, id: null });
  });

  it("takes a group away and leaves its children in place", () => {
    expect(ids(tree.ungroup(NESTED, "n3"))).toBe("n1(n2 n4 n5)");
    expect(tree.ungroup(NESTED, "n2")).toBe(NESTED);
    expect(tree.ungroup(NESTED, "n1")).toBe(NESTED);
  });

  it("hands NOT over to an only child", () => {
    const lone = documentOf([group("n2", [leaf("n3")], { negated: true })]);
    expect(tree.ungroup(lone, "n2").root.children[0]).toMatchObject({ id: "n3", negated: true });
  });

  it("is undone by its opposite", () => {
    const { document, id } = tree.wrap(NESTED, "n4");
    expect(tree.ungroup(document, id ?? "").root).toEqual(NESTED.root);
    const outer = tree.wrap(NESTED, "n1").document;
    expect(tree.ungroup(outer, "n1").root).toEqual(NESTED.root);
  });
});
