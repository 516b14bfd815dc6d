/**
 * Edits of several nodes at once, and of nodes that come from elsewhere: pure functions from
 * document to document, built from those for one node (`tree.ts`).
 *
 * Several nodes are always passed as `topmost` returns them: in the order of the tree, none of them
 * inside another.
 */
import {
  type EditorDocument,
  type EditorNode,
  type GroupNode,
  locate,
  type NodeId,
  walk,
} from "./document";
import * as tree from "./tree";

/** A document with nodes that were just created in it. */
export interface Grown {
  document: EditorDocument;
  ids: NodeId[];
}

/**
 * A target position: before or after a node, at the end of a group, or in a new group together with
 * a node.
 */
export type Where = "before" | "behind" | "inside" | "join";

/**
 * The existing ones of these nodes, in the order of the tree, without descendants of others; never
 * the root, which cannot be moved.
 */
export function topmost(document: EditorDocument, ids: Iterable<NodeId>): NodeId[] {
  const wanted = new Set(ids);
  const covered = new Set<NodeId>();
  const found: NodeId[] = [];
  for (const { node, parent } of walk(document.root)) {
    if (parent === null) continue;
    if (covered.has(parent.id)) covered.add(node.id);
    else if (wanted.has(node.id)) {
      covered.add(node.id);
      found.push(node.id);
    }
  }
  return found;
}

/** Switches a field on for all, or off if all have it. */
export function toggleAll(
  document: EditorDocument,
  ids: readonly NodeId[],
  field: "negated" | "muted",
): EditorDocument {
  const toggle = field === "negated" ? tree.toggleNot : tree.toggleMuted;
  const off = ids.filter((id) => locate(document, id)?.node[field] === false);
  return (off.length > 0 ? off : ids).reduce(toggle, document);
}

export function removeAll(document: EditorDocument, ids: readonly NodeId[]): EditorDocument {
  return ids.reduce(tree.remove, document);
}

/** Copies all nodes after the last of them, so that they stay together. */
export function cloneAll(document: EditorDocument, ids: readonly NodeId[]): Grown {
  const last = ids.at(-1);
  if (last === undefined) return { document, ids: [] };
  return insert(document, nodesOf(document, ids), last, "behind");
}

/** A group around all of them, in the position of the first. */
export function wrapAll(document: EditorDocument, ids: readonly NodeId[]): tree.Added {
  const [first, ...rest] = ids;
  if (first === undefined) return { document, id: null };
  const wrapped = tree.wrap(document, first);
  if (wrapped.id === null) return wrapped;
  return { document: moveTo(wrapped.document, rest, wrapped.id, "inside"), id: wrapped.id };
}

/** Moves each one position up or down, into or out of a group, as far as it can. */
export function moveAll(
  document: EditorDocument,
  ids: readonly NodeId[],
  to: "up" | "down" | "in" | "out",
): EditorDocument {
  const [one] = ids;
  if (ids.length === 1 && one !== undefined) return stepped(document, one, to);
  // The node that moves first must not block the next.
  const first = to === "up" || (to === "in" && one !== undefined && follows(document, one));
  const inOrder = first ? ids : ids.toReversed();
  // A node at the end of its group would leave it and separate the selection.
  if (to === "up" || to === "down") {
    const ends = inOrder.some((id) => atEnd(document, id, to, ids));
    if (ends) return document;
  }
  return inOrder.reduce((moved, id) => stepped(moved, id, to), document);
}

/** Moves nodes beside or into another, as a drop does. A node cannot move into itself. */
export function moveTo(
  document: EditorDocument,
  ids: readonly NodeId[],
  target: NodeId,
  where: Where,
): EditorDocument {
  if (!mayMoveTo(document, ids, target)) return document;
  const spot = opened(document, target, where);
  if (!spot) return document;
  let moved = spot.document;
  let before = spot.before;
  for (const id of ids.toReversed()) {
    const group = locate(moved, spot.group)?.node as GroupNode;
    const index = before === null ? group.children.length : indexOf(group, before);
    moved = tree.move(moved, id, spot.group, index);
    before = id;
  }
  // A move that only creates a group is not a step.
  return same(moved, document) ? document : moved;
}

