/** The commands for rows and columns, and the panel that Rename and Nest open beside the name. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Popover } from "../../ui/Popover";
import type { TableView } from "../arrangement/tableView";
import type { LineCommand, LineTarget } from "../arrangement/target";
import { AddPanel } from "./AddPanel";
import { headerCommands, type OpenPanel } from "./commands";
import type { QueryEditor } from "./queryEditor";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

export interface HeaderCommands {
  readonly commands: readonly LineCommand[];
  /** The panel that is open, if there is one. */
  readonly panel: ComponentChildren;
}

export function useHeaderCommands(editor: QueryEditor, { axes }: TableView): HeaderCommands {
  const open = useSignal<OpenPanel | null>(null);
  const anchor = useRef<HTMLElement | null>(null);
  const commands = useMemo(
    () => headerCommands(editor, open, (side, at) => axes[side].names.at(at)?.name),
    [editor, open, axes],
  );
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

/** Asks for the new name of a row or column. */
function RenamePanel({ editor, target, anchor, onClose }: PanelProps & { target: LineTarget }) {
  const name = useSignal(target.name);
  const input = useRef<HTMLInputElement>(null);
  // At once: what is typed before the next paint must not be overwritten.
  useLayoutEffect(() => input.current?.select(), []);
  const apply = async () => {
    if (name.peek().trim() === target.name) return onClose();
    const { side: axis, lines: places } = target;
    if (await editor.edit({ do: "rename", axis, places, name: name.peek() })) onClose();
  };
  return (
    <Popover anchor={anchor} onClose={onClose} label={words.verbs.rename}>
      <div class="al-bar al-query-rename">
        <input
          ref={input}
          class="al-input"
          aria-label={words.newName}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            // No form: JupyterLab keeps Enter from sending one.
            if (event.key !== "Enter") return;
            event.preventDefault();
            event.stopPropagation();
            void apply();
          }}
        />
        <button type="button" class="al-button al-button-primary" onClick={apply}>
          {words.apply}
        </button>
      </div>
    </Popover>
  );
}
