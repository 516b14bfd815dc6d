/**
 * What one editor shows and does, apart from how it is drawn. Document and history live in the
 * state model, so that all views and Python share them; what is folded or focused is the view's
 * own. Every edit goes through `edit`, every number through `Measuring` (measuring.ts).
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Trait } from "../../shared/traits";
import type { Catalogue, QuestionRecord } from "../picker/catalogue";
import { type EditorDocument, type EditorNode, locate, type NodeId, walk } from "./document";
import { findFaults, type Lookup } from "./faults";
import { type History, record, redo, undo } from "./history";
import { describe } from "./labels";
import type { Context } from "./measuring";
import { words } from "./strings";
import * as tree from "./tree";

/** What the state model holds: one trait, so that no view ever sees half of a change. */
export interface Work {
  document: EditorDocument;
  history: History;
}

/** A node as a row of the treegrid. */
export interface Row {
  node: EditorNode;
  /** Root 1. */
  level: number;
  parent: NodeId | null;
  /** From 1, among its siblings. */
  position: number;
  siblings: number;
  open: boolean;
  /** The word before it: how it hangs together with the sibling before. */
  join: "" | "and" | "or";
}

/** What floats over the tree; one at a time. */
export interface Overlay {
  kind: "answers" | "add" | "menu";
  id: NodeId;
}

export interface StateInputs {
  work: Trait<Work>;
  catalogue: ReadonlySignal<Catalogue | null>;
  context: ReadonlySignal<Context | null>;
  announce(sentence: string): void;
  now(): number;
}

export type EditorState = ReturnType<typeof createEditorState>;

