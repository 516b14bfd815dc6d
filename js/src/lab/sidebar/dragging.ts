/** Inserts snippets from the sidebar, announces the result, and shows errors. */
import type { Signal } from "@preact/signals";
import { copyText } from "../../core/clipboard";
import { isAbort } from "../../core/lifetime";
import type { WidgetHost } from "../../ui/host";
import { strings as shared } from "../../ui/strings";
import { NoPlace } from "../snippets";
import type { Problem, SidebarParts, Taking } from "./context";
import { words } from "./strings";

export function createTaking(
  { snippets, dragging }: SidebarParts,
  { announce, root }: WidgetHost,
  trouble: Signal<Problem | null>,
): Taking {
  const tell = (error: Error) => {
    if (isAbort(error)) return;
    const needsNotebook = error instanceof NoPlace && error.needsNotebook;
    trouble.value = { message: error.message, needsNotebook };
  };
  const said = (runs: boolean) => {
    trouble.value = null;
    announce(runs ? words.insertedAndRun : words.inserted);
  };
  return {
    insert: (snippet, options) => snippets.insert(snippet, options).then(said, tell),
    async copy(snippet) {
      try {
        const copied = await copyText(await snippets.alone(snippet), root);
        trouble.value = copied ? null : { message: shared.copyFailed, needsNotebook: false };
        if (copied) announce(shared.copied);
      } catch (error) {
        tell(error as Error);
      }
    },
    draggable(from, pieceAt, lifetime) {
      dragging.from(from, {
        pieceAt,
        lifetime,
        onDropped: (_piece, runs) => said(runs),
        onFailed: tell,
      });
    },
  };
}
