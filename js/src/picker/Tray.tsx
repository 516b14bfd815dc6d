/**
 * The tray: the selected questions in their order, with undo, the code, and in audience mode the
 * size.
 */
import { useSignal } from "@preact/signals";
import { type PickerMode, type Selection, totals } from "../catalogue/selection";
import type { PickerState } from "../catalogue/state";
import { strings } from "../catalogue/strings";
import type { PickerWidget } from "../protocol";
import { CopyButton } from "../ui/CopyButton";
import { useHost } from "../ui/host";
import { InsertButton } from "../ui/InsertButton";
import { IconButton } from "../ui/icons";
import { useResource } from "../ui/resource";
import { strings as shared } from "../ui/strings";
import { Chips, focusSearch } from "./Chips";

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
  /** Why the code could not be copied, until the next attempt. */
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
              // The button disappears with the selection.
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

/** Visible after the first step. */
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

interface CopyCodeProps {
  selection: Selection;
  /** Receives the error message; empty at the next attempt. */
  onFailed(why: string): void;
}

/** The selection as Python code, which the kernel writes. */
function CopyCode({ selection, onFailed }: CopyCodeProps) {
  const { requests, lifetime } = useHost<PickerWidget>();
  const write = async () => {
    const options = { key: "code", signal: lifetime };
    return (await requests.request("code", { selection }, options)).data.code;
  };
  return (
    <>
      <InsertButton code={write} onFailed={onFailed} />
      <CopyButton
        of={selection}
        text={write}
        icon="code"
        label={strings.copyCode}
        onFailed={onFailed}
      />
    </>
  );
}

/**
 * The size of the audience that the selected answers define; an outdated size is greyed until the
 * new one arrives.
 */
function AudienceSize({ selection }: { selection: Selection }) {
  const { requests } = useHost<PickerWidget>();
  const { data, failure, isStale } = useResource(selection, async (signal) => {
    const options = { key: "size", signal };
    return (await requests.request("size", { selection }, options)).data;
  });
  if (failure) return <div class="al-error">{shared.failed(failure)}</div>;
  return (
    <div class={`al-picker-size ${data && !isStale ? "" : "al-stale"}`} role="status">
      {data ? strings.size(data.size, data.percentage, data.sample) : strings.sizing}
    </div>
  );
}
