/** Asks for the new name of a row or column. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Popover } from "../../ui/Popover";
import type { LineTarget } from "../arrangement/target";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

export function RenamePanel({
  editor,
  target,
  anchor,
  onClose,
}: PanelProps & { target: LineTarget }) {
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
