/** The question picker: search and tree, details on demand, and the tray of selected questions. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Catalogue, loadCatalogue } from "../catalogue/model";
import { TreeView, useRecent } from "../catalogue/QuestionTree";
import type { Selection } from "../catalogue/selection";
import { totals } from "../catalogue/selection";
import { createPickerState } from "../catalogue/state";
import { strings } from "../catalogue/strings";
import type { Row } from "../catalogue/tree";
import type { PickerWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { pressUndo } from "../ui/keyboard";
import { useResource } from "../ui/resource";
import { strings as shared } from "../ui/strings";
import { Details } from "./Details";
import { Tray } from "./Tray";

export function Picker({ host }: { host: WidgetHost<PickerWidget> }) {
  const { data: catalogue, failure, retry } = useResource(host, () => loadCatalogue(host.requests));
  if (catalogue) return <Loaded host={host} catalogue={catalogue} />;
  if (!failure) return <Skeleton />;
  return (
    <div class="al-empty">
      <span class="al-error">{strings.failed(failure)}</span>{" "}
      <button type="button" class="al-link" onClick={retry}>
        {shared.retry}
      </button>
    </div>
  );
}

function Loaded({ host, catalogue }: { host: WidgetHost<PickerWidget>; catalogue: Catalogue }) {
  const selection = host.trait("selection");
  const mode = host.trait("mode").value;
  const showDetails = useSignal(false);
  const recent = useRecent();
  const select = (next: Selection, row?: Row) => {
    const before = totals(selection.peek(), catalogue).datapoints;
    selection.set(next);
    const after = totals(next, catalogue).datapoints;
    const say = after >= before ? strings.added : strings.removed;
    host.announce(row ? say(rowName(catalogue, row), after) : strings.pickedMany(after));
  };
  const state = useMemo(
    () =>
      createPickerState({
        catalogue,
        selection: selection.signal,
        mode,
        recent,
        onSelect: select,
        onOthers: selection.onOthers,
        onLocked: (question) => {
          showDetails.value = true;
          host.announce(strings.lockedWhy(catalogue.questions[question]?.name ?? ""));
        },
      }),
    [catalogue, mode],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles one more key of the controls inside
    <div class="al-picker" onKeyDown={(event) => void pressUndo(event, state)}>
      <div class="al-picker-columns" data-details={showDetails.value}>
        <TreeView state={state}>
          <IconButton
            icon="info"
            label={strings.details}
            aria-pressed={showDetails.value}
            onClick={() => {
              showDetails.value = !showDetails.value;
            }}
          />
        </TreeView>
        {showDetails.value && <Details catalogue={catalogue} question={state.focused} />}
      </div>
      <Tray state={state} selection={selection.value} onSelect={select} />
    </div>
  );
}

function rowName(catalogue: Catalogue, row: Row): string {
  if (row.kind === "category") return catalogue.categories[row.category]?.name ?? "";
  const question = catalogue.questions[row.question];
  return (
    (row.kind === "datapoint" && question?.datapoints.names[row.datapoint]) || question?.name || ""
  );
}

/**
 * Placeholder rows of the right height, so that the layout is stable when the catalogue arrives.
 */
function Skeleton() {
  return (
    <div class="al-picker" role="status" aria-label={strings.loading}>
      <div class="al-list al-picker-tree al-picker-loading">
        {[34, 52, 41, 60, 38, 47, 30, 55].map((width) => (
          <div key={width} class="al-list-row al-picker-row">
            <div class="al-skeleton" style={{ width: `${width}%` }} />
          </div>
        ))}
      </div>
    </div>
  );
}
