/** The panels of the query bar, which are loaded when they are needed first. */
import { useSignal } from "@preact/signals";
import type { QueryEditor } from "./queryEditor";

type Panels = typeof import("./panels");

/** The panels, once they are loaded, and the function that loads them. */
export function usePanels(editor: Pick<QueryEditor, "fail">): [Panels | null, () => void] {
  const loaded = useSignal<Panels | null>(null);
  const load = () => {
    if (loaded.peek()) return;
    import("./panels").then((panels) => {
      loaded.value = panels;
    }, editor.fail);
  };
  return [loaded.value, load];
}
