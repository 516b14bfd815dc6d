/** Adds conditions from the catalogue: the picker's tree in a popover, and one button. */
import { useSignal } from "@preact/signals";
import type { Catalogue } from "../catalogue/model";
import { QuestionTree } from "../catalogue/QuestionTree";
import type { Selection } from "../catalogue/selection";
import { Coming } from "../ui/Coming";
import { keysFor } from "../ui/keyboard";
import { Popover } from "../ui/Popover";
import { useEditor } from "./context";
import type { NodeId } from "./document";
import { useOverlay } from "./overlay";
import { words } from "./strings";
import type { NewLeaf } from "./tree";

/** Most conditions added at once: a large category has more than a tree can show. */
const MOST = 100;

export function AddOverlay({ id }: { id: NodeId }) {
  const { state, edits } = useEditor();
  const place = useOverlay("add", id);
  const selection = useSignal<Selection>([]);
  const catalogue = state.catalogue.value;
  if (!place) return null;
  const chosen = selection.value.length;
  const mayAdd = chosen > 0 && chosen <= MOST;
  const add = () => {
    if (!catalogue || !mayAdd) return;
    place.close();
    edits.addLeaves(id, newLeaves(selection.peek(), catalogue));
  };
  return (
    <Popover
      anchor={place.anchor}
      from={place.from}
      onClose={place.close}
      label={words.addCondition}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles one more key of the fields inside */}
      <div
        class="al-editor-adding"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          add();
        }}
      >
        {catalogue ? (
          <QuestionTree
            catalogue={catalogue}
            selection={selection}
            onSelect={(next) => {
              selection.value = next;
            }}
          />
        ) : (
          <Coming>{words.loadingCatalogue}</Coming>
        )}
        <div class="al-bar al-editor-adding-end">
          <span class={chosen > MOST ? "al-warning" : "al-quiet al-clip"} role="status">
            {words.chosen(chosen, MOST)}
          </span>
          <span class="al-spacer" />
          <button type="button" class="al-button" data-local onClick={place.finish}>
            {words.cancel}
          </button>
          <button
            type="button"
            class="al-button al-button-primary"
            disabled={!mayAdd}
            title={keysFor(words.addHint)}
            onClick={add}
          >
            {words.add(chosen)}
          </button>
        </div>
      </div>
    </Popover>
  );
}

/** One condition for each question; a question with all answers selected means any answer. */
function newLeaves(selection: Selection, catalogue: Catalogue): NewLeaf[] {
  return selection.map(({ question, datapoints, suffixes }) => {
    const all = catalogue.question(question)?.datapoints.codes.length ?? 0;
    const every = datapoints.length === 0 || datapoints.length === all;
    return { question, datapoints: every ? null : datapoints, suffixes };
  });
}
