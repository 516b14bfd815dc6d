/**
 * Lifetimes: all cleanup is attached to an AbortSignal. Functions that listen, wait or observe take
 * a signal, so closing a view needs no other bookkeeping.
 */

/** Runs `undo` once when the signal aborts; immediately if it already has. */
export function onAbort(signal: AbortSignal, undo: () => void): void {
  if (signal.aborted) undo();
  else signal.addEventListener("abort", undo, { once: true });
}

/** A controller that aborts with its parent and may abort before it. */
export function childLifetime(parent: AbortSignal): AbortController {
  const child = new AbortController();
  const end = () => child.abort(parent.reason);
  // The listener ends with the child, so that a parent that lives longer does not keep it.
  if (parent.aborted) end();
  else parent.addEventListener("abort", end, { once: true, signal: child.signal });
  return child;
}

/** The abort reason of cancelled work. */
export function abortError(why: string): DOMException {
  return new DOMException(why, "AbortError");
}

/** Distinguishes cancelled work from failed work. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Calls `run` after `ms` without a call; ends with the signal. */
export function debounced<A extends unknown[]>(
  ms: number,
  signal: AbortSignal,
  run: (...args: A) => void,
): (...args: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  onAbort(signal, () => clearTimeout(timer));
  return (...args) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => run(...args), ms);
  };
}

/** Reports an element's content size now and at every change; hidden elements report nothing. */
export function observeSize(
  element: Element,
  signal: AbortSignal,
  report: (width: number, height: number) => void,
): void {
  const observer = new ResizeObserver((entries) => {
    const box = entries.at(-1)?.contentRect;
    // A cell that is scrolled away or collapsed measures 0: the last size is kept.
    if (box && (box.width > 0 || box.height > 0)) report(box.width, box.height);
  });
  observer.observe(element);
  onAbort(signal, () => observer.disconnect());
}
