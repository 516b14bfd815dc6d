/**
 * All edits of the tree, as pure functions from document to document.
 *
 * A function returns the same document when there is nothing to do, so that callers can detect a
 * no-op; unchanged nodes keep their identity. An unknown id is ignored: a second view may have
 * removed the node.
 */
import {
  type EditorDocument,
  type EditorNode,
  type GroupNode,
  type LeafNode,
  locate,
  type NodeId,
  type NumberEnds,
  type Operator,
  type Quantifier,
} from "./document";

export interface NewLeaf {
  question: string;
  datapoints: readonly string[] | null;
  suffixes?: readonly string[];
}

/** A document with a node that was just created in it, so that the focus can follow. */
export interface Added {
  document: EditorDocument;
  id: NodeId | null;
}

// ---- the document's own fields ----

export function setName(document: EditorDocument, name: string): EditorDocument {
  return document.name === name ? document : { ...document, name };
}

// ---- one node's fields ----

export function toggleNot(document: EditorDocument, id: NodeId): EditorDocument {
  return change(document, id, (node) => ({ ...node, negated: !node.negated }));
}

/** Excludes a node from the audience, or includes it again; the root cannot be excluded. */
export function toggleMuted(document: EditorDocument, id: NodeId): EditorDocument {
  if (id === document.root.id) return document;
  return change(document, id, (node) => ({ ...node, muted: !node.muted }));
}

export function setOperator(
  document: EditorDocument,
  id: NodeId,
  operator: Operator,
): EditorDocument {
  return change(document, id, (node) =>
    node.kind === "leaf" || node.operator === operator ? node : { ...node, operator },
  );
}

export function setDatapoints(
  document: EditorDocument,
  id: NodeId,
  datapoints: string[] | null,
): EditorDocument {
  return changeLeaf(document, id, (leaf) => {
    const unique = datapoints && [...new Set(datapoints)];
    // "All of" needs a list of answers; without one, only "any" or a number is possible.
    const quantifier = unique === null && leaf.quantifier === "all" ? "any" : leaf.quantifier;
    const { numbers: _, ...rest } = leaf;
    return { ...rest, datapoints: unique, quantifier };
  });
}

/** Another range of numbers for a condition that has one. */
export function setNumbers(
  document: EditorDocument,
  id: NodeId,
  numbers: NumberEnds,
): EditorDocument {
  return changeLeaf(document, id, (leaf) => (leaf.numbers ? { ...leaf, numbers } : leaf));
}

export function setSuffixes(
  document: EditorDocument,
  id: NodeId,
  suffixes: string[],
): EditorDocument {
  return changeLeaf(document, id, (leaf) => ({ ...leaf, suffixes: [...new Set(suffixes)] }));
}

/** "Any", "all" or "at least `count`"; without a count the condition keeps its previous one. */
export function setQuantifier(
  document: EditorDocument,
  id: NodeId,
  quantifier: Quantifier,
  count?: number,
): EditorDocument {
  return changeLeaf(document, id, (leaf) => ({ ...leaf, quantifier, count: count ?? leaf.count }));
}

// ---- the tree's structure ----

/** A new condition in a group, at its end or before the child at `index`. */
export function addLeaf(
  document: EditorDocument,
  groupId: NodeId,
  leaf: NewLeaf,
  index = Number.POSITIVE_INFINITY,
): Added {
  return add(document, groupId, index, (id) => ({
    id,
    kind: "leaf",
    question: leaf.question,
    datapoints: leaf.datapoints && [...new Set(leaf.datapoints)],
    suffixes: [...(leaf.suffixes ?? [])],
    quantifier: "any",
    count: 2,
    negated: false,
    muted: false,
  }));
}

/** A new empty group inside a group, with the other operator. */
export function addGroup(
  document: EditorDocument,
  groupId: NodeId,
  index = Number.POSITIVE_INFINITY,
): Added {
  const parent = locate(document, groupId)?.node;
  const operator = parent?.kind === "group" ? other(parent.operator) : "or";
  return add(document, groupId, index, (id) => group(id, operator, []));
}

/** Removes a node; of the root, its children. */
export function remove(document: EditorDocument, id: NodeId): EditorDocument {
  const place = locate(document, id);
  if (!place) return document;
  if (place.parent) return spliceAt(document, place.parent.id, place.index, 1, []);
  const { children } = document.root;
  return spliceAt(document, id, 0, children.length, []);
}

/** Inserts a copy, with new ids, after the original. */
export function clone(document: EditorDocument, id: NodeId): Added {
  const place = locate(document, id);
  if (!place?.parent) return { document, id: null };
  let next = document.next;
  const copy = (node: EditorNode): EditorNode => {
    const fresh = `n${next++}`;
    return node.kind === "group"
      ? { ...node, id: fresh, children: node.children.map(copy) }
      : { ...node, id: fresh };
  };
  const made = copy(place.node);
  const grown = spliceAt(document, place.parent.id, place.index + 1, 0, [made]);
  return { document: { ...grown, next }, id: made.id };
}

/**
 * Moves a node into `groupId` before the child now at `index`. Returns the same document for the
 * root, or for a group moved into itself.
 */
export function move(
  document: EditorDocument,
  id: NodeId,
  groupId: NodeId,
  index: number,
): EditorDocument {
  const from = locate(document, id);
  const to = locate(document, groupId);
  if (!from?.parent || to?.node.kind !== "group") return document;
  if (to.node.id === id || to.above.some((node) => node.id === id)) return document;
  const within = from.parent.id === groupId;
  // Removing the node shifts later children of the same group.
  const target = within && index > from.index ? index - 1 : index;
  if (within && target === from.index) return document;
  const taken = spliceAt(document, from.parent.id, from.index, 1, []);
  return spliceAt(taken, groupId, target, 0, [from.node]);
}

