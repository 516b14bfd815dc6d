/** The audience's name, the base that its numbers refer to, and undo and redo. */
import { IconButton } from "../../shared/icons";
import { useEditor } from "./parts";
import { words } from "./strings";

export function Toolbar() {
  const { state, edits, measuring } = useEditor();
  const { past, future } = state.work.value.history;
  const base = measuring.context.value?.base;
  return (
    <div class="al-bar al-editor-toolbar">
      <input
        class="al-editor-name"
        type="text"
        aria-label={words.name}
        placeholder={words.unnamed}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={state.document.value.name}
        onInput={(event) => edits.rename(event.currentTarget.value)}
      />
      <span class="al-editor-base al-quiet al-clip">
        {base && words.base(base.name, base.size, base.sample)}
      </span>
      <span class="al-editor-history">
        <IconButton
          icon="undo"
          label={words.undo(past.at(-1)?.label)}
          aria-disabled={past.length === 0}
          onClick={() => edits.undo()}
        />
        <IconButton
          icon="redo"
          label={words.redo(future[0]?.label)}
          aria-disabled={future.length === 0}
          onClick={() => edits.redo()}
        />
        <IconButton
          icon="help"
          label={words.help}
          data-opens={`keys ${state.document.value.root.id}`}
          onClick={() => {
            state.overlay.value = { kind: "keys", id: state.document.peek().root.id };
          }}
        />
      </span>
    </div>
  );
}
