/** One row of the tree, with its ARIA attributes. */
import type { CSSProperties } from "preact";
import { count } from "../core/numbers";
import { Icon } from "../ui/icons";
import type { Word } from "../ui/matching";
import { Tick } from "../ui/Tick";
import { Marked, MarkedEnds } from "../ui/text";
import { dragQuestions } from "./dragging";
import { excerpt } from "./search";
import type { PickerState } from "./state";
import { strings } from "./strings";
import { RECENT, type Row } from "./tree";

/** The id of a row's element, for aria-activedescendant of the search box. */
export function rowId(id: string, row: Row): string {
  return `${id}-${row.key}`;
}

interface TreeRowProps {
  state: PickerState;
  row: Row;
  id: string;
  active: boolean;
  words: readonly Word[];
  style: CSSProperties;
  onPress(): void;
}

export function TreeRow({ state, row, id, active, words, style, onPress }: TreeRowProps) {
  const { name, code, locked, description } = describeRow(state, row);
  const checked = state.stateOf(row);
  const branch = row.kind === "category" || (row.kind === "question" && row.datapoints > 0);
  const tick = locked ? null : checked;
  const why = row.kind === "question" ? excerpt(`${name} ${code}`, description, words) : "";
  const press = () => {
    state.activeKey.value = row.key;
    onPress();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keys of all rows
    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant replaces focus
    <div
      id={id}
      role="treeitem"
      class={`al-list-row al-picker-row al-picker-${row.kind}`}
      style={{ ...style, "--level": row.level }}
      data-active={active}
      data-locked={locked}
      {...codesOf(state, row)}
      {...draggingOf(state, row, name)}
      title={name}
      aria-level={row.level}
      aria-setsize={row.setsize}
      aria-posinset={row.posinset}
      aria-expanded={row.kind === "datapoint" || !branch ? undefined : row.expanded}
      aria-checked={
        tick ? ({ none: "false", some: "mixed", all: "true" } as const)[tick] : undefined
      }
      aria-disabled={locked || undefined}
      onClick={() => {
        press();
        // A click on the name opens what has rows below it; a click on its box selects it.
        if (branch && !locked) state.toggleOpen(row);
        else state.tick(row);
      }}
    >
      <Twist
        row={row}
        branch={branch}
        onClick={() => {
          press();
          state.toggleOpen(row);
        }}
      />
      {tick && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a mouse target; the row has the state and the keys
        // biome-ignore lint/a11y/useKeyWithClickEvents: Space does the same from the search box
        <span
          class="al-picker-box"
          title={row.kind === "category" ? strings.pickBelow : undefined}
          onClick={(event) => {
            event.stopPropagation();
            press();
            state.tick(row);
          }}
        >
          <Tick state={tick} />
        </span>
      )}
      {locked && <Icon name="lock" label={strings.locked} />}
      <span class="al-picker-label">
        <span class="al-clip al-picker-name" dir="auto">
          <MarkedEnds label={name} words={words} />
        </span>
        {row.kind !== "category" && (
          <span class="al-picker-code al-code al-clip">
            <Marked label={code} words={words} />
          </span>
        )}
      </span>
      {why && (
        <span class="al-picker-why al-quiet al-clip" dir="auto">
          <Marked label={why} words={words} />
        </span>
      )}
      <span class="al-spacer" />
      {row.kind === "category" && <span class="al-number al-quiet">{count(row.questions)}</span>}
      {row.kind === "question" && <span class="al-number al-quiet">{count(row.datapoints)}</span>}
    </div>
  );
}

/** The codes of a row as data attributes, from which the sidebar reads what is dragged. */
function codesOf({ catalogue }: PickerState, row: Row): Record<`data-${string}`, string> {
  if (row.kind === "category") return {};
  const question = catalogue.questions[row.question];
  if (!question?.accessible) return {};
  const code = row.kind === "datapoint" && question.datapoints.codes[row.datapoint];
  return { "data-question": question.code, ...(code && { "data-datapoint": code }) };
}

/** What dragging a row carries; a question carries all its answers. */
function draggingOf({ catalogue }: PickerState, row: Row, label: string) {
  const question = row.kind === "category" ? undefined : catalogue.questions[row.question];
  if (!question?.accessible) return {};
  const code = row.kind === "datapoint" ? question.datapoints.codes[row.datapoint] : undefined;
  const datapoints = code === undefined ? [] : [code];
  return {
    draggable: true,
    onDragStart: (event: DragEvent) =>
      dragQuestions(event, [{ question: question.code, datapoints, suffixes: [] }], label),
  };
}

function describeRow({ catalogue }: PickerState, row: Row) {
  if (row.kind === "category") {
    const known = catalogue.categories[row.category]?.name ?? "";
    const name = row.category === RECENT ? strings.recent : known;
    return { name, code: "", locked: false, description: "" };
  }
  const question = catalogue.questions[row.question];
  const locked = question?.accessible === false;
  const description = question?.description ?? "";
  if (row.kind === "question") {
    const code = question?.code ?? "";
    return { name: question?.name || code, code, locked, description };
  }
  const code = question?.datapoints.codes[row.datapoint] ?? "";
  return { name: question?.datapoints.names[row.datapoint] || code, code, locked, description };
}

/**
 * The triangle that opens and closes a row; an empty box of the same width for a row without
 * children.
 */
function Twist({ row, branch, onClick }: { row: Row; branch: boolean; onClick(): void }) {
  if (row.kind === "datapoint" || !branch) return <span class="al-twist" />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a mouse target; the row has the state and the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys do the same from the search box
    <span
      class="al-twist"
      data-open={row.expanded}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      <Icon name="right" />
    </span>
  );
}