export function mayMoveTo(
  document: EditorDocument,
  ids: readonly NodeId[],
  target: NodeId,
): boolean {
  const place = locate(document, target);
  if (!place || ids.length === 0) return false;
  return !ids.some((id) => id === target || place.above.some((node) => node.id === id));
}

/** Puts copies of nodes, with new ids, beside or into another. */
export function insert(
  document: EditorDocument,
  nodes: readonly EditorNode[],
  target: NodeId,
  where: Where,
): Grown {
  const alone = target === document.root.id && asRoot(document, nodes);
  if (alone) return alone;
  const spot = nodes.length > 0 && opened(document, target, where);
  if (!spot) return { document, ids: [] };
  let next = spot.document.next;
  const fresh = (node: EditorNode): EditorNode => {
    const id = `n${next++}`;
    return node.kind === "leaf"
      ? { ...node, id }
      : { ...node, id, children: node.children.map(fresh) };
  };
  const made = nodes.map(fresh);
  const parent = locate(spot.document, spot.group)?.node as GroupNode;
  const index = spot.before === null ? parent.children.length : indexOf(parent, spot.before);
  const grown = tree.spliceAt(spot.document, spot.group, index, 0, made);
  return { document: { ...grown, next }, ids: made.map(({ id }) => id) };
}

/** A group that is put into an empty tree becomes the root. */
function asRoot(document: EditorDocument, nodes: readonly EditorNode[]): Grown | null {
  const [only] = nodes;
  const { root } = document;
  if (root.children.length > 0 || nodes.length !== 1 || only?.kind !== "group") return null;
  const { document: grown } = insert(document, only.children, root.id, "inside");
  const { operator, negated } = only;
  return { document: { ...grown, root: { ...grown.root, operator, negated } }, ids: [root.id] };
}

export function nodesOf(document: EditorDocument, ids: readonly NodeId[]): EditorNode[] {
  return ids.flatMap((id) => locate(document, id)?.node ?? []);
}

// ---- target positions ----

interface Spot {
  document: EditorDocument;
  group: NodeId;
  /** The child to put them before; null for the end. */
  before: NodeId | null;
}

/** The parent group and index of a target; a new group where nodes join a node. */
function opened(document: EditorDocument, target: NodeId, where: Where): Spot | null {
  const place = locate(document, target);
  if (!place) return null;
  if (where === "inside" || place.parent === null) {
    return place.node.kind === "group" ? { document, group: target, before: null } : null;
  }
  if (where === "join") {
    const wrapped = tree.wrap(document, target);
    return wrapped.id === null
      ? null
      : { document: wrapped.document, group: wrapped.id, before: null };
  }
  const behind = place.parent.children[place.index + 1];
  const before = where === "before" ? target : (behind?.id ?? null);
  return { document, group: place.parent.id, before };
}

function stepped(
  document: EditorDocument,
  id: NodeId,
  to: "up" | "down" | "in" | "out",
): EditorDocument {
  switch (to) {
    case "up":
      return tree.moveBy(document, id, -1);
    case "down":
      return tree.moveBy(document, id, 1);
    case "in":
      return tree.moveIn(document, id);
    case "out":
      return tree.moveOut(document, id);
  }
}

/** Whether the node before it is a group, into which it can move. */
function follows(document: EditorDocument, id: NodeId): boolean {
  const place = locate(document, id);
  return place?.parent?.children[place.index - 1]?.kind === "group";
}

function atEnd(
  document: EditorDocument,
  id: NodeId,
  to: "up" | "down",
  together: readonly NodeId[],
): boolean {
  const place = locate(document, id);
  if (!place?.parent) return true;
  const { children } = place.parent;
  const beyond = to === "up" ? children.slice(0, place.index) : children.slice(place.index + 1);
  return beyond.every((child) => together.includes(child.id));
}

function indexOf(group: GroupNode, id: NodeId): number {
  return group.children.findIndex((child) => child.id === id);
}

function same(one: EditorDocument, two: EditorDocument): boolean {
  return JSON.stringify(one.root) === JSON.stringify(two.root);
}
