/**
 * Saved audiences: opens them in the tree as an undoable step, and saves them. Python knows the
 * service's version; this module compares it with the tree.
 */
import { computed, signal } from "@preact/signals";
import { failureOf, RequestError } from "../core/answers";
import type { Requests } from "../core/requests";
import type { Trait } from "../core/traits";
import type { EditorWidget, SavedState as SavedAudience } from "../protocol";
import { documentWire } from "./document";
import type { Edits } from "./edits";
import { alike, readNodes } from "./parse";
import type { EditorState } from "./state";
import { words } from "./strings";

export type { SavedAudience };

export interface SavingInputs {
  state: EditorState;
  edits: Edits;
  requests: Requests<EditorWidget>;
  saved: Trait<SavedAudience | null>;
  announce(sentence: string): void;
}

export type Saving = ReturnType<typeof createSaving>;

export function createSaving({ state, edits, requests, saved, announce }: SavingInputs) {
  const busy = signal(false);
  /** Whether another user has saved it meanwhile, so that overwriting must be confirmed. */
  const conflict = signal(false);
  /** The saved audience that was opened; undo may have gone back before it. */
  const opened = computed(() => {
    const { audience_id: id } = state.document.value;
    return saved.signal.value && saved.signal.value.id === id ? saved.signal.value : null;
  });
  /** Whether there are changes to save; an incomplete tree cannot be saved. */
  const unsaved = computed(() => {
    const kept = opened.value;
    if (state.faults.value.size > 0) return false;
    const document = state.document.value;
    return !kept || kept.name !== document.name || !alike(kept.expression, documentWire(document));
  });

  /** overwrite: also what was saved meanwhile. asNew: beside the audience that was opened. */
  async function save({ overwrite = false, asNew = false } = {}): Promise<void> {
    if (busy.peek()) return;
    const { name, audience_id } = state.document.peek();
    const id = asNew ? null : audience_id;
    const audience = { name, id, expression: documentWire(state.document.peek()) };
    busy.value = true;
    state.notice.value = null;
    conflict.value = false;
    try {
      const { data } = await requests.request("save", { audience, overwrite });
      announce(words.savedAs(data.name));
      const now = state.document.peek();
      // Another audience was opened meanwhile.
      if (now.audience_id !== audience_id) return;
      saved.set(data);
      edits.identify(data.id, now.name === name ? data.name : now.name);
    } catch (error) {
      const why = failureOf(error);
      if (why === null) return;
      conflict.value = error instanceof RequestError && error.type === "SavedMeanwhile";
      state.notice.value = words.notSaved(conflict.peek() ? words.savedMeanwhile : why);
    } finally {
      busy.value = false;
    }
  }

  async function list(): Promise<readonly SavedAudience[]> {
    const { data } = await requests.request("saved_audiences", {});
    return data.audiences;
  }

  function open(kept: SavedAudience): void {
    const nodes = kept.expression === null ? [] : readNodes(JSON.stringify(kept.expression));
    if (!nodes) return;
    const { id, name, expression, etag } = kept;
    saved.set({ id, name, expression, etag });
    edits.open(kept.id, kept.name, nodes);
    announce(words.opened(kept.name));
  }

  /** Open what was saved meanwhile, as a step that can be undone. */
  async function openTheirs(): Promise<void> {
    const { audience_id } = state.document.peek();
    try {
      const theirs = (await list()).find(({ id }) => id === audience_id);
      if (!theirs) return;
      state.notice.value = null;
      conflict.value = false;
      open(theirs);
    } catch (error) {
      const why = failureOf(error);
      if (why !== null) state.notice.value = why;
    }
  }

  return { busy, conflict, opened, unsaved, save, list, open, openTheirs };
}
