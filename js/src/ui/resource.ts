/** Data that is requested from the kernel and may change: loading, loaded, failed, outdated. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { failureOf } from "../core/answers";

export interface Resource<T> {
  /** The latest answer, undefined before the first; that of an earlier request while `isStale`. */
  data: T | undefined;
  /** The error message; empty for none. */
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
 * Calls `ask` when `of`, the key of the request, changes; a newer call aborts the older. With `ask`
 * of null nothing is requested. `pause`: milliseconds for which `of` must be unchanged before the
 * request.
 */
export function useResource<T>(
  of: unknown,
  ask: ((signal: AbortSignal) => Promise<T>) | null,
  pause = 0,
): Resource<T> {
  const answered = useSignal<Answered<T> | null>(null);
  const tries = useSignal(0);
  // Not `useEffect`: it waits for the next paint, which a hidden page may delay.
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
