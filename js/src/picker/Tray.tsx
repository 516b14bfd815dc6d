/** The tray: what is picked, in its order, with undo, the code, and in audience mode the size. */
import { useSignal } from "@preact/signals";
import { type PickerMode, type Selection, totals } from "../catalogue/selection";
import type { PickerState } from "../catalogue/state";
import { strings } from "../catalogue/strings";
import { useHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { AudienceSize } from "./AudienceSize";
import { Chips, focusSearch } from "./Chips";
import { CopyCode } from "./CopyCode";

interface TrayProps {
  state: PickerState;
  selection: Selection;
  onSelect(next: Selection): void;
}

const HINTS: Record<PickerMode, string> = {
  question: strings.noneQuestions,
  datapoints: strings.nonePicked,
  audience: strings.nobodyPicked,
};

export function Tray({ state, selection, onSelect }: TrayProps) {
  const { root } = useHost();
  const { catalogue, mode } = state;
  const { questions, datapoints } = totals(selection, catalogue);
  const some = selection.length > 0;
  /** Why the code of a selection could not be taken, until it is tried again. */
  const failed = useSignal<{ of: Selection; why: string } | null>(null);
  const why = failed.value?.of === selection ? failed.value.why : "";
  return (
    <div class="al-picker-tray">
      <div class="al-bar">
        <span class="al-quiet">{some ? strings.picked(questions, datapoints) : HINTS[mode]}</span>
        {some && (
          <button
            type="button"
            class="al-link"
            onClick={() => {
              // The button goes with what it clears.
              focusSearch(root);
              onSelect([]);
            }}
          >
            {strings.clear}
          </button>
        )}
        <span class="al-spacer" />
        <UndoButtons state={state} />
        {some && (
          <CopyCode
            selection={selection}
            onFailed={(why) => {
              failed.value = { of: selection, why };
            }}
          />
        )}
      </div>
      {why && <div class="al-error al-picker-untaken">{why}</div>}
      {some && <Chips state={state} selection={selection} onSelect={onSelect} />}
      {mode === "audience" && some && <AudienceSize selection={selection} />}
    </div>
  );
}

/** Shown from the first step on. */
function UndoButtons({ state }: { state: PickerState }) {
  const canUndo = state.history.undoable.value !== null;
  const canRedo = state.history.redoable.value !== null;
  if (!canUndo && !canRedo) return null;
  return (
    <>
      <IconButton icon="undo" label={strings.undo} aria-disabled={!canUndo} onClick={state.undo} />
      <IconButton icon="redo" label={strings.redo} aria-disabled={!canRedo} onClick={state.redo} />
    </>
  );
}