export function createEditorState(inputs: StateInputs) {
  const { work, catalogue, context, announce } = inputs;
  const document = computed(() => work.signal.value.document);
  const folded = signal<ReadonlySet<NodeId>>(new Set());
  const active = signal<NodeId>(work.peek().document.root.id);
  /** Counts the times that the active row has to take the keyboard. */
  const grab = signal(0);
  const overlay = signal<Overlay | null>(null);

  const lookup = computed<Lookup | undefined>(() => {
    const loaded = catalogue.value;
    if (!loaded) return undefined;
    const waves = context.value && waveQuestion(context.value);
    return (code) => loaded.question(code) ?? (code === "waves" ? (waves ?? undefined) : undefined);
  });
  const faults = computed(() => findFaults(document.value, lookup.value));
  const rows = computed(() => listRows(document.value, folded.value));
  /** The row with the keyboard; one that is gone or folded away passes it on to the root. */
  const activeId = computed(() =>
    rows.value.some(({ node }) => node.id === active.value) ? active.value : document.value.root.id,
  );

  const nameOf = (id: NodeId): string => {
    const node = locate(document.peek(), id)?.node;
    return node ? describe(node, lookup.peek()) : "";
  };

  function edit(
    label: string,
    change: (document: EditorDocument) => EditorDocument,
    gesture: string | null = null,
  ): boolean {
    const before = work.peek();
    const after = change(before.document);
    const step = { label, gesture, time: inputs.now() };
    const history = record(before.history, before.document, after, step);
    if (history === before.history) return false;
    work.set({ document: after, history });
    return true;
  }

  function focus(id: NodeId | null): void {
    if (id === null) return;
    active.value = id;
    grab.value++;
  }

  /** An edit that makes a node; the keyboard goes to what was made. */
  function make(label: string, change: (document: EditorDocument) => tree.Added): NodeId | null {
    let made: NodeId | null = null;
    edit(label, (before) => {
      const added = change(before);
      made = added.id;
      return added.document;
    });
    if (made !== null) {
      reveal(made);
      focus(made);
    }
    return made;
  }

  function step(go: typeof undo, say: (what: string) => string): void {
    const { document: before, history } = work.peek();
    const moved = go(before, history);
    if (!moved) return;
    work.set({ document: moved.document, history: moved.history });
    announce(say(moved.label));
  }

  function remove(id: NodeId): void {
    const place = locate(document.peek(), id);
    if (!place) return;
    const what = nameOf(id);
    const neighbour =
      place.parent?.children[place.index + 1] ?? place.parent?.children[place.index - 1];
    if (!edit(words.steps.remove, (before) => tree.remove(before, id))) return;
    announce(words.removed(what));
    focus(neighbour?.id ?? place.parent?.id ?? id);
  }

  function move(id: NodeId, to: "up" | "down" | "in" | "out"): void {
    const change = {
      up: (before: EditorDocument) => tree.moveBy(before, id, -1),
      down: (before: EditorDocument) => tree.moveBy(before, id, 1),
      in: (before: EditorDocument) => tree.moveIn(before, id),
      out: (before: EditorDocument) => tree.moveOut(before, id),
    }[to];
    if (!edit(words.steps.move, change)) return;
    reveal(id);
    focus(id);
    const place = locate(document.peek(), id);
    if (place?.parent) announce(words.moved(place.index + 1, place.parent.children.length));
  }

  function fold(id: NodeId, open: boolean): void {
    const next = new Set(folded.peek());
    if (open) next.delete(id);
    else next.add(id);
    folded.value = next;
  }

  /** Opens every group above a node. */
  function reveal(id: NodeId): void {
    for (const { id: above } of locate(document.peek(), id)?.above ?? []) fold(above, true);
  }

  /** Where a new condition or group goes: into a group, or beside a condition. */
  function target(id: NodeId): { group: NodeId; index?: number } {
    const place = locate(document.peek(), id);
    if (place?.node.kind === "group") return { group: id };
    return place?.parent
      ? { group: place.parent.id, index: place.index + 1 }
      : { group: document.peek().root.id };
  }

  return {
    work,
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
    nameOf,
    focus,
    activate: (id: NodeId) => {
      active.value = id;
    },
    fold,
    undo: () => step(undo, words.undone),
    redo: () => step(redo, words.redone),
    rename: (name: string) =>
      edit(words.steps.name, (before) => tree.setName(before, name), "name"),
    toggleNot: (id: NodeId) => edit(words.steps.not, (before) => tree.toggleNot(before, id)),
    setOperator: (id: NodeId, operator: "and" | "or") =>
      edit(words.steps.operator, (before) => tree.setOperator(before, id, operator)),
    setAnswers: (id: NodeId, codes: string[] | null) =>
      edit(words.steps.answers, (before) => tree.setDatapoints(before, id, codes), `answers ${id}`),
    setSuffixes: (id: NodeId, codes: string[]) =>
      edit(words.steps.suffixes, (before) => tree.setSuffixes(before, id, codes), `suffixes ${id}`),
    setQuantifier: (id: NodeId, quantifier: "any" | "all" | "at_least", count?: number) =>
      edit(
        words.steps.quantifier,
        (before) => tree.setQuantifier(before, id, quantifier, count),
        `quantifier ${id}`,
      ),
    fix: (change: (document: EditorDocument) => EditorDocument) => edit(words.steps.fix, change),
    addGroup: (id: NodeId) => {
      const { group, index } = target(id);
      return make(words.steps.addGroup, (before) => tree.addGroup(before, group, index));
    },
    addLeaves: (id: NodeId, leaves: readonly tree.NewLeaf[]) => {
      const { group, index } = target(id);
      return make(words.steps.addCondition, (before) =>
        leaves.reduce<tree.Added>(
          (added, leaf, i) =>
            tree.addLeaf(added.document, group, leaf, index === undefined ? index : index + i),
          { document: before, id: null },
        ),
      );
    },
    clone: (id: NodeId) => make(words.steps.clone, (before) => tree.clone(before, id)),
    wrap: (id: NodeId) => make(words.steps.wrap, (before) => tree.wrap(before, id)),
    ungroup: (id: NodeId) => {
      const place = locate(document.peek(), id);
      if (place?.node.kind !== "group") return;
      const first = place.node.children[0]?.id ?? place.parent?.id;
      if (edit(words.steps.ungroup, (before) => tree.ungroup(before, id))) focus(first ?? id);
    },
    remove,
    move,
  };
}

/** The rows in sight, in the order of the tree. */
export function listRows(document: EditorDocument, folded: ReadonlySet<NodeId>): Row[] {
  const hidden = new Set<NodeId>();
  const rows: Row[] = [];
  for (const { node, depth, parent } of walk(document.root)) {
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
    });
  }
  return rows;
}

/** The waves as a question, as they stand in expressions. */
function waveQuestion({ waves }: Context): QuestionRecord {
  return {
    code: "waves",
    canonical: "waves",
    name: words.waveQuestion,
    description: "",
    accessible: true,
    numeric: false,
    categories: [],
    datasets: [],
    datapoints: { codes: waves.map(({ code }) => code), names: waves.map(({ name }) => name) },
    suffixes: { codes: [], names: [] },
  };
}
