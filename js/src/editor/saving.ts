/**
 * Saved audiences: opened into the tree as a step that can be undone, and saved back. What the
 * service holds is known in Python; whether the tree differs from it is seen here.
 */
import { computed, signal } from "@preact/signals";
import { failureOf, RequestError } from "../core/answers";
import type { Requests } from "../core/requests";
import type { Trait } from "../core/traits";
import type { EditorWidget, SavedState as Kept } from "../protocol";
import { documentWire } from "./document";
import type { Edits } from "./edits";
import { alike, readNodes } from "./parse";
import type { EditorState } from "./state";
import { words } from "./strings";

export type { Kept };

export interface SavingInputs {
  state: EditorState;
  edits: Edits;
  requests: Requests<EditorWidget>;
  saved: Trait<Kept | null>;
  announce(sentence: string): void;
}

export type Saving = ReturnType<typeof createSaving>;

export function createSaving({ state, edits, requests, saved, announce }: SavingInputs) {
  const busy = signal(false);
  /** Whether somebody else has saved it since, so that saving has to be meant. */
  const conflict = signal(false);
  /** What the tree was opened from; undo may have led past it. */
  const opened = computed(() => {
    const { audience_id: id } = state.document.value;
    return saved.signal.value && saved.signal.value.id === id ? saved.signal.value : null;
  });
  /** Whether saving would change anything; an unfinished tree is not saved. */
  const unsaved = computed(() => {
    const kept = opened.value;
    if (state.faults.value.size > 0) return false;
    const document = state.document.value;
    return !kept || kept.name !== document.name || !alike(kept.expression, documentWire(document));
  });

  async function save(overwrite = false): Promise<void> {
    if (busy.peek()) return;
    const { name, audience_id: id } = state.document.peek();
    const audience = { name, id, expression: documentWire(state.document.peek()) };
    busy.value = true;
    state.notice.value = null;
    conflict.value = false;
    try {
      const { data } = await requests.request("save", { audience, overwrite });
      announce(words.savedAs(data.name));
      const now = state.document.peek();
      // Another audience was opened meanwhile: it is not the one that was saved.
      if (now.audience_id !== id) return;
      saved.set(data);
      edits.identify(data.id, now.name === name ? data.name : now.name);
    } catch (error) {
      const why = failureOf(error);
      if (why === null) return;
      conflict.value = error instanceof RequestError && error.type === "SavedMeanwhile";
      state.notice.value = words.notSaved(why);
    } finally {
      busy.value = false;
    }
  }

  async function list(): Promise<readonly Kept[]> {
    const { data } = await requests.request("saved_audiences", {});
    return data.audiences;
  }

  function open(kept: Kept): void {
    const nodes = kept.expression === null ? [] : readNodes(JSON.stringify(kept.expression));
    if (!nodes) return;
    const { id, name, expression } = kept;
    saved.set({ id, name, expression });
    edits.open(kept.id, kept.name, nodes);
    announce(words.opened(kept.name));
  }

  return { busy, conflict, opened, unsaved, save, list, open };
}
