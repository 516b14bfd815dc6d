/** The saved audiences of the service, to open one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isAbort } from "../core/lifetime";
import { FilterList } from "../ui/FilterList";
import { IconButton } from "../ui/icons";
import { Popover } from "../ui/Popover";
import { useEditor } from "./context";
import type { NodeId } from "./document";
import { useOverlay } from "./overlay";
import type { Kept } from "./saving";
import { words } from "./strings";

export function SavedOverlay({ id }: { id: NodeId }) {
  const { saving, comparing } = useEditor();
  const overlay = useOverlay("saved", id);
  const found = useSignal<Kept[] | null>(null);
  const failure = useSignal("");
  useEffect(() => {
    saving.list().then(
      (listed) => {
        found.value = listed;
      },
      (error: Error) => {
        if (!isAbort(error)) failure.value = error.message;
      },
    );
  }, []);
  if (!overlay) return null;
  return (
    <Popover
      anchor={overlay.anchor}
      from={overlay.from}
      onClose={overlay.close}
      label={words.openSaved}
    >
      <div class="al-editor-saved">
        {failure.value && <div class="al-error">{failure.value}</div>}
        {!failure.value && (
          <FilterList
            items={found.value}
            textOf={({ name }) => name}
            label={words.findSaved}
            none={words.noneSaved}
          >
            {(shown) =>
              shown.map((kept) => (
                <div key={kept.id} class="al-editor-kept">
                  <button
                    type="button"
                    class="al-menu-item"
                    aria-current={saving.opened.value?.id === kept.id}
                    onClick={() => {
                      overlay.finish();
                      saving.open(kept);
                    }}
                  >
                    <span class="al-clip">{kept.name}</span>
                  </button>
                  <IconButton
                    icon="overlap"
                    label={words.compareWith(kept.name)}
                    onClick={() => {
                      overlay.finish();
                      comparing.beside(kept);
                    }}
                  />
                </div>
              ))
            }
          </FilterList>
        )}
      </div>
    </Popover>
  );
}
