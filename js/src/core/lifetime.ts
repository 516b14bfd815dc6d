/**
 * Lifetimes: everything that must be undone hangs on an AbortSignal. Helpers that listen, wait
 * or observe take one, and nothing else has to be remembered when a view goes.
 */

/** Runs `undo` once when the signal aborts; at once if it already has. */
export function onAbort(signal: AbortSignal, undo: () => void): void {
  if (signal.aborted) undo();
  else signal.addEventListener("abort", undo, { once: true });
}

/** A controller that ends with its parent and may end before it. */
export function childLifetime(parent: AbortSignal): AbortController {
  const child = new AbortController();
  const end = () => child.abort(parent.reason);
  if (parent.aborted) end();
  else parent.addEventListener("abort", end, { once: true, signal: child.signal });
  return child;
}

/** The reason of everything that ended because nobody wants it any more. */
export function abortError(why: string): DOMException {
  return new DOMException(why, "AbortError");
}

/** Tells calling off from failing. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Calls `run` after `ms` of quiet; ends with the signal. */
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

/** Reports an element's content size now and whenever it changes; a hidden one has none. */
export function observeSize(
  element: Element,
  signal: AbortSignal,
  report: (width: number, height: number) => void,
): void {
  const observer = new ResizeObserver((entries) => {
    const box = entries.at(-1)?.contentRect;
    // A cell scrolled away or collapsed measures 0: keep the last size instead.
    if (box && (box.width > 0 || box.height > 0)) report(box.width, box.height);
  });
  observer.observe(element);
  onAbort(signal, () => observer.disconnect());
}
