/**
 * Requests sizes and text from Python while the tree is edited. The latest request wins, older ones
 * are cancelled on both sides. Editing never waits; of a tree with errors, only the valid nodes are
 * counted.
 */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { failureOf } from "../core/answers";
import { debounced, onAbort } from "../core/lifetime";
import type { Requests } from "../core/requests";
import type { EditorContext as Context, EditorWidget, Wording } from "../protocol";
import { documentWire, type EditorDocument } from "./document";
import { learn, NO_NUMBERS, type Numbers, settle, wanted } from "./sizes";
import type { NodeFault } from "./validation";

export type { Context, Wording };

/** Milliseconds without typing before a request; a click is followed by a request at once. */
const PAUSE = 60;

export interface MeasuringInputs {
  requests: Requests<EditorWidget>;
  document: ReadonlySignal<EditorDocument>;
  faults: ReadonlySignal<ReadonlyMap<string, readonly NodeFault[]>>;
  /** Nothing is requested before the catalogue is loaded, because errors could be missed. */
  ready: ReadonlySignal<boolean>;
  /** Increases when base, waves or locations change, which invalidates all sizes. */
  revision: ReadonlySignal<number>;
  lifetime: AbortSignal;
}

export type Measuring = ReturnType<typeof startMeasuring>;

export function startMeasuring(inputs: MeasuringInputs) {
  const { requests, document, faults, lifetime } = inputs;
  const context = signal<Context | null>(null);
  const numbers = signal<Numbers>(NO_NUMBERS);
  const wording = signal<Wording | null>(null);
  const worded = signal("");
  /** True from the edit on: an empty cell would look like "nothing to count". */
  const busy = signal(true);
  const failure = signal<string | null>(null);
  let asking: AbortController | null = null;

  const report = (error: unknown) => {
    failure.value = failureOf(error) ?? failure.value;
  };

  async function measure(): Promise<void> {
    if (lifetime.aborted) return;
    const asked = document.peek();
    const faulty = new Set(faults.peek().keys());
    const missing = wanted(asked, faulty, numbers.peek());
    asking?.abort();
    asking = null;
    busy.value = missing.length > 0;
    if (missing.length === 0) {
      numbers.value = settle(numbers.peek(), asked);
      failure.value = null;
      return;
    }
    const mine = new AbortController();
    asking = mine;
    try {
      const { data } = await requests.request(
        "measure",
        { expressions: missing.map(({ expression }) => expression) },
        { key: "measure", signal: mine.signal },
      );
      if (asking !== mine) return;
      const answers = missing.flatMap(({ meaning }, i) => {
        const answer = data.measures[i];
        return answer ? [[meaning, answer] as const] : [];
      });
      numbers.value = learn(numbers.peek(), document.peek(), answers);
      failure.value = null;
    } catch (error) {
      report(error);
    } finally {
      if (asking === mine) {
        asking = null;
        busy.value = false;
      }
    }
  }

  async function word(): Promise<void> {
    const asked = wordingKey(document.peek());
    if (lifetime.aborted || faults.peek().size > 0 || asked === worded.peek()) return;
    try {
      const { data } = await requests.request("words", JSON.parse(asked), {
        key: "words",
      });
      // An edit that is undone at once needs no request, so none replaces this one.
      if (asked !== wordingKey(document.peek())) return;
      wording.value = data;
      worded.value = asked;
    } catch (error) {
      report(error);
    }
  }

  async function orient(): Promise<void> {
    try {
      const { data } = await requests.request("context", {}, { key: "context" });
      context.value = data;
    } catch (error) {
      report(error);
    }
  }

  const ask = debounced(PAUSE, lifetime, () => {
    void measure();
    void word();
  });
  const revise = () => {
    inputs.revision.value;
    // Running requests count within the old base.
    asking?.abort();
    asking = null;
    numbers.value = { known: new Map(), last: numbers.peek().last };
    busy.value = true;
    void orient();
    if (inputs.ready.peek()) ask();
  };
  const follow = () => {
    document.value;
    faults.value;
    busy.value = true;
    if (inputs.ready.value) ask();
  };
  onAbort(lifetime, effect(revise));
  onAbort(lifetime, effect(follow));

  return {
    context,
    numbers,
    wording,
    busy,
    failure,
    /** Whether the text and the code belong to an earlier tree. */
    outdated: computed(() => faults.value.size > 0 || worded.value !== wordingKey(document.value)),
    retry: () => ask(),
  };
}

/** The whole audience as a request carries it; an equal string needs no new request. */
function wordingKey(document: EditorDocument): string {
  const { name, audience_id: id } = document;
  return JSON.stringify({ name, id, expression: documentWire(document) });
}
