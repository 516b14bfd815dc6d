/** Buttons for the selected rows or columns, in the row of the toolbar. */
import { IconButton } from "../../ui/icons";
import type { Controller } from "../view/controller";
import { words } from "./strings";

export function SelectionBar({ controller }: { controller: Controller }) {
  const { actions, cursor, table } = controller;
  table.revision.value;
  const target = cursor.namesTarget;
  if (!target) return null;
  const count = target.together.length;
  /** The focus moves to the table first, because the bar disappears when the table changes. */
  const act = (run: () => void) => () => {
    controller.viewport.focus();
    run();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame of its own
    <div class="al-selection" role="group" aria-label={words.selection(target.side)}>
      <span class="al-selection-count">{words.items(target.side, count)}</span>
      {table.lineCommands.value.map((command) => {
        if (!command.name) return null;
        const refusal = command.refusal(target);
        return (
          <button
            key={command.id}
            type="button"
            class="al-button"
            title={refusal || command.hint}
            aria-disabled={refusal !== ""}
            onClick={act(() => {
              if (!refusal) command.run(target);
            })}
          >
            {command.name(target)}
          </button>
        );
      })}
      <button type="button" class="al-button" onClick={act(() => actions.hide(target))}>
        {words.hide}
      </button>
      <IconButton
        icon="close"
        label={words.clearSelection}
        onClick={act(() => cursor.collapse())}
      />
    </div>
  );
}
