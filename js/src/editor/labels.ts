/**
 * A node in a few words, at once and in the browser: the name of a row, of its menu and of what was
 * removed, and the text of a folded group. The sentence under the tree is Python's own.
 */
import { counting, type EditorNode, type GroupNode, type LeafNode, minCount } from "./document";
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
  const not = node.negated ? `${words.not} ` : "";
  if (node.kind === "leaf") return not + describeLeaf(node, lookup?.(node.question));
  const children = counting(node);
  if (children.length === 0) return not + words.group(0);
  const parts = children.map((child) => {
    const text = describe(child, lookup);
    return child.kind === "group" && counting(child).length > 1 ? `(${text})` : text;
  });
  const joined = parts.join(` ${words[node.operator]} `);
  return node.negated ? `${not}(${joined})` : joined;
}

/**
 * What a node is called where its row is named: the whole expression, and a group of one condition,
 * would else be called as what is in them.
 */
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
  const name = questionName(leaf, question);
  const suffixes = leaf.suffixes.map((code) => suffixName(code, question));
  const given = suffixes.length > 0 ? ` (${words.suffixesOf(suffixes)})` : "";
  if (leaf.datapoints === null) {
    const count = minCount(leaf);
    return `${name}: ${count === 1 ? words.anyAnswer : words.atLeastAnswers(count)}${given}`;
  }
  if (leaf.datapoints.length === 0) return `${name}: ${words.noAnswers}${given}`;
  const answers = leaf.datapoints.map((code) => answerName(code, question)).join(", ");
  if (leaf.datapoints.length === 1) return `${name}: ${answers}${given}`;
  const how =
    leaf.quantifier === "at_least" ? words.atLeast(leaf.count) : words.quantifiers[leaf.quantifier];
  return `${name}: ${how} ${answers}${given}`;
}

function nameIn(labelled: QuestionInfo["datapoints"] | undefined, code: string): string {
  const at = labelled?.codes.indexOf(code) ?? -1;
  return labelled?.names[at] || code;
}
