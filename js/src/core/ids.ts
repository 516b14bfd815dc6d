/** Ids of elements, which are the page's and not one widget's. */
import { useMemo } from "preact/hooks";

/** An id of its own wherever it stands on the page: Preact's `useId` begins anew in every widget. */
export function usePageId(prefix: string): string {
  return useMemo(() => pageId(prefix), [prefix]);
}

/** The same outside of components. */
export function pageId(prefix: string): string {
  return `al-${prefix}-${Math.random().toString(36).slice(2)}`;
}
