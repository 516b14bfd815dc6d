/** Inserts snippets from the sidebar, announces the result, and shows errors. */
import type { Signal } from "@preact/signals";
import { copyText } from "../../core/clipboard";
import { isAbort } from "../../core/lifetime";
import type { WidgetHost } from "../../ui/host";
import { strings as shared } from "../../ui/strings";
import { NoPlace } from "../snippets";
import type { SidebarParts, Taking, Trouble } from "./context";
import { words } from "./strings";

export function createTaking(
  { pieces, dragging }: SidebarParts,
  { announce, root }: WidgetHost,
  trouble: Signal<Trouble | null>,
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
    insert: (piece, options) => pieces.insert(piece, options).then(said, tell),
    async copy(piece) {
      try {
        const copied = await copyText(await pieces.alone(piece), root);
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
