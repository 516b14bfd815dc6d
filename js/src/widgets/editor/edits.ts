/**
 * What can be done in an editor: every edit as one step of the history, with what follows it for
 * the keyboard and for people who listen. The edits themselves are pure (`tree.ts`, `several.ts`).
 */
import {
  type EditorDocument,
  type EditorNode,
  EMPTY_DOCUMENT,
  locate,
  type NodeId,
  type Quantifier,
} from "./document";
import { record, redo, undo } from "./history";
import {
  cloneAll,
  insert,
  moveAll,
  moveTo,
  removeAll,
  toggleAll,
  type Where,
  wrapAll,
} from "./several";
import type { EditorState } from "./state";
import { words } from "./strings";
import * as tree from "./tree";

export interface EditInputs {
  announce(sentence: string): void;
  now(): number;
}

export type Edits = ReturnType<typeof createEdits>;

export function createEdits(state: EditorState, { announce, now }: EditInputs) {
  const { work, document, focus, reveal, select, targets } = state;
  const { steps } = words;

  function edit(
    label: string,
    change: (document: EditorDocument) => EditorDocument,
    gesture: string | null = null,
  ): boolean {
    const before = work.peek();
    const after = change(before.document);
    const history = record(before.history, before.document, after, { label, gesture, time: now() });
    if (history === before.history) return false;
    work.set({ document: after, history });
    return true;
  }

  /** An edit that makes nodes; the keyboard goes to the last of them, and several are selected. */
  function make(
    label: string,
    change: (document: EditorDocument) => { document: EditorDocument; ids: NodeId[] },
  ): NodeId | null {
    let made: NodeId[] = [];
    edit(label, (before) => {
      const grown = change(before);
      made = grown.ids;
      return grown.document;
    });
    const last = made.at(-1) ?? null;
    if (last !== null) {
      reveal(last);
      select(made.length > 1 ? made : []);
      focus(last);
    }
    return last;
  }

  const makeOne = (label: string, change: (document: EditorDocument) => tree.Added) =>
    make(label, (before) => {
      const { document: after, id } = change(before);
      return { document: after, ids: id === null ? [] : [id] };
    });

  function step(go: typeof undo, say: (what: string) => string): void {
    const { document: before, history } = work.peek();
    const moved = go(before, history);
    if (!moved) return;
    work.set({ document: moved.document, history: moved.history });
    announce(say(moved.label));
  }

  function remove(id: NodeId): void {
    const ids = targets(id);
    const first = locate(document.peek(), ids[0] ?? id);
    if (!first) return;
    const what = ids.length > 1 ? words.conditions(ids.length) : state.nameOf(id);
    const behind = first.parent?.children.slice(first.index).find((each) => !ids.includes(each.id));
    const before = first.parent?.children[first.index - 1];
    if (!edit(steps.remove, (document_) => removeAll(document_, ids))) return;
    announce(words.removed(what));
    select([]);
    focus(behind?.id ?? before?.id ?? first.parent?.id ?? id);
  }

  function move(id: NodeId, to: "up" | "down" | "in" | "out"): void {
    const ids = targets(id);
    if (!edit(steps.move, (before) => moveAll(before, ids, to))) return;
    reveal(id);
    focus(id);
    const place = locate(document.peek(), id);
    if (place?.parent) announce(words.moved(place.index + 1, place.parent.children.length));
  }

  function toggle(id: NodeId, field: "negated" | "muted"): void {
    const label = field === "negated" ? steps.not : steps.mute;
    if (!edit(label, (before) => toggleAll(before, targets(id), field))) return;
    if (field === "muted") {
      const muted = locate(document.peek(), id)?.node.muted;
      announce(muted ? words.muted(state.nameOf(id)) : words.unmuted(state.nameOf(id)));
    }
  }

  /** Where a new condition or group goes: into a group, or beside a condition. */
  function beside(id: NodeId): { group: NodeId; index?: number } {
    const place = locate(document.peek(), id);
    if (place?.node.kind === "group") return { group: id };
    return place?.parent
      ? { group: place.parent.id, index: place.index + 1 }
      : { group: document.peek().root.id };
  }

  return {
    undo: () => step(undo, words.undone),
    redo: () => step(redo, words.redone),
    rename: (name: string) => edit(steps.name, (before) => tree.setName(before, name), "name"),
    toggleNot: (id: NodeId) => toggle(id, "negated"),
    toggleMuted: (id: NodeId) => toggle(id, "muted"),
    setOperator: (id: NodeId, operator: "and" | "or") =>
      edit(steps.operator, (before) => tree.setOperator(before, id, operator)),
    setAnswers: (id: NodeId, codes: string[] | null) =>
      edit(steps.answers, (before) => tree.setDatapoints(before, id, codes), `answers ${id}`),
    setSuffixes: (id: NodeId, codes: string[]) =>
      edit(steps.suffixes, (before) => tree.setSuffixes(before, id, codes), `suffixes ${id}`),
    setQuantifier: (id: NodeId, quantifier: Quantifier, count?: number) =>
      edit(
        steps.quantifier,
        (before) => tree.setQuantifier(before, id, quantifier, count),
        `quantifier ${id}`,
      ),
    fix: (change: (document: EditorDocument) => EditorDocument) => edit(steps.fix, change),
    addGroup: (id: NodeId) => {
      const { group, index } = beside(id);
      return makeOne(steps.addGroup, (before) => tree.addGroup(before, group, index));
    },
    addLeaves: (id: NodeId, leaves: readonly tree.NewLeaf[]) => {
      const { group, index } = beside(id);
      return makeOne(steps.addCondition, (before) =>
        leaves.reduce<tree.Added>(
          (added, leaf, i) =>
            tree.addLeaf(added.document, group, leaf, index === undefined ? index : index + i),
          { document: before, id: null },
        ),
      );
    },
    /** Nodes from the clipboard: into a group, or behind a condition. A name comes along where
     *  there is none yet. */
    paste: (id: NodeId, nodes: readonly EditorNode[], name = "") =>
      make(steps.paste, (before) => {
        const isGroup = locate(before, id)?.node.kind === "group";
        const grown = insert(before, nodes, id, isGroup ? "inside" : "behind");
        if (before.name !== "" || grown.ids.length === 0) return grown;
        return { ...grown, document: tree.setName(grown.document, name) };
      }),
    /** Nodes that were dropped from another editor. */
    insert: (id: NodeId, nodes: readonly EditorNode[], where: Where) =>
      make(steps.paste, (before) => insert(before, nodes, id, where)),
    clone: (id: NodeId) => make(steps.clone, (before) => cloneAll(before, targets(id))),
    wrap: (id: NodeId) => {
      const ids = targets(id);
      // Around the root goes around all that it holds.
      return makeOne(steps.wrap, (before) =>
        id === before.root.id ? tree.wrap(before, id) : wrapAll(before, ids),
      );
    },
    ungroup: (id: NodeId) => {
      const place = locate(document.peek(), id);
      if (place?.node.kind !== "group") return;
      const first = place.node.children[0]?.id ?? place.parent?.id;
      if (edit(steps.ungroup, (before) => tree.ungroup(before, id))) focus(first ?? id);
    },
    remove,
    move,
    /** Another audience in place of this one. */
    open: (id: string, name: string, nodes: readonly EditorNode[]) => {
      edit(steps.open, (before) => {
        const empty = { ...before, root: { ...EMPTY_DOCUMENT.root, id: before.root.id } };
        const { document: opened } = insert(empty, nodes, before.root.id, "inside");
        return { ...opened, name, audience_id: id };
      });
      select([]);
      focus(document.peek().root.id);
    },
    /** What saving makes of it is no step: it cannot be undone here. */
    identify: (id: string, name: string) => {
      const { document: before, history } = work.peek();
      work.set({ document: { ...before, audience_id: id, name }, history });
    },
    /** What a drop does: the nodes go beside or into the target. */
    moveTo: (ids: readonly NodeId[], target: NodeId, where: Where) => {
      const [first] = ids;
      if (first === undefined || !edit(steps.move, (b) => moveTo(b, ids, target, where))) return;
      reveal(first);
      focus(first);
    },
  };
}
