/** The commands for rows and columns, and the panel that Rename and Nest open beside the name. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { LineCommand } from "../arrangement/target";
import { AddPanel } from "./AddPanel";
import { headerCommands, type OpenPanel } from "./commands";
import type { QueryEditor } from "./queryEditor";
import { RenamePanel } from "./RenamePanel";

export interface HeaderCommands {
  readonly commands: readonly LineCommand[];
  /** The panel that is open, if there is one. */
  readonly panel: ComponentChildren;
}

export function useHeaderCommands(editor: QueryEditor): HeaderCommands {
  const open = useSignal<OpenPanel | null>(null);
  const anchor = useRef<HTMLElement | null>(null);
  const commands = useMemo(() => headerCommands(editor, open), [editor, open]);
  const question = open.value;
  if (!question) return { commands, panel: null };
  const { root } = editor.host;
  // The menu or the button gave the focus to the name.
  const focused = (root.getRootNode() as Document | ShadowRoot).activeElement;
  if (!anchor.current?.isConnected) {
    anchor.current = focused instanceof HTMLElement && root.contains(focused) ? focused : root;
  }
  const props = {
    editor,
    anchor,
    onClose: () => {
      const from = anchor.current;
      anchor.current = null;
      open.value = null;
      giveBack(root, from);
    },
  };
  const { kind, target } = question;
  const panel =
    kind === "rename" ? (
      <RenamePanel {...props} target={target} />
    ) : (
      <AddPanel {...props} axis={target.side} nest={target.together} />
    );
  return { commands, panel };
}

/** The focus goes back to the name, or into the table where the name is gone. */
function giveBack(root: HTMLElement, header: HTMLElement | null): void {
  const table = root.querySelector<HTMLElement>('[role="grid"]');
  const cell = table?.querySelector<HTMLElement>('[tabindex="0"]:not([hidden])');
  // A hidden element does not take it.
  for (const place of [header, cell, table]) {
    place?.focus({ preventScroll: true });
    if (place?.matches(":focus")) return;
  }
}
