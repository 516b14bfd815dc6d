/**
 * Compares the audience with another: only in this, in both, only in the other. Requested again
 * when the audience or the base changes; the latest request wins.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { failureOf } from "../core/answers";
import { debounced, onAbort } from "../core/lifetime";
import type { Requests } from "../core/requests";
import type { Compared, EditorWidget } from "../protocol";
import type { SavedAudience } from "./saving";

export interface ComparingInputs {
  requests: Requests<EditorWidget>;
  /**
   * The version of the audience in Python; increases with every valid edit that Python has
   * received.
   */
  counted: ReadonlySignal<unknown>;
  /** Increases when base, waves or locations change. */
  revision: ReadonlySignal<unknown>;
  lifetime: AbortSignal;
}

export type Comparing = ReturnType<typeof createComparing>;

const PAUSE = 60;

export function createComparing(inputs: ComparingInputs) {
  const { requests, counted, revision, lifetime } = inputs;
  const other = signal<SavedAudience | null>(null);
  const compared = signal<Compared | null>(null);
  const failure = signal<string | null>(null);
  const stale = signal(false);
  /** The number of the latest request; answers to earlier ones are discarded. */
  let turn = 0;

  const ask = debounced(PAUSE, lifetime, async () => {
    const beside = other.peek();
    const mine = turn;
    if (!beside) return;
    try {
      const { data } = await requests.request("compare", { other: beside }, { key: "compare" });
      if (mine !== turn) return;
      compared.value = data;
      failure.value = null;
      stale.value = false;
    } catch (error) {
      if (mine !== turn) return;
      failure.value = failureOf(error) ?? failure.value;
    }
  });
  onAbort(
    lifetime,
    effect(() => {
      counted.value;
      revision.value;
      turn += 1;
      if (!other.value) return;
      stale.value = true;
      ask();
    }),
  );
  return {
    other: other as ReadonlySignal<SavedAudience | null>,
    compared,
    failure,
    stale,
    beside: (kept: SavedAudience | null) => {
      compared.value = null;
      failure.value = null;
      other.value = kept;
    },
  };
}
