import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentWire, type EditorDocument, EMPTY_DOCUMENT } from "../../src/editor/document";
import { findFaults } from "../../src/editor/validation";
import { documentOf, group, leaf, lookup, NESTED } from "./samples";

interface Case {
  what: string;
  document: EditorDocument;
  /** The catalogue's questions; without them only the tree itself is judged. */
  questions?: {
    code: string;
    accessible: boolean;
    own_numbers?: boolean;
    datapoints: string[];
    suffixes: string[];
  }[];
  /** The sentences of each faulty node, by its id. */
  faults: Record<string, string[]>;
  /** The expression, where there is no fault. */
  expression?: unknown;
}

const shared: Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../tests/widgets/editor/documents.json"), "utf8"),
);

describe("documents that Python judges too", () => {
  it.each(shared)("$what", ({ document, questions, faults, expression }) => {
    const named = (codes: string[]) => ({ codes, names: codes });
    const known = questions?.map((each) => ({
      ...each,
      name: each.code,
      own_numbers: each.own_numbers ?? false,
      datapoints: named(each.datapoints),
      suffixes: named(each.suffixes),
    }));
    const lookup = known && ((code: string) => known.find((each) => each.code === code));
    const found = [...findFaults(document, lookup)].map(([id, all]) => [
      id,
      all.map(({ sentence }) => sentence),
    ]);
    expect(Object.fromEntries(found)).toEqual(faults);
    if (found.length === 0) expect(documentWire(document)).toEqual(expression ?? null);
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
