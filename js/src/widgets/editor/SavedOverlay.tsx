/** The saved audiences of the service, to open one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IconButton } from "../../shared/icons";
import { isAbort } from "../../shared/lifetime";
import { Popover } from "../../shared/Popover";
import type { NodeId } from "./document";
import { useOverlay } from "./overlay";
import { useEditor } from "./parts";
import type { Kept } from "./saving";
import { words } from "./strings";

/** More than these are looked for by name. */
const FEW = 8;

export function SavedOverlay({ id }: { id: NodeId }) {
  const { saving, comparing } = useEditor();
  const overlay = useOverlay("saved", id);
  const found = useSignal<Kept[] | null>(null);
  const failure = useSignal("");
  const sought = useSignal("");
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
  const all = found.value ?? [];
  const letters = sought.value.toLowerCase();
  const shown = all.filter(({ name }) => name.toLowerCase().includes(letters));
  return (
    <Popover
      anchor={overlay.anchor}
      from={overlay.from}
      onClose={overlay.close}
      label={words.openSaved}
    >
      <div class="al-editor-saved">
        {all.length > FEW && (
          <input
            type="search"
            aria-label={words.findSaved}
            placeholder={words.findSaved}
            value={sought.value}
            onInput={(event) => {
              sought.value = event.currentTarget.value;
            }}
          />
        )}
        {failure.value && <div class="al-error">{failure.value}</div>}
        {found.value === null && !failure.value && <div class="al-skeleton" />}
        {found.value !== null && shown.length === 0 && (
          <div class="al-quiet">{all.length === 0 ? words.noneSaved : words.noneFound}</div>
        )}
        {shown.map((kept) => (
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
        ))}
      </div>
    </Popover>
  );
}
