import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  documentWire,
  type EditorDocument,
  EMPTY_DOCUMENT,
} from "../../src/widgets/editor/document";
import { findFaults } from "../../src/widgets/editor/faults";
import { documentOf, group, leaf, lookup, NESTED } from "./samples";

interface Case {
  what: string;
  document: EditorDocument;
  /** Node ids that have a fault of the tree itself. */
  faulty: string[];
  /** The expression, where there is no fault. */
  expression?: unknown;
}

const shared: Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../tests/widgets/editor/documents.json"), "utf8"),
);

describe("documents that Python judges too", () => {
  it.each(shared)("$what", ({ document, faulty, expression }) => {
    expect([...findFaults(document).keys()].sort()).toEqual(faulty.toSorted());
    if (faulty.length === 0) expect(documentWire(document)).toEqual(expression ?? null);
  });
});

const only = (document: EditorDocument, id = "n2") => {
  const faults = findFaults(document, lookup).get(id) ?? [];
  expect(faults).toHaveLength(1);
  return faults[0];
};

describe("faults", () => {
  it("are none for a finished tree and for everyone", () => {
    expect(findFaults(NESTED, lookup).size).toBe(0);
    expect(findFaults(EMPTY_DOCUMENT, lookup).size).toBe(0);
  });

  it("name unknown and forbidden questions", () => {
    const unknown = only(documentOf([leaf("n2", { question: "core.q7" })]));
    expect(unknown).toMatchObject({ code: "unknown_question" });
    expect(unknown?.sentence).toContain("core.q7");
    expect(only(documentOf([leaf("n2", { question: "core.q99" })]))?.code).toBe("inaccessible");
  });

  it("find a question with or without its namespace", () => {
    expect(findFaults(documentOf([leaf("n2", { question: "q4" })]), lookup).size).toBe(0);
  });

  it("name unknown answers and suffixes, and take them out", () => {
    const stale = documentOf([leaf("n2", { datapoints: ["q4_1", "old"] })]);
    const fault = only(stale);
    expect(fault).toMatchObject({ code: "unknown_datapoint" });
    expect(findFaults(fault?.fix?.edit(stale) ?? stale, lookup).size).toBe(0);
    const suffix = documentOf([leaf("n2", { suffixes: ["9"] })]);
    expect(only(suffix)?.code).toBe("unknown_suffix");
    expect(findFaults(only(suffix)?.fix?.edit(suffix) ?? suffix, lookup).size).toBe(0);
  });

  it("bound the number by all answers when none are listed", () => {
    const many = documentOf([leaf("n2", { datapoints: null, quantifier: "at_least", count: 5 })]);
    expect(findFaults(many).size).toBe(0);
    const fault = only(many);
    expect(fault?.code).toBe("count_too_big");
    expect(findFaults(fault?.fix?.edit(many) ?? many, lookup).size).toBe(0);
  });

  it("are all put right by their fixes", () => {
    const document = documentOf([
      leaf("n2", { quantifier: "at_least", count: 3 }),
      group("n3", []),
    ]);
    expect([...findFaults(document, lookup).keys()]).toEqual(["n2", "n3"]);
    const fixed = findFaults(document, lookup).get("n2")?.[0]?.fix?.edit(document) ?? document;
    expect([...findFaults(fixed, lookup).keys()]).toEqual(["n3"]);
  });
});
