/** Asks for a line's new name. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Popover } from "../../../shared/Popover";
import type { LineTarget } from "../lines/target";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

export function RenamePanel({
  desk,
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
    if (await desk.edit({ do: "rename", axis, places, name: name.peek() })) onClose();
  };
  return (
    <Popover anchor={anchor} onClose={onClose} label={words.line.rename}>
      <div class="al-bar al-question-rename">
        <input
          ref={input}
          class="al-input"
          aria-label={words.line.renameTo}
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
