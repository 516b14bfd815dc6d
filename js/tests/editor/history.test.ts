import { describe, expect, it } from "vitest";
import { type EditorDocument, walk } from "../../src/widgets/editor/document";
import { findFaults } from "../../src/widgets/editor/faults";
import {
  GESTURE_PAUSE,
  type History,
  MOST_CHARACTERS,
  MOST_STEPS,
  record,
  redo,
  undo,
} from "../../src/widgets/editor/history";
import { apply, diff, type Json, revert } from "../../src/widgets/editor/patch";
import * as tree from "../../src/widgets/editor/tree";
import { dice, documentOf, EMPTY_HISTORY, group, leaf, NESTED } from "./samples";

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
    () => tree.toggleDatapoint(document, some(), `q4_${roll(6)}`),
    () => tree.toggleSuffix(document, some(), `${roll(3)}`),
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

describe("patches", () => {
  it("carry little for a small change in a large tree", () => {
    const large = documentOf(Array.from({ length: 300 }, (_, i) => leaf(`n${i + 2}`)));
    const edited = tree.toggleNot(large, "n200");
    const patches = diff(large as unknown as Json, edited as unknown as Json);
    expect(patches).toEqual([
      { path: ["root", "children", 198, "negated"], before: false, after: true },
    ]);
    const moved = tree.remove(large, "n2");
    expect(
      JSON.stringify(diff(large as unknown as Json, moved as unknown as Json)).length,
    ).toBeLessThan(400);
  });

  it("turn any JSON into any other and back", () => {
    const roll = dice(7);
    const value = (depth: number): Json => {
      if (depth === 0 || roll(3) === 0)
        return [null, true, roll(9), `s${roll(9)}`][roll(4)] ?? null;
      if (roll(2)) return Array.from({ length: roll(4) }, () => value(depth - 1));
      return Object.fromEntries(
        ["id", "a", "b"].slice(0, 1 + roll(3)).map((key) => [key, value(depth - 1)]),
      );
    };
    for (let round = 0; round < 500; round++) {
      const [before, after] = [value(4), value(4)];
      const patches = diff(before, after);
      expect(apply(before, patches)).toEqual(after);
      expect(revert(after, patches)).toEqual(before);
    }
  });
});

describe("a random session of edits", () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))("seed %i", (seed) => {
    const roll = dice(seed);
    const states: EditorDocument[] = [NESTED];
    let history: History = EMPTY_HISTORY;
    let document = NESTED;
    for (let step = 0; step < 120; step++) {
      const next = edit(document, roll);
      history = record(history, document, next, { label: `${step}`, time: 0 });
      if (JSON.stringify(next) !== JSON.stringify(document)) states.push(next);
      document = next;
      expectSound(document);
    }
    expect(history.past).toHaveLength(states.length - 1);
    // What travels between views is JSON, so the history must survive it.
    history = JSON.parse(JSON.stringify(history));
    for (const expected of states.slice(0, -1).toReversed()) {
      const back = undo(document, history);
      if (!back) throw new Error("a step is missing");
      ({ document, history } = back);
      expect(document).toEqual(expected);
    }
    expect(undo(document, history)).toBeNull();
    for (const expected of states.slice(1)) {
      const forth = redo(document, history);
      if (!forth) throw new Error("a step is missing");
      ({ document, history } = forth);
      expect(document).toEqual(expected);
    }
    expect(redo(document, history)).toBeNull();
  });
});

describe("history", () => {
  const typed = (name: string) => tree.setName(NESTED, name);

  it("does not record what changed nothing", () => {
    expect(record(EMPTY_HISTORY, NESTED, { ...NESTED }, { label: "x", time: 0 })).toBe(
      EMPTY_HISTORY,
    );
  });

  it("melts the letters of one gesture into one step", () => {
    const step = { label: "rename", gesture: "name" };
    let history = record(EMPTY_HISTORY, NESTED, typed("Y"), { ...step, time: 0 });
    history = record(history, typed("Y"), typed("Yo"), { ...step, time: 400 });
    expect(history.past).toHaveLength(1);
    expect(undo(typed("Yo"), history)?.document).toEqual(NESTED);
    const later = { ...step, time: 401 + GESTURE_PAUSE };
    expect(record(history, typed("Yo"), typed("You"), later).past).toHaveLength(2);
  });

  it("forgets a gesture that ended where it began", () => {
    const step = { label: "rename", gesture: "name", time: 0 };
    const history = record(EMPTY_HISTORY, NESTED, typed("Y"), step);
    expect(record(history, typed("Y"), NESTED, step).past).toHaveLength(0);
  });

  it("does not melt into a step that was redone", () => {
    const step = { label: "rename", gesture: "name", time: 0 };
    const done = record(EMPTY_HISTORY, NESTED, typed("Y"), step);
    const back = undo(typed("Y"), done);
    const forth = back && redo(back.document, back.history);
    if (!forth) throw new Error("nothing to redo");
    expect(record(forth.history, typed("Y"), typed("Yo"), step).past).toHaveLength(2);
  });

  it("drops what was undone once something else is done", () => {
    const done = record(EMPTY_HISTORY, NESTED, typed("Y"), { label: "rename", time: 0 });
    const back = undo(typed("Y"), done);
    if (!back) throw new Error("nothing to undo");
    expect(back.label).toBe("rename");
    const other = tree.toggleNot(NESTED, "n2");
    expect(record(back.history, NESTED, other, { label: "not", time: 0 }).future).toEqual([]);
  });

  it("keeps the newest steps within its bounds", () => {
    let history: History = EMPTY_HISTORY;
    let document = NESTED;
    for (let i = 0; i < MOST_STEPS + 50; i++) {
      const next = tree.setName(document, `${i}`);
      history = record(history, document, next, { label: `${i}`, time: i });
      document = next;
    }
    expect(history.past).toHaveLength(MOST_STEPS);
    expect(history.past.at(-1)?.label).toBe(`${MOST_STEPS + 49}`);

    const heavy = documentOf([
      group(
        "n2",
        Array.from({ length: 500 }, (_, i) => leaf(`n${i + 3}`)),
      ),
    ]);
    for (let i = 0; i < 20; i++) {
      const without = tree.remove(heavy, "n2");
      history = record(history, heavy, without, { label: "remove", time: i });
      history = record(history, without, heavy, { label: "put back", time: i });
    }
    expect(JSON.stringify(history.past).length).toBeLessThan(2 * MOST_CHARACTERS);
    expect(history.past.length).toBeGreaterThan(1);
  });
});
