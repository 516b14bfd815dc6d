/**
 * The state of one editor. The document is in the state model, shared with all views and Python;
 * collapsed, focused and selected nodes belong to the view. Edits are in `edits.ts`, sizes in
 * `measuring.ts`.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Catalogue, QuestionRecord } from "../catalogue/model";
import type { Trait } from "../core/traits";
import { topmost, type Where } from "./bulkEdits";
import {
  counts,
  type EditorDocument,
  type EditorNode,
  locate,
  type NodeId,
  WAVES,
  walk,
} from "./document";
import { nameOf as nameOfNode } from "./labels";
import type { Context } from "./measuring";
import { words } from "./strings";
import { findFaults, type Lookup } from "./validation";

/** A node as a row of the treegrid. */
export interface Row {
  node: EditorNode;
  /** 1 for the root. */
  level: number;
  parent: NodeId | null;
  /** From 1, among its siblings. */
  position: number;
  siblings: number;
  open: boolean;
  /** The operator before it, which joins it to the sibling before. */
  join: "" | "and" | "or";
  /** Whether it does not count: it is muted, or inside a muted group. */
  silent: boolean;
}

/** The open overlay; at most one. */
export interface Overlay {
  kind: "answers" | "add" | "menu" | "saved";
  id: NodeId;
}

export interface StateInputs {
  document: Trait<EditorDocument>;
  catalogue: ReadonlySignal<Catalogue | null>;
  context: ReadonlySignal<Context | null>;
}

export type EditorState = ReturnType<typeof createEditorState>;

export function createEditorState(inputs: StateInputs) {
  const { catalogue, context } = inputs;
  const document = inputs.document.signal;
  const folded = signal<ReadonlySet<NodeId>>(new Set());
  const active = signal<NodeId>(document.peek().root.id);
  /** Increases each time the active row should get the focus. */
  const grab = signal(0);
  const overlay = signal<Overlay | null>(null);
  /** The selected nodes, including removed ones: after a redo they are selected again. */
  const picked = signal<ReadonlySet<NodeId>>(new Set());
  /** The selected nodes; empty while edits apply to the active row. */
  const selected = computed(() => thoseIn(document.value, picked.value));
  /** The dragged nodes, and their drop position. */
  const dragged = signal<readonly NodeId[] | null>(null);
  const drop = signal<{ id: NodeId; where: Where } | null>(null);
  const helping = signal(false);
  /** Why the last command failed, until the next one. */
  const notice = signal<string | null>(null);
  /** The row where a selection with Shift began. */
  let anchor: NodeId | null = null;

  const lookup = computed<Lookup | undefined>(() => {
    const loaded = catalogue.value;
    if (!loaded) return undefined;
    const waves = context.value && waveQuestion(context.value);
    return (code) => loaded.question(code) ?? (code === WAVES ? (waves ?? undefined) : undefined);
  });
  const faults = computed(() => findFaults(document.value, lookup.value));
  const rows = computed(() => listRows(document.value, folded.value));
  /**
   * The row in the tab order; the root, if the active row is removed or inside a collapsed group.
   */
  const activeId = computed(() =>
    rows.value.some(({ node }) => node.id === active.value) ? active.value : document.value.root.id,
  );

  const nameOf = (id: NodeId): string => {
    const { root } = document.peek();
    const node = locate(document.peek(), id)?.node;
    return node ? nameOfNode(node, node === root, lookup.peek()) : "";
  };

  function focus(id: NodeId | null): void {
    if (id === null) return;
    active.value = id;
    grab.value++;
  }

  function fold(id: NodeId, open: boolean): void {
    const next = new Set(folded.peek());
    if (open) next.delete(id);
    else next.add(id);
    folded.value = next;
  }

  /** Expands every ancestor of a node. */
  function reveal(id: NodeId): void {
    for (const { id: above } of locate(document.peek(), id)?.above ?? []) fold(above, true);
  }

  function select(ids: Iterable<NodeId>): void {
    const next = new Set(ids);
    // The root cannot be part of a selection.
    next.delete(document.peek().root.id);
    if (next.size > 0 || picked.peek().size > 0) picked.value = next;
    if (next.size === 0) anchor = null;
  }

  function toggleSelected(id: NodeId): void {
    const next = new Set(selected.peek());
    if (!next.delete(id)) next.add(id);
    select(next);
    anchor = id;
  }

  /** Selects all rows from the anchor to this one. */
  function selectTo(id: NodeId): void {
    const order = rows.peek().map(({ node }) => node.id);
    const began = anchor !== null && order.includes(anchor) ? anchor : activeId.peek();
    const [from, to] = [order.indexOf(began), order.indexOf(id)].sort((a, b) => a - b);
    select(order.slice(from, (to ?? 0) + 1));
    anchor = began;
  }

  /** The nodes an edit at a row applies to: the selection if it contains the row, else the row. */
  function targets(id: NodeId): NodeId[] {
    return selected.peek().has(id) ? topmost(document.peek(), selected.peek()) : [id];
  }

  return {
    document,
    faults,
    rows,
    lookup,
    catalogue,
    context,
    folded,
    activeId,
    grab,
    overlay,
    selected,
    dragged,
    drop,
    notice,
    helping,
    nameOf,
    focus,
    activate: (id: NodeId) => {
      active.value = id;
    },
    fold,
    reveal,
    select,
    toggleSelected,
    selectTo,
    selectAll: () =>
      select(
        topmost(
          document.peek(),
          rows.peek().map(({ node }) => node.id),
        ),
      ),
    targets,
  };
}

/** The nodes that the document contains; the same set if it contains all of them. */
function thoseIn(document: EditorDocument, ids: ReadonlySet<NodeId>): ReadonlySet<NodeId> {
  if (ids.size === 0) return ids;
  const all = new Set(Array.from(walk(document.root), ({ node }) => node.id));
  const there = new Set([...ids].filter((id) => all.has(id)));
  return there.size === ids.size ? ids : there;
}

/** The visible rows, in the order of the tree. */
function listRows(document: EditorDocument, folded: ReadonlySet<NodeId>): Row[] {
  const hidden = new Set<NodeId>();
  const silent = new Set<NodeId>();
  const rows: Row[] = [];
  for (const { node, depth, parent } of walk(document.root)) {
    const muted = parent && (silent.has(parent.id) || !counts(node));
    if (muted) silent.add(node.id);
    if (parent && (hidden.has(parent.id) || folded.has(parent.id))) {
      hidden.add(node.id);
      continue;
    }
    const index = parent ? parent.children.indexOf(node) : 0;
    rows.push({
      node,
      level: depth,
      parent: parent?.id ?? null,
      position: index + 1,
      siblings: parent?.children.length ?? 1,
      open: node.kind === "group" && !folded.has(node.id),
      join: parent && index > 0 ? parent.operator : "",
      silent: silent.has(node.id),
    });
  }
  return rows;
}

/** The waves as a question, as expressions refer to them. */
function waveQuestion({ waves }: Context): QuestionRecord {
  return {
    code: WAVES,
    canonical: WAVES,
    name: words.waveQuestion,
    description: "",
    accessible: true,
    numeric: false,
    own_numbers: false,
    categories: [],
    datasets: [],
    datapoints: { codes: waves.map(({ code }) => code), names: waves.map(({ name }) => name) },
    suffixes: { codes: [], names: [] },
  };
}
