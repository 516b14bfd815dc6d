/** Edits of single lines, for the menu of a header, and the panels that they open beside it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { LineCommand } from "../lines/target";
import { AddPanel } from "./AddPanel";
import type { QuestionDesk } from "./desk";
import { type LineQuestion, lineCommands } from "./lineCommands";
import { RenamePanel } from "./RenamePanel";

export interface LineEdits {
  readonly commands: readonly LineCommand[];
  /** The panel that is open, if there is one. */
  readonly panel: ComponentChildren;
}

export function useLineEdits(desk: QuestionDesk): LineEdits {
  const asking = useSignal<LineQuestion | null>(null);
  const anchor = useRef<HTMLElement | null>(null);
  const commands = useMemo(() => lineCommands(desk, asking), [desk, asking]);
  const question = asking.value;
  if (!question) return { commands, panel: null };
  const { root } = desk.host;
  // The header that the menu belonged to has the keyboard again.
  const focused = (root.getRootNode() as Document | ShadowRoot).activeElement;
  if (!anchor.current?.isConnected) {
    anchor.current = focused instanceof HTMLElement && root.contains(focused) ? focused : root;
  }
  const props = {
    desk,
    anchor,
    onClose: () => {
      const from = anchor.current;
      anchor.current = null;
      asking.value = null;
      giveBack(root, from);
    },
  };
  const { kind, target } = question;
  const panel =
    kind === "rename" ? (
      <RenamePanel {...props} target={target} />
    ) : (
      <AddPanel {...props} axis={target.side} nest={target.lines} />
    );
  return { commands, panel };
}

/** The keyboard goes back to the header, or into the table that has none such any more. */
function giveBack(root: HTMLElement, header: HTMLElement | null): void {
  const table = root.querySelector<HTMLElement>('[role="grid"]');
  const cell = table?.querySelector<HTMLElement>('[tabindex="0"]:not([hidden])');
  // What is hidden does not take it.
  for (const place of [header, cell, table]) {
    place?.focus({ preventScroll: true });
    if (place?.matches(":focus")) return;
  }
}
