/**
 * The audience beside another one: who is in this alone, in both, in the other alone. Counted anew
 * when the audience has changed, the latest wins.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { debounced, onAbort } from "../../shared/lifetime";
import { failureOf, type Requests } from "../../shared/requests";
import type { Kept } from "./saving";

/** Some of the people, against the base. */
export interface Part {
  size: number;
  sample: number;
  percentage: number | null;
}

export interface Compared {
  /** Of this alone, of both, of the other alone. */
  parts: readonly [Part, Part, Part];
  notes: string[];
}

export interface ComparingInputs {
  requests: Requests;
  /** What Python reads as the audience; grows with every complete edit that Python has taken. */
  counted: ReadonlySignal<unknown>;
  lifetime: AbortSignal;
}

export type Comparing = ReturnType<typeof createComparing>;

const PAUSE = 60;

export function createComparing({ requests, counted, lifetime }: ComparingInputs) {
  const other = signal<Kept | null>(null);
  const compared = signal<Compared | null>(null);
  const failure = signal<string | null>(null);
  const stale = signal(false);

  const ask = debounced(PAUSE, lifetime, async () => {
    const beside = other.peek();
    if (!beside) return;
    try {
      const { data } = await requests.request<Compared>(
        "compare",
        { other: beside },
        { key: "compare" },
      );
      compared.value = data;
      failure.value = null;
      stale.value = false;
    } catch (error) {
      failure.value = failureOf(error) ?? failure.value;
    }
  });
  onAbort(
    lifetime,
    effect(() => {
      counted.value;
      if (!other.value) return;
      stale.value = true;
      ask();
    }),
  );
  return {
    other: other as ReadonlySignal<Kept | null>,
    compared,
    failure,
    stale,
    beside: (kept: Kept | null) => {
      compared.value = null;
      failure.value = null;
      other.value = kept;
    },
  };
}
