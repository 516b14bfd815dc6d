/** Every key of the editor, in a panel that `?` opens. */
import { Popover } from "../../shared/Popover";
import type { NodeId } from "./document";
import { useOverlay } from "./overlay";
import { words } from "./strings";

export function KeysOverlay({ id }: { id: NodeId }) {
  const overlay = useOverlay("keys", id);
  if (!overlay) return null;
  return (
    <Popover anchor={overlay.anchor} onClose={overlay.finish} label={words.keys.title}>
      <div class="al-editor-keys">
        <strong>{words.keys.title}</strong>
        <dl>
          {words.keys.list.map(([keys, what]) => (
            <div key={what}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <button type="button" class="al-button" onClick={overlay.finish}>
          {words.done}
        </button>
      </div>
    </Popover>
  );
}
