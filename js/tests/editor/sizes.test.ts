import { describe, expect, it } from "vitest";
import { EMPTY_DOCUMENT, locate, meaning } from "../../src/editor/document";
import {
  learn,
  type Measure,
  MOST_KNOWN,
  NO_NUMBERS,
  settle,
  shown,
  wanted,
  warning,
} from "../../src/editor/sizes";
import * as tree from "../../src/editor/tree";
import { documentOf, group, leaf, NESTED } from "./samples";

const measure = (fields: Partial<Measure> = {}): Measure => ({
  size: 1_000,
  sample: 500,
  percentage: 10,
  waves: ["q1_2025"],
  base_size: 10_000,
  base_sample: 5_000,
  ...fields,
});

/** Everything that was wanted, measured. */
const measureAll = (document = NESTED) =>
  learn(
    NO_NUMBERS,
    document,
    wanted(document, new Set(), NO_NUMBERS).map((each, i) => [
      each.meaning,
      measure({ sample: 500 + i }),
    ]),
  );

const nodeAt = (document: typeof NESTED, id: string) => {
  const place = locate(document, id);
  if (!place) throw new Error(`no node ${id}`);
  return place.node;
};

describe("what has to be asked", () => {
  it("is every meaning once, children before parents", () => {
    const twins = documentOf([
      leaf("n2"),
      group("n3", [leaf("n4"), leaf("n5", { negated: true })]),
    ]);
    const asked = wanted(twins, new Set(), NO_NUMBERS);
    expect(asked).toHaveLength(4);
    expect(asked[0]?.expression).toEqual({ question: "core.q4", datapoints: ["q4_2"] });
    expect(asked.at(-1)?.meaning).toBe(meaning(twins.root));
  });

  it("leaves out a fault and all that hangs on it, but nothing else", () => {
    const asked = wanted(NESTED, new Set(["n5"]), NO_NUMBERS);
    expect(asked.map((each) => each.meaning)).toEqual([
      meaning(nodeAt(NESTED, "n2")),
      meaning(nodeAt(NESTED, "n4")),
    ]);
  });

  it("is nothing for everyone", () => {
    expect(wanted(EMPTY_DOCUMENT, new Set(), NO_NUMBERS)).toEqual([]);
  });

  it("is only the way from an edit up to the root", () => {
    const edited = tree.toggleNot(NESTED, "n4");
    expect(wanted(edited, new Set(), measureAll())).toHaveLength(3);
  });

  it("is nothing after an undo, a move among equals or a clone", () => {
    const numbers = measureAll();
    expect(wanted(tree.toggleNot(tree.toggleNot(NESTED, "n4"), "n4"), new Set(), numbers)).toEqual(
      [],
    );
    const cloned = tree.clone(NESTED, "n4");
    expect(shown(numbers, nodeAt(cloned.document, cloned.id ?? ""))?.stale).toBe(false);
  });
});

describe("what is shown", () => {
  it("is nothing before the first answer", () => {
    expect(shown(NO_NUMBERS, NESTED.root)).toBeNull();
  });

  it("is the old number, marked as old, until the new one comes", () => {
    const numbers = measureAll();
    const before = shown(numbers, nodeAt(NESTED, "n4"));
    const edited = tree.toggleNot(NESTED, "n4");
    expect(shown(numbers, nodeAt(edited, "n4"))).toEqual({ ...before, stale: true });
    expect(shown(numbers, nodeAt(edited, "n2"))?.stale).toBe(false);
    const answer = measure({ sample: 1 });
    const later = learn(numbers, edited, [[meaning(nodeAt(edited, "n4")), answer]]);
    expect(shown(later, nodeAt(edited, "n4"))).toEqual({ measure: answer, stale: false });
  });

  it("keeps the latest true number as the old one", () => {
    const edited = tree.toggleNot(NESTED, "n4");
    const answer = measure({ sample: 1 });
    const numbers = learn(measureAll(), edited, [[meaning(nodeAt(edited, "n4")), answer]]);
    const again = tree.setDatapoints(edited, "n4", ["q4_1"]);
    expect(shown(numbers, nodeAt(again, "n4"))).toEqual({ measure: answer, stale: true });
    const back = settle(numbers, NESTED);
    expect(shown(back, nodeAt(NESTED, "n4"))?.stale).toBe(false);
  });

  it("does not grow without bound", () => {
    const many = Array.from({ length: MOST_KNOWN + 10 }, (_, i) => [`m${i}`, measure()] as const);
    const { known } = learn(NO_NUMBERS, NESTED, many);
    expect(known.size).toBe(MOST_KNOWN);
    expect(known.has("m0")).toBe(false);
  });
});

describe("warnings", () => {
  it.each([
    [{ waves: [], sample: 0 }, "no_wave", "alarm"],
    [{ sample: 0 }, "nobody", "alarm"],
    [{ sample: 29 }, "too_few", "alarm"],
    [{ sample: 30 }, "few", "caution"],
    [{ sample: 99 }, "few", "caution"],
    [{ sample: 5_000 }, "everybody", "note"],
  ])("%j", (fields, code, level) => {
    expect(warning(measure(fields))).toMatchObject({ code, level });
  });

  it("are none from 100 respondents on", () => {
    expect(warning(measure({ sample: 100 }))).toBeNull();
  });
});
