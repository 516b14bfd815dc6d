/**
 * The document that the audience editor edits: a named tree as plain JSON.
 *
 * It differs from the service's expression in four ways, which editing needs: every node has an id,
 * so that focus and menus survive a move; a group may be empty and a condition may lack answers
 * (see `validation.ts`), so that incomplete work is kept; "all of" is an operator of its own, so
 * that it remains "all" while answers change; and a node may be muted, to see the audience without
 * it. Python reads the same document (`widgets/editor/document.py`). Edits are in `tree.ts`.
 */
import type {
  EditorDocument,
  Group as GroupNode,
  ConditionNode as LeafNode,
  WireExpression,
} from "../protocol";

/** The code of the pseudo-question whose answers are the waves, which is not in the catalogue. */
export const WAVES = "waves";

export type NodeId = string;
export type Operator = GroupNode["operator"];
export type Quantifier = LeafNode["quantifier"];

/** The ends of a range of numbers, the lower first. */
export const ENDS = ["min", "above", "max", "below"] as const;

export type {
  ConditionNode as LeafNode,
  EditorDocument,
  Group as GroupNode,
  NumberEnds,
  WireExpression,
} from "../protocol";

export type EditorNode = GroupNode | LeafNode;

export const EMPTY_DOCUMENT: EditorDocument = {
  name: "",
  audience_id: null,
  next: 2,
  root: { id: "n1", kind: "group", operator: "and", negated: false, muted: false, children: [] },
};

/**
 * Whether a node counts: it is not muted, and a group's children are not all muted. An empty group
 * counts, because it is incomplete.
 */
export function counts(node: EditorNode): boolean {
  if (node.muted) return false;
  return node.kind === "leaf" || node.children.length === 0 || node.children.some(counts);
}

/** The children that count. */
export function counting(group: GroupNode): EditorNode[] {
  return group.children.filter(counts);
}

/** The number of a condition's answers that must apply, the service's `min_count`. */
export function minCount(leaf: LeafNode): number {
  if (leaf.quantifier === "any") return 1;
  return leaf.quantifier === "all" ? (leaf.datapoints?.length ?? 1) : leaf.count;
}

/**
 * A node as the service's JSON, without muted nodes. Invalid nodes are written as they are: call
 * `validation.ts` before sending.
 */
export function toWire(node: EditorNode): WireExpression {
  const not = node.negated ? { not: true as const } : {};
  if (node.kind === "group") {
    const children = counting(node).map(toWire);
    return node.operator === "and" ? { and: children, ...not } : { or: children, ...not };
  }
  if (node.numbers) return { question: node.question, numbers: node.numbers, ...not };
  const count = minCount(node);
  return {
    question: node.question,
    ...(node.datapoints === null ? {} : { datapoints: node.datapoints }),
    ...(node.suffixes.length === 0 ? {} : { suffixes: node.suffixes }),
    ...(count === 1 ? {} : { min_count: count }),
    ...not,
  };
}

/**
 * The meaning of a node as one string: equal for clones, moved nodes and after undo, whatever their
 * ids. Sizes are cached by it, so that a cached size is never outdated.
 */
export function meaning(node: EditorNode): string {
  return JSON.stringify(toWire(node));
}

/**
 * The expression of the whole document, `null` for everyone. A root with one condition is written
 * as that condition.
 */
export function documentWire(document: EditorDocument): WireExpression | null {
  const { root } = document;
  const [only, ...more] = counting(root);
  if (only === undefined) return null;
  return toWire(more.length === 0 && !root.negated ? only : root);
}

/** Every node of a tree with its depth (root 1), parents before children. */
export function* walk(
  node: EditorNode,
  depth = 1,
  parent: GroupNode | null = null,
): Generator<{ node: EditorNode; depth: number; parent: GroupNode | null }> {
  yield { node, depth, parent };
  if (node.kind === "group") {
    for (const child of node.children) yield* walk(child, depth + 1, node);
  }
}

/**
 * The nodes that count, parents before children: these are validated, counted and sent. The root is
 * always included; if nothing in it counts, it means everyone.
 */
export function* countingNodes({ root }: EditorDocument): Generator<EditorNode> {
  yield root;
  for (const child of root.children) yield* walkCounting(child);
}

function* walkCounting(node: EditorNode): Generator<EditorNode> {
  if (!counts(node)) return;
  yield node;
  if (node.kind === "group") for (const child of node.children) yield* walkCounting(child);
}

export interface Place {
  node: EditorNode;
  parent: GroupNode | null;
  index: number;
  /** The ancestors, root first. */
  above: GroupNode[];
}

/** The parent and index of a node; `null` if the document does not contain it. */
export function locate(document: EditorDocument, id: NodeId): Place | null {
  const search = (node: EditorNode, index: number, above: GroupNode[]): Place | null => {
    if (node.id === id) return { node, parent: above.at(-1) ?? null, index, above };
    if (node.kind === "leaf") return null;
    for (const [place, child] of node.children.entries()) {
      const found = search(child, place, [...above, node]);
      if (found) return found;
    }
    return null;
  };
  return search(document.root, 0, []);
}
