/** The commands for rows and columns, and the panel that Rename and Nest open beside the header. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Popover } from "../../ui/Popover";
import type { TableView } from "../arrangement/tableView";
import type { FormChoice, LineCommand, LineTarget } from "../arrangement/target";
import { headerCommands, type OpenPanel } from "./commands";
import { formChoice, formCommands, useForms } from "./forms";
import type { QueryEditor } from "./queryEditor";
import type { PanelProps } from "./Sources";
import { words } from "./strings";
import { usePanels } from "./usePanels";

export interface HeaderCommands {
  /** The form switch of a group's row. */
  readonly formChoice: (target: LineTarget) => FormChoice | null;
  readonly commands: readonly LineCommand[];
  /** The open panel, if any. */
  readonly panel: ComponentChildren;
}

export function useHeaderCommands(
  editor: QueryEditor,
  { axes }: TableView,
  open: Signal<OpenPanel | null>,
): HeaderCommands {
  const anchor = useRef<HTMLElement | null>(null);
  const forms = useForms(editor);
  const commands = useMemo(
    () => [
      ...formCommands(() => forms.peek(), editor, open),
      ...headerCommands(editor, open, (side, at) => axes[side].names.at(at)?.name),
    ],
    [editor, open, axes, forms],
  );
  const questions = forms.value;
  const choice = useMemo(() => formChoice(questions, editor, open), [questions, editor, open]);
  const [panels, loadPanels] = usePanels(editor);
  const question = open.value;
  if (question && question.kind !== "rename") loadPanels();
  if (!question) return { commands, formChoice: choice, panel: null };
  const { root } = editor.host;
  // The menu or the button has moved the focus to the header.
  const focused = (root.getRootNode() as Document | ShadowRoot).activeElement;
  if (question.anchor) anchor.current = question.anchor;
  else if (!anchor.current?.isConnected) {
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
  const { kind, target, forms: asked } = question;
  const panel =
    kind === "rename" ? (
      <RenamePanel {...props} target={target} />
    ) : kind === "bins" ? (
      panels && asked && <panels.BinsPanel {...props} forms={asked} />
    ) : (
      panels && <panels.AddPanel {...props} axis={target.side} nest={target.together} />
    );
  return { commands, formChoice: choice, panel };
}

/** Returns the focus to the header, or to the table if the header is gone. */
function giveBack(root: HTMLElement, header: HTMLElement | null): void {
  const table = root.querySelector<HTMLElement>('[role="grid"]');
  const cell = table?.querySelector<HTMLElement>('[tabindex="0"]:not([hidden])');
  // A hidden element cannot be focused.
  for (const place of [header, cell, table]) {
    place?.focus({ preventScroll: true });
    if (place?.matches(":focus")) return;
  }
}

/** Asks for the new name of a row or column. */
function RenamePanel({ editor, target, anchor, onClose }: PanelProps & { target: LineTarget }) {
  const name = useSignal(target.name);
  const input = useRef<HTMLInputElement>(null);
  const table = useMemo(() => editor.table(), [editor]);
  // Before the next paint, or it would select text that was typed meanwhile.
  useLayoutEffect(() => input.current?.select(), []);
  const apply = async () => {
    if (name.peek().trim() === target.name) return onClose();
    const { side: axis, lines: places } = target;
    if (await editor.edit({ do: "rename", axis, places, table, name: name.peek() })) onClose();
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
            // Not a form: JupyterLab suppresses submitting with Enter.
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
