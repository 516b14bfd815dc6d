/**
 * The edits of an editor: each is one step of the history, followed by focus and announcements. The
 * edits themselves are pure (`tree.ts`, `bulkEdits.ts`).
 */

import { effect } from "@preact/signals";
import { pageNumbers } from "../core/ids";
import { debounced, onAbort } from "../core/lifetime";
import type { Trait } from "../core/traits";
import type { Restored, UndoStack } from "../core/undo";
import {
  cloneAll,
  insert,
  moveAll,
  moveTo,
  removeAll,
  toggleAll,
  type Where,
  wrapAll,
} from "./bulkEdits";
import {
  type EditorDocument,
  type EditorNode,
  EMPTY_DOCUMENT,
  locate,
  type NodeId,
  type NumberEnds,
  type Quantifier,
  walk,
} from "./document";
import { alike } from "./parse";
import type { EditorState } from "./state";
import { words } from "./strings";
import * as tree from "./tree";

export interface EditInputs {
  document: Trait<EditorDocument>;
  history: UndoStack<EditorDocument>;
  announce(sentence: string): void;
  lifetime: AbortSignal;
}

/** Milliseconds without typing after which the name is sent to Python. */
const SEND_PAUSE = 400;

export type Edits = ReturnType<typeof createEdits>;

export function createEdits(state: EditorState, inputs: EditInputs) {
  const { document, history, announce, lifetime } = inputs;
  const { focus, reveal, select, targets } = state;
  const { steps } = words;

  /** Changes from Python, or from a view that is closed by now. */
  const followOthers = () => {
    const next = document.value;
    const before = history.now;
    if (next === before) return;
    const isSaved = next.audience_id !== before.audience_id && alike(next.root, before.root);
    if (isSaved) identifyAll(before.audience_id, next.audience_id);
    const ids = idsOf(next);
    const isAddition = [...idsOf(before)].every((id) => ids.has(id));
    history.record(next, { label: isAddition ? steps.addCondition : steps.python });
  };
  onAbort(lifetime, effect(followOthers));
  // Undo takes back what this page did, and keeps what another page did meanwhile.
  document.onOthers?.((carry) => history.amend(carry));

  let nextNode = pageNumbers()();
  const send = () => document.set(document.peek());
  const sendSoon = debounced(SEND_PAUSE, lifetime, send);
  onAbort(lifetime, send);

  /** Sets the audience's id in every step of the history; saving is not a step. */
  function identifyAll(before: string | null, after: string | null): void {
    history.amend((each) => (each.audience_id === before ? { ...each, audience_id: after } : each));
  }

  /**
   * Numbers new nodes as no other page does, so that the edits of two pages can be merged.
   */
  function numberedHere(
    before: EditorDocument,
    change: (document: EditorDocument) => EditorDocument,
  ): EditorDocument {
    if (!document.isNumbered) return change(before);
    const mine = { ...before, next: nextNode };
    const after = change(mine);
    if (after === mine) return before;
    nextNode = after.next;
    return { ...after, next: before.next };
  }

  function edit(
    label: string,
    change: (document: EditorDocument) => EditorDocument,
    gesture: string | null = null,
  ): boolean {
    const after = numberedHere(document.peek(), change);
    if (!history.record(after, { label, gesture, time: Date.now() })) return false;
    const isTyping = gesture === "name";
    document.set(after, !isTyping);
    if (isTyping) sendSoon();
    return true;
  }

  /** An edit that creates nodes; the last of them gets the focus, and several are selected. */
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

  function step(restored: Restored<EditorDocument> | null, say: (what: string) => string): void {
    if (!restored) return;
    document.set(restored.value);
    announce(say(restored.label));
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

  /** The position of a new condition or group: in a group, or after a condition. */
  function beside(id: NodeId): { group: NodeId; index?: number } {
    const place = locate(document.peek(), id);
    if (place?.node.kind === "group") return { group: id };
    return place?.parent
      ? { group: place.parent.id, index: place.index + 1 }
      : { group: document.peek().root.id };
  }

  return {
    undoable: history.undoable,
    redoable: history.redoable,
    undo: () => step(history.undo(), words.undone),
    redo: () => step(history.redo(), words.redone),
    send,
    rename: (name: string) => edit(steps.name, (before) => tree.setName(before, name), "name"),
    toggleNot: (id: NodeId) => toggle(id, "negated"),
    toggleMuted: (id: NodeId) => toggle(id, "muted"),
    setOperator: (id: NodeId, operator: "and" | "or") =>
      edit(steps.operator, (before) => tree.setOperator(before, id, operator)),
    setAnswers: (id: NodeId, codes: string[] | null) =>
      edit(steps.answers, (before) => tree.setDatapoints(before, id, codes), `answers ${id}`),
    setSuffixes: (id: NodeId, codes: string[]) =>
      edit(steps.suffixes, (before) => tree.setSuffixes(before, id, codes), `suffixes ${id}`),
    setNumbers: (id: NodeId, numbers: NumberEnds) =>
      edit(steps.answers, (before) => tree.setNumbers(before, id, numbers), `numbers ${id}`),
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
    /**
     * Inserts nodes from the clipboard: in a group, or after a condition. Their name is used if the
     * audience has none.
     */
    paste: (id: NodeId, nodes: readonly EditorNode[], name = "") =>
      make(steps.paste, (before) => {
        const isGroup = locate(before, id)?.node.kind === "group";
        const grown = insert(before, nodes, id, isGroup ? "inside" : "behind");
        if (before.name !== "" || grown.ids.length === 0) return grown;
        return { ...grown, document: tree.setName(grown.document, name) };
      }),
    /** Inserts nodes that were dropped from another editor. */
    insert: (id: NodeId, nodes: readonly EditorNode[], where: Where) =>
      make(steps.paste, (before) => insert(before, nodes, id, where)),
    clone: (id: NodeId) => make(steps.clone, (before) => cloneAll(before, targets(id))),
    wrap: (id: NodeId) => {
      const ids = targets(id);
      // For the root, the new group encloses all of its children.
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
    /** Replaces the audience by another one. */
    open: (id: string, name: string, nodes: readonly EditorNode[]) => {
      edit(steps.open, (before) => {
        const empty = { ...before, root: { ...EMPTY_DOCUMENT.root, id: before.root.id } };
        const { document: opened } = insert(empty, nodes, before.root.id, "inside");
        return { ...opened, name, audience_id: id };
      });
      select([]);
      focus(document.peek().root.id);
    },
    /** Applied after saving; not a step, so undo keeps it. */
    identify: (id: string, name: string) => {
      identifyAll(document.peek().audience_id, id);
      history.amend((each) => (each === history.now ? { ...each, name } : each));
      document.set(history.now);
    },
    /** Moves the nodes to the drop target. */
    moveTo: (ids: readonly NodeId[], target: NodeId, where: Where) => {
      const [first] = ids;
      if (first === undefined || !edit(steps.move, (b) => moveTo(b, ids, target, where))) return;
      reveal(first);
      focus(first);
    },
  };
}

function idsOf({ root }: EditorDocument): Set<NodeId> {
  return new Set(Array.from(walk(root), ({ node }) => node.id));
}
