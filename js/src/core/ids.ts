/** Element ids that are unique in the page, not only in one widget. */
import { useMemo } from "preact/hooks";

/** An id that is unique in the page: Preact's `useId` starts again at zero in every widget. */
export function usePageId(prefix: string): string {
  return useMemo(() => pageId(prefix), [prefix]);
}

/** The same outside of components. */
export function pageId(prefix: string): string {
  return `al-${prefix}-${Math.random().toString(36).slice(2)}`;
}

/** Numbers that no other page and no kernel counts: whole, and exact in JavaScript. */
export function pageNumbers(): () => number {
  let last = (1 + Math.floor(Math.random() * 2 ** 31)) * 2 ** 20;
  return () => ++last;
}
