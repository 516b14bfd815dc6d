/** Something that the kernel is asked for and that may change: waiting, data, failure, stale. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { failureOf } from "../core/answers";

export interface Resource<T> {
  /** The latest answer, undefined before the first; of an earlier question while `isStale`. */
  data: T | undefined;
  /** Why the question has no answer; empty while there is one, or none is known yet. */
  failure: string;
  isStale: boolean;
  retry(): void;
}

interface Answered<T> {
  of: unknown;
  data?: T | undefined;
  failure: string;
}

/**
 * Asks when `of`, which stands for the question, changes; a call that a newer one overtakes is
 * aborted. With `ask` of null nothing is asked. `pause` is how many milliseconds a question must
 * last before it is asked.
 */
export function useResource<T>(
  of: unknown,
  ask: ((signal: AbortSignal) => Promise<T>) | null,
  pause = 0,
): Resource<T> {
  const answered = useSignal<Answered<T> | null>(null);
  const tries = useSignal(0);
  // Not after the next paint: a hidden page may not paint for long.
  useLayoutEffect(() => {
    if (!ask) return;
    const ended = new AbortController();
    const begin = () => {
      ask(ended.signal).then(
        (data) => {
          if (!ended.signal.aborted) answered.value = { of, data, failure: "" };
        },
        (error: unknown) => {
          const failure = ended.signal.aborted ? null : failureOf(error);
          if (failure !== null) answered.value = { of, data: answered.peek()?.data, failure };
        },
      );
    };
    const timer = pause > 0 ? setTimeout(begin, pause) : void begin();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [of, ask === null, tries.value]);

  const { data, failure = "", of: known } = answered.value ?? {};
  const isStale = answered.value !== null && known !== of;
  return {
    data,
    failure: isStale ? "" : failure,
    isStale,
    retry: () => {
      answered.value = null;
      tries.value++;
    },
  };
}
