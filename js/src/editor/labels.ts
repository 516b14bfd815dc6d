/**
 * A node as a sentence, composed in the browser: the name of a row, of its menu and of what was
 * removed, and the text of a collapsed group. Python composes the same sentences
 * (`Expression.describe`, shown under the tree); `tests/expressions/sentences.json` tests both.
 */
import {
  counting,
  type EditorNode,
  ENDS,
  type GroupNode,
  type LeafNode,
  minCount,
  type NumberEnds,
  WAVES,
} from "./document";
import { words } from "./strings";
import type { Lookup, QuestionInfo } from "./validation";

export function questionName(leaf: LeafNode, question: QuestionInfo | undefined): string {
  return question?.name || leaf.question;
}

export function answerName(code: string, question: QuestionInfo | undefined): string {
  return nameIn(question?.datapoints, code);
}

export function suffixName(code: string, question: QuestionInfo | undefined): string {
  return nameIn(question?.suffixes, code);
}

export function describe(node: EditorNode, lookup: Lookup | undefined): string {
  return describeNode(node, lookup, true);
}

function describeNode(node: EditorNode, lookup: Lookup | undefined, isTop: boolean): string {
  if (node.kind === "leaf") return describeLeaf(node, lookup?.(node.question));
  const children = counting(node);
  if (children.length === 0) return `${node.negated ? `${words.not} ` : ""}${words.group(0)}`;
  const parts = children.map((child) => describeNode(child, lookup, false));
  // Without parentheses around the whole, a comma before the word keeps "a or b, and c"
  // unambiguous.
  const comma = isTop && !node.negated ? "," : "";
  const joined = parts.join(`${comma} ${words[node.operator]} `);
  if (node.negated) return `${words.not} (${joined})`;
  return isTop || parts.length === 1 ? joined : `(${joined})`;
}

/** Labels that distinguish the root, and a group with one condition, from their content. */
export function nameOf(node: EditorNode, isRoot: boolean, lookup: Lookup | undefined): string {
  const text = describe(node, lookup);
  if (node.kind === "leaf") return text;
  if (isRoot) return isEveryone(node) ? words.all : words.wholeOf(text);
  return counting(node).length === 1 ? words.groupOf(text) : text;
}

function isEveryone({ children, negated }: GroupNode): boolean {
  return children.length === 0 && !negated;
}

function describeLeaf(leaf: LeafNode, question: QuestionInfo | undefined): string {
  const name = leaf.question === WAVES ? words.wave : questionName(leaf, question);
  const verb = leaf.negated ? words.isNot : words.is;
  if (leaf.numbers) return `${name} ${verb} ${rangeWords(leaf.numbers)}`;
  const suffixes = leaf.suffixes.map((code) => suffixName(code, question));
  const given = suffixes.length > 0 ? ` (${words.suffixesOf(suffixes)})` : "";
  return `${name} ${verb} ${quantity(leaf, question)}${given}`;
}

/** A range of numbers: "18 to 34", "at least 50", "18 to below 35". */
export function rangeWords(numbers: NumberEnds): string {
  const ends = ENDS.flatMap((name) => {
    const end = numbers[name];
    return end === undefined ? [] : [{ name, end: shownNumber(end) }];
  });
  const [low, high] = ends;
  if (low === undefined) return words.noNumbers;
  if (high === undefined) return `${words.ends[low.name]} ${low.end}`;
  if (low.end === high.end) return low.end;
  const first = low.name === "above" ? `${words.ends.above} ${low.end}` : low.end;
  return words.range(first, high.name === "below" ? `${words.ends.below} ${high.end}` : high.end);
}

/** Digits in groups from 10,000 on: most numbers of four digits are years. */
function shownNumber(number: number): string {
  const [whole = "", fraction] = String(number).split(".");
  const grouped = Math.abs(number) < 10_000 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Which of the answers must apply: "A or B", "A and B", "at least 2 of A, B and C". */
function quantity(leaf: LeafNode, question: QuestionInfo | undefined): string {
  const many = minCount(leaf);
  if (leaf.datapoints === null) return many === 1 ? words.anyAnswer : words.atLeastAnswers(many);
  const names = leaf.datapoints.map((code) => answerName(code, question));
  if (names.length === 0) return words.noAnswers;
  if (many === 1) return listed(names, words.or);
  const all = listed(names, words.and);
  return many === names.length ? all : words.atLeast(many, all);
}

function listed(names: readonly string[], word: string): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${word} ${last}`;
}

function nameIn(labelled: QuestionInfo["datapoints"] | undefined, code: string): string {
  const at = labelled?.codes.indexOf(code) ?? -1;
  return labelled?.names[at] || code;
}
