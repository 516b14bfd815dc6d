/** The audience's name, the base of its sizes, and undo and redo. */
import { useHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { KeyHelp } from "../ui/KeyHelp";
import { useEditor } from "./context";
import { words } from "./strings";

export function Toolbar() {
  const { root } = useHost();
  const { state, edits, measuring } = useEditor();
  const base = measuring.context.value?.base;
  /** The element that had the focus when `?` opened the keyboard help, and gets it back. */
  const activeRow = {
    get current() {
      return root.querySelector<HTMLElement>('[data-node][data-active="true"]');
    },
  };
  return (
    <div class="al-bar al-editor-toolbar">
      <input
        class="al-editor-name"
        dir="auto"
        type="text"
        aria-label={words.name}
        placeholder={words.unnamed}
        autocomplete="off"
        data-undo
        spellcheck={false}
        maxLength={200}
        value={state.document.value.name}
        onInput={(event) => edits.rename(event.currentTarget.value)}
        onChange={edits.send}
      />
      <span class="al-editor-base al-quiet al-clip">
        {base && words.base(base.name, base.size, base.sample)}
      </span>
      <span class="al-editor-history">
        <Shelf />
        <IconButton
          icon="undo"
          label={words.undo(edits.undoable.value)}
          aria-disabled={edits.undoable.value === null}
          onClick={() => edits.undo()}
        />
        <IconButton
          icon="redo"
          label={words.redo(edits.redoable.value)}
          aria-disabled={edits.redoable.value === null}
          onClick={() => edits.redo()}
        />
        <KeyHelp
          label={words.keys.title}
          keys={words.keys.list}
          open={state.helping}
          from={activeRow}
        />
      </span>
    </div>
  );
}

/** Open and save, as far as the service supports saved audiences. */
function Shelf() {
  const { state, saving, measuring } = useEditor();
  const listable = measuring.context.value?.shelf === true;
  const kept = saving.opened.value;
  const { root } = state.document.value;
  if (!listable && !kept) return null;
  const idle = !saving.unsaved.value || saving.busy.value;
  return (
    <>
      {listable && (
        <IconButton
          icon="open"
          label={words.openSaved}
          data-opens={`saved ${root.id}`}
          onClick={() => {
            state.overlay.value = { kind: "saved", id: root.id };
          }}
        />
      )}
      <IconButton
        icon="save"
        label={kept ? words.saveChanges(kept.name) : words.saveNew}
        aria-disabled={idle}
        onClick={() => {
          if (!idle) void saving.save();
        }}
      />
    </>
  );
}
