/** Documents and a catalogue that the editor's tests share, and dice that fall the same each run. */
import type { EditorDocument, EditorNode, GroupNode, LeafNode } from "../../src/editor/document";
import type { Lookup, QuestionInfo } from "../../src/editor/validation";

export function leaf(id: string, fields: Partial<LeafNode> = {}): LeafNode {
  return {
    id,
    kind: "leaf",
    question: "core.q4",
    datapoints: ["q4_2"],
    suffixes: [],
    quantifier: "any",
    count: 2,
    negated: false,
    muted: false,
    ...fields,
  };
}

export function group(
  id: string,
  children: EditorNode[],
  fields: Partial<GroupNode> = {},
): GroupNode {
  return { id, kind: "group", operator: "and", negated: false, muted: false, children, ...fields };
}

export function documentOf(
  children: EditorNode[],
  fields: Partial<GroupNode> = {},
): EditorDocument {
  const root = group("n1", children, fields);
  const numbers = JSON.stringify(root).match(/"n(\d+)"/g) ?? [];
  const next = 1 + Math.max(...numbers.map((id) => Number(id.slice(2, -1))));
  return { name: "Test", audience_id: null, next, root };
}

/** a AND (b OR c) */
export const NESTED = documentOf([
  leaf("n2"),
  group("n3", [leaf("n4", { datapoints: ["q4_3"] }), leaf("n5", { datapoints: ["q4_4"] })], {
    operator: "or",
  }),
]);

const coded = (n: number, code: string, name: string) => {
  const numbers = Array.from({ length: n }, (_, i) => i + 1);
  return { codes: numbers.map((i) => `${code}${i}`), names: numbers.map((i) => `${name}${i}`) };
};

export const QUESTIONS: QuestionInfo[] = [
  {
    code: "core.q4",
    name: "Age",
    accessible: true,
    own_numbers: true,
    datapoints: coded(4, "q4_", "Band "),
    suffixes: coded(0, "", ""),
  },
  {
    code: "core.q20",
    name: "Apps used",
    accessible: true,
    own_numbers: false,
    datapoints: coded(3, "q20_", "App "),
    suffixes: coded(2, "", "Level "),
  },
  {
    code: "core.q99",
    name: "Secret",
    accessible: false,
    own_numbers: false,
    datapoints: coded(0, "", ""),
    suffixes: coded(0, "", ""),
  },
];

export const lookup: Lookup = (code) =>
  QUESTIONS.find((question) => question.code === code || question.code === `core.${code}`);

/** mulberry32: a small generator whose sequence is fixed by its seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}