/** Moves up or down among its siblings; at the end of a nested group, out of it. */
export function moveBy(document: EditorDocument, id: NodeId, step: -1 | 1): EditorDocument {
  const place = locate(document, id);
  if (!place?.parent) return document;
  const target = place.index + step;
  if (target >= 0 && target < place.parent.children.length) {
    return move(document, id, place.parent.id, step < 0 ? target : target + 1);
  }
  return step < 0 ? moveBeside(document, id, 0) : moveOut(document, id);
}

/** Moves out of its group, to the position after it. */
export function moveOut(document: EditorDocument, id: NodeId): EditorDocument {
  return moveBeside(document, id, 1);
}

/** Moves to the end of the group before it, or else to the start of the group after it. */
export function moveIn(document: EditorDocument, id: NodeId): EditorDocument {
  const place = locate(document, id);
  if (!place?.parent) return document;
  const before = place.parent.children[place.index - 1];
  if (before?.kind === "group") return move(document, id, before.id, before.children.length);
  const behind = place.parent.children[place.index + 1];
  return behind?.kind === "group" ? move(document, id, behind.id, 0) : document;
}

/** Encloses a node in a group, at its position; for the root, all of its children. */
export function wrap(document: EditorDocument, id: NodeId): Added {
  const place = locate(document, id);
  if (!place) return { document, id: null };
  const fresh = `n${document.next}`;
  const grown = { ...document, next: document.next + 1 };
  if (place.parent) {
    const around = group(fresh, other(place.parent.operator), [place.node]);
    return { document: spliceAt(grown, place.parent.id, place.index, 1, [around]), id: fresh };
  }
  const { root } = document;
  if (root.children.length === 0) return { document, id: null };
  const inner: GroupNode = { ...root, id: fresh };
  const outer = group(root.id, other(root.operator), [inner]);
  return { document: { ...grown, root: outer }, id: fresh };
}

/**
 * Removes a group and keeps its children at its position. A NOT on the group moves to an only
 * child; otherwise it is removed. The root can be removed from an only group.
 */
export function ungroup(document: EditorDocument, id: NodeId): EditorDocument {
  const place = locate(document, id);
  if (place?.node.kind !== "group") return document;
  if (!place.parent) return unwrapRoot(document);
  const [only] = place.node.children;
  const inherits = place.node.negated && place.node.children.length === 1 && only;
  const children = inherits ? [{ ...only, negated: !only.negated }] : place.node.children;
  return spliceAt(document, place.parent.id, place.index, 1, children);
}

// ---- applying a change ----

function unwrapRoot(document: EditorDocument): EditorDocument {
  const { root } = document;
  const [only] = root.children;
  if (root.children.length !== 1 || only?.kind !== "group") return document;
  // The root keeps its id, because views refer to it.
  return { ...document, root: { ...only, id: root.id, negated: root.negated !== only.negated } };
}

function moveBeside(document: EditorDocument, id: NodeId, offset: 0 | 1): EditorDocument {
  const parent = locate(document, id)?.parent;
  const outer = parent && locate(document, parent.id);
  if (!outer?.parent) return document;
  return move(document, id, outer.parent.id, outer.index + offset);
}

function add(
  document: EditorDocument,
  groupId: NodeId,
  index: number,
  make: (id: NodeId) => EditorNode,
): Added {
  if (locate(document, groupId)?.node.kind !== "group") return { document, id: null };
  const id = `n${document.next}`;
  const grown = spliceAt(document, groupId, index, 0, [make(id)]);
  return { document: { ...grown, next: document.next + 1 }, id };
}

export function spliceAt(
  document: EditorDocument,
  groupId: NodeId,
  index: number,
  removed: number,
  added: readonly EditorNode[],
): EditorDocument {
  if (removed === 0 && added.length === 0) return document;
  return change(document, groupId, (node) => {
    if (node.kind === "leaf") return node;
    const start = Math.max(0, Math.min(index, node.children.length));
    return { ...node, children: node.children.toSpliced(start, removed, ...added) };
  });
}

function changeLeaf(
  document: EditorDocument,
  id: NodeId,
  edit: (leaf: LeafNode) => LeafNode,
): EditorDocument {
  return change(document, id, (node) => {
    if (node.kind === "group") return node;
    const edited = edit(node);
    return same(node, edited) ? node : edited;
  });
}

/** The document with one node replaced; only the groups above it are copied. */
function change(
  document: EditorDocument,
  id: NodeId,
  edit: (node: EditorNode) => EditorNode,
): EditorDocument {
  const visit = (node: EditorNode): EditorNode => {
    if (node.id === id) return edit(node);
    if (node.kind === "leaf") return node;
    const children = node.children.map(visit);
    return children.every((child, place) => child === node.children[place])
      ? node
      : { ...node, children };
  };
  const root = visit(document.root);
  return root === document.root || root.kind === "leaf" ? document : { ...document, root };
}

function group(id: NodeId, operator: Operator, children: EditorNode[]): GroupNode {
  return { id, kind: "group", operator, negated: false, muted: false, children };
}

function other(operator: Operator): Operator {
  return operator === "and" ? "or" : "and";
}

function same(one: LeafNode, two: LeafNode): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}
