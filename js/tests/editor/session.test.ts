import { describe, expect, it } from "vitest";
import { createUndoStack } from "../../src/core/undo";
import { type EditorDocument, walk } from "../../src/editor/document";
import * as tree from "../../src/editor/tree";
import { findFaults } from "../../src/editor/validation";
import { dice, NESTED } from "./samples";

/** One random edit out of everything the editor can do. */
function edit(document: EditorDocument, roll: (sides: number) => number): EditorDocument {
  const nodes = [...walk(document.root)].map(({ node }) => node.id);
  const some = () => nodes[roll(nodes.length)] ?? "n1";
  const codes = Array.from({ length: roll(4) }, () => `q4_${roll(6)}`);
  const edits: (() => EditorDocument)[] = [
    () => tree.setName(document, `name ${roll(100)}`),
    () => tree.toggleNot(document, some()),
    () => tree.setOperator(document, some(), roll(2) ? "and" : "or"),
    () => tree.setDatapoints(document, some(), roll(5) ? codes : null),
    () => tree.setSuffixes(document, some(), [`${roll(3)}`]),
    () => tree.setQuantifier(document, some(), roll(2) ? "all" : "at_least", roll(4)),
    () => tree.addLeaf(document, some(), { question: "core.q4", datapoints: codes }).document,
    () => tree.addLeaf(document, some(), { question: "q20", datapoints: null }, roll(3)).document,
    () => tree.addGroup(document, some(), roll(3)).document,
    () => (roll(3) ? document : tree.remove(document, some())),
    () => tree.clone(document, some()).document,
    () => tree.move(document, some(), some(), roll(4)),
    () => tree.moveBy(document, some(), roll(2) ? 1 : -1),
    () => tree.moveIn(document, some()),
    () => tree.moveOut(document, some()),
    () => tree.wrap(document, some()).document,
    () => tree.ungroup(document, some()),
  ];
  // Clones of clones would outgrow the test.
  const next = edits[roll(edits.length)]?.() ?? document;
  return [...walk(next.root)].length > 60 ? tree.remove(next, some()) : next;
}

function expectSound(document: EditorDocument): void {
  const ids = [...walk(document.root)].map(({ node }) => node.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => Number(id.slice(1)) < document.next)).toBe(true);
  expect(document.root.kind).toBe("group");
  for (const { node } of walk(document.root)) {
    if (node.kind === "leaf" && node.datapoints) {
      expect(new Set(node.datapoints).size).toBe(node.datapoints.length);
    }
  }
  // Judging must not throw, whatever the state.
  findFaults(document);
}

describe("a random session of edits", () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))("seed %i", (seed) => {
    const roll = dice(seed);
    const states: EditorDocument[] = [NESTED];
    const history = createUndoStack(NESTED);
    for (let step = 0; step < 120; step++) {
      const next = edit(history.now, roll);
      if (history.record(next, { label: `${step}` })) states.push(next);
      expectSound(next);
    }
    for (const expected of states.slice(0, -1).toReversed()) {
      expect(history.undo()?.value).toEqual(expected);
    }
    expect(history.undo()).toBeNull();
    for (const expected of states.slice(1)) expect(history.redo()?.value).toEqual(expected);
    expect(history.redo()).toBeNull();
  });
});
