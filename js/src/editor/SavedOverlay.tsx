/** Opens one of the service's saved audiences. */
import { FilterList } from "../ui/FilterList";
import { IconButton } from "../ui/icons";
import { Popover } from "../ui/Popover";
import { useResource } from "../ui/resource";
import { useEditor } from "./context";
import type { NodeId } from "./document";
import { useOverlay } from "./overlay";
import { words } from "./strings";

export function SavedOverlay({ id }: { id: NodeId }) {
  const { saving, comparing } = useEditor();
  const overlay = useOverlay("saved", id);
  const { data: found = null, failure } = useResource(saving, saving.list);
  if (!overlay) return null;
  return (
    <Popover
      anchor={overlay.anchor}
      from={overlay.from}
      onClose={overlay.close}
      label={words.openSaved}
    >
      <div class="al-editor-saved">
        {failure && <div class="al-error">{failure}</div>}
        {!failure && (
          <FilterList
            items={found}
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
