/** The panel of the lines: find one, what they are sorted and filtered by, what is hidden. */
import "./lines.css";
import { useMemo } from "preact/hooks";
import { Icon, IconButton } from "../../../shared/icons";
import { Popover, usePopover } from "../../../shared/Popover";
import type { Controller } from "../controller";
import { type MetricKey, metricLabel } from "../metrics";
import type { By, Level } from "../order";
import type { Table } from "../table";
import { Apart } from "./Apart";
import { Filters } from "./Filters";
import { Find } from "./Find";
import { nameOf, Part, sideWord } from "./Part";
import { across, type Side } from "./plan";
import { words } from "./strings";

interface Props {
  controller: Controller;
}

/** `asksKernel`: whether there is one, for what looks through more than a page has. */
export function LinesPanel({ controller, asksKernel = true }: Props & { asksKernel?: boolean }) {
  const { isOpen, pressed, opener, panel } = usePopover("dialog", controller.arranging);
  // Opened by a key it gives the keyboard back to the table, wherever the cursor is by then.
  const from = useMemo(
    () => ({
      get current() {
        return pressed.current ? panel.anchor.current : controller.focused;
      },
    }),
    [controller],
  );
  controller.table.revision.value;
  return (
    <>
      <button
        type="button"
        class="al-button al-grid-menu"
        title={words.hint}
        aria-pressed={!controller.table.arranger.isPlain}
        {...opener}
      >
        {words.button}
        <Icon name="down" />
      </button>
      {isOpen && (
        <Popover label={words.hint} from={from} {...panel}>
          <div class="al-grid-lines">
            <Find controller={controller} />
            <Sorting controller={controller} />
            <Filters controller={controller} />
            <Hidden controller={controller} />
            <Heads controller={controller} />
            {asksKernel && <Apart controller={controller} />}
            {!controller.table.arranger.isPlain && (
              <button
                type="button"
                class="al-link al-grid-reset"
                title={words.resetHint}
                onClick={() => controller.actions.reset()}
              >
                {words.reset}
              </button>
            )}
          </div>
        </Popover>
      )}
    </>
  );
}

const SIDES = ["rows", "columns"] as const;

function Sorting({ controller }: Props) {
  const { table, actions } = controller;
  const sorts = SIDES.map((side) => ({ side, levels: table.arranger.plan(side).sort ?? [] }));
  if (sorts.every(({ levels }) => levels.length === 0)) return null;
  return (
    <Part label={words.sorting}>
      {sorts.flatMap(({ side, levels }) =>
        levels.map((level, i) => {
          const told = levelWords(table, side, level);
          const replaced = (other: Level | null) =>
            actions.setSort(
              side,
              levels.flatMap((one) => (one === level ? (other ?? []) : one)),
            );
          const turned = level.direction === "descending" ? "ascending" : "descending";
          return (
            <div key={`${side} ${i}`} class="al-grid-kept">
              <span class="al-clip" title={told}>
                {told}
              </span>
              <IconButton
                icon={level.direction === "descending" ? "down" : "up"}
                label={`${words.turn}: ${told}`}
                onClick={() => replaced({ ...level, direction: turned })}
              />
              <IconButton icon="close" label={words.unsort(told)} onClick={() => replaced(null)} />
            </div>
          );
        }),
      )}
    </Part>
  );
}

function levelWords(table: Table, side: Side, { by, direction, metric }: Level): string {
  const figure = metric ? ` (${metricLabel(metric as MetricKey, table.transposed.peek())})` : "";
  const name = byName(table, side, by);
  return words.level(sideWord(table, side), `${name}${figure}`, direction === "descending");
}

function byName(table: Table, side: Side, by: By): string {
  return typeof by === "number" ? nameOf(table, across(side), by) : words.own[by];
}

/** More than these are only counted. */
const MOST_LISTED = 50;

function Hidden({ controller }: Props) {
  const { table, actions } = controller;
  const parts = SIDES.map((side) => ({ side, lines: table.arranger.plan(side).hidden ?? [] }));
  if (parts.every(({ lines }) => lines.length === 0)) return null;
  return (
    <Part label={words.hidden}>
      {parts.flatMap(({ side, lines }) => [
        ...lines.slice(0, MOST_LISTED).map((line) => (
          <div key={`${side} ${line}`} class="al-grid-kept">
            <span class="al-clip">{nameOf(table, side, line)}</span>
            <button
              type="button"
              class="al-link"
              aria-label={words.showLine(nameOf(table, side, line))}
              onClick={() => actions.show(side, [line])}
            >
              {words.show}
            </button>
          </div>
        )),
        lines.length > 1 && (
          <button
            key={side}
            type="button"
            class="al-link al-grid-reset"
            onClick={() => actions.show(side)}
          >
            {words.showAll(lines.length, sideWord(table, side))}
          </button>
        ),
      ])}
    </Part>
  );
}

function Heads({ controller }: Props) {
  const { table, actions } = controller;
  const { rowSide } = table;
  if (table.sectionCount === 0) return null;
  return (
    <Part label={words.heads}>
      <div class="al-grid-kept">
        <button type="button" class="al-link" onClick={() => actions.foldAll(rowSide, true)}>
          {words.foldAll}
        </button>
        <button type="button" class="al-link" onClick={() => actions.foldAll(rowSide, false)}>
          {words.unfoldAll}
        </button>
      </div>
    </Part>
  );
}
