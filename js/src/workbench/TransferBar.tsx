/** The bars below the panes: they transfer what is selected or built in one pane to another. */
import { useSignal } from "@preact/signals";
import { failureOf } from "../core/answers";
import type { AnswerOf, ArgsOf } from "../core/requests";
import type { GridWidget, PickerWidget, WorkbenchWidget } from "../protocol";
import { BareSelect } from "../ui/Field";
import { grids as gridForms } from "../ui/grids";
import { useHost, type WidgetHost } from "../ui/host";
import { Icon } from "../ui/icons";
import { words } from "./strings";

type Side = "rows" | "columns";
type How = keyof typeof words.hows;
type Grids = keyof typeof gridForms;
type Transfer = "add" | "condition" | "base" | "edit";

/**
 * Sends a request to the workbench, announces the result, and shows it beside the buttons until the
 * next.
 */
function useCarrying() {
  const { requests, announce, lifetime } = useHost<WorkbenchWidget>();
  const said = useSignal("");
  const failed = useSignal(false);
  const carry = async <O extends Transfer>(
    op: O,
    args: ArgsOf<WorkbenchWidget, O>,
    tell: (data: AnswerOf<WorkbenchWidget, O>) => string,
    onDone?: () => void,
  ) => {
    try {
      const { data } = await requests.request(op, args, { signal: lifetime });
      said.value = tell(data);
      failed.value = false;
      onDone?.();
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) return;
      said.value = failure;
      failed.value = true;
    }
    announce(said.value);
  };
  const line = (
    <span class={`al-workbench-note ${failed.value ? "al-error" : "al-quiet"}`}>{said.value}</span>
  );
  return { carry, line };
}

interface ActionProps {
  label: string;
  /** What it does, where the label only names the target. */
  does?: string;
  /** Why it is unavailable. */
  not?: string | undefined;
  onDo(): void;
}

function Action({ label, does, not, onDo }: ActionProps) {
  return (
    <button
      type="button"
      class="al-button"
      aria-label={does}
      aria-disabled={not !== undefined}
      title={not ?? does}
      onClick={() => {
        if (not === undefined) onDo();
      }}
    >
      {does && <Icon name="plus" />}
      {label}
    </button>
  );
}

/** Adds the selected questions to the table, or to the audience. */
export function CarryPicks({ picker }: { picker: WidgetHost<PickerWidget> }) {
  const { carry, line } = useCarrying();
  const how = useSignal<How>("split");
  const grids = useSignal<Grids>("distribution");
  const selection = picker.trait("selection");
  const not = selection.value.length === 0 ? words.pickFirst : undefined;
  // Later selections are a new addition; undo restores these.
  const clear = () => selection.set([]);
  const add = (side: Side) =>
    carry(
      "add",
      {
        side,
        how: how.value,
        ...(how.value === "split" && { grids: grids.value }),
        selection: selection.peek(),
      },
      ({ lines }) => words.added(lines, side),
      clear,
    );
  return (
    <div class="al-bar al-workbench-bar">
      <BareSelect
        label={words.how}
        value={how.value}
        options={Object.entries(words.hows) as [How, string][]}
        onChange={(chosen) => {
          how.value = chosen;
        }}
      />
      {how.value === "split" && (
        <BareSelect
          label={words.grids}
          value={grids.value}
          options={Object.entries(gridForms) as [Grids, string][]}
          onChange={(chosen) => {
            grids.value = chosen;
          }}
        />
      )}
      <Action label={words.rows} does={words.toRows} not={not} onDo={() => add("rows")} />
      <Action label={words.columns} does={words.toColumns} not={not} onDo={() => add("columns")} />
      <Action
        label={words.audience}
        does={words.toAudience}
        not={not}
        onDo={() =>
          carry("condition", { selection: selection.peek() }, () => words.conditions, clear)
        }
      />
      {line}
    </div>
  );
}

/** Makes the audience the table's base, or an item of it. */
export function CarryAudience() {
  const { carry, line } = useCarrying();
  const add = (side: Side) =>
    carry("add", { side, source: "editor" }, ({ lines }) => words.added(lines, side));
  return (
    <div class="al-bar al-workbench-bar">
      <Action
        label={words.useAsBase}
        onDo={() => carry("base", {}, ({ everyone }) => words.based(everyone))}
      />
      <Action label={words.asRow} onDo={() => add("rows")} />
      <Action label={words.asColumn} onDo={() => add("columns")} />
      {line}
    </div>
  );
}

/** Opens the respondents of the selected cells in the editor. */
export function CarryCells({ grid, onEdit }: { grid: WidgetHost<GridWidget>; onEdit(): void }) {
  const { carry, line } = useCarrying();
  const { rows, columns } = grid.trait("_selected_cells").value;
  const cells = rows.length * columns.length;
  return (
    <div class="al-bar al-workbench-bar">
      <Action
        label={cells > 1 ? words.editCells : words.editCell}
        not={cells === 0 ? words.selectFirst : undefined}
        onDo={() =>
          carry("edit", {}, () => {
            onEdit();
            return words.edited;
          })
        }
      />
      {line}
    </div>
  );
}
