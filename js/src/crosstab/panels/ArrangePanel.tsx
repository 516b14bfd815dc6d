/** The rows & columns panel: find an item, sort, filter, show hidden ones, collapse groups. */
import "./panels.css";
import { useMemo } from "preact/hooks";
import { Icon, IconButton } from "../../ui/icons";
import { Popover, usePopover } from "../../ui/Popover";
import type { Level } from "../arrangement/order";
import { across, type Side } from "../arrangement/plan";
import type { MetricKey } from "../metrics/metrics";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";
import { Entry, Filters, nameOf, Part, SIDES, sideWord } from "./Filters";
import { Find } from "./Find";
import { words } from "./strings";
import { TopDifferences } from "./TopDifferences";

interface Props {
  controller: Controller;
}

/** `asksKernel`: whether there is a kernel, which filters and sorts of the whole table need. */
export function ArrangePanel({ controller, asksKernel = true }: Props & { asksKernel?: boolean }) {
  const { table, actions, arranging } = controller;
  const { isOpen, pressed, opener, panel } = usePopover("dialog", arranging);
  // If a key opened the panel, closing it returns the focus to the cursor's cell.
  const from = useMemo(
    () => ({
      get current() {
        return pressed.current ? panel.anchor.current : controller.viewport.focused;
      },
    }),
    [controller],
  );
  table.revision.value;
  const { isPlain } = table.view.arranger;
  return (
    <>
      <button
        type="button"
        class="al-button al-grid-menu"
        title={words.hint}
        aria-pressed={!isPlain}
        {...opener}
      >
        {words.button}
        <Icon name="down" />
      </button>
      {isOpen && (
        <Popover label={words.hint} from={from} {...panel}>
          <div class="al-grid-arrange">
            <Find controller={controller} asksKernel={asksKernel} />
            <Sorting controller={controller} />
            <Filters controller={controller} />
            <Hidden controller={controller} />
            {table.view.sectionCount > 0 && (
              <Part label={words.groups}>
                <div class="al-grid-entry">
                  {[true, false].map((fold) => (
                    <button
                      key={String(fold)}
                      type="button"
                      class="al-link"
                      onClick={() => actions.foldAll(table.view.rows.side, fold)}
                    >
                      {fold ? words.foldAll : words.unfoldAll}
                    </button>
                  ))}
                </div>
              </Part>
            )}
            {asksKernel && <TopDifferences controller={controller} />}
            {/* Disabled and not removed: the focus stays on it. */}
            <button
              type="button"
              class="al-link al-grid-reset"
              title={words.resetHint}
              aria-disabled={isPlain}
              onClick={() => isPlain || actions.reset()}
            >
              {words.reset}
            </button>
          </div>
        </Popover>
      )}
    </>
  );
}

function Sorting({ controller }: Props) {
  const { table, actions } = controller;
  const entries = SIDES.flatMap((side) => {
    const levels = table.view.arranger.plan(side).sort ?? [];
    return levels.map((level, i) => {
      const text = levelWords(table, side, level);
      const replace = (other: Level[]) => actions.setSort(side, levels.toSpliced(i, 1, ...other));
      const isDescending = level.direction === "descending";
      return (
        <Entry key={`${side} ${i}`} text={text}>
          <IconButton
            icon={isDescending ? "down" : "up"}
            label={`${words.turn}: ${text}`}
            onClick={() =>
              replace([{ ...level, direction: isDescending ? "ascending" : "descending" }])
            }
          />
          <IconButton icon="close" label={words.unsort(text)} onClick={() => replace([])} />
        </Entry>
      );
    });
  });
  return entries.length > 0 ? <Part label={words.sorting}>{entries}</Part> : null;
}

function levelWords(table: Table, side: Side, { by, direction, metric }: Level): string {
  const label = metric ? `, ${table.view.metricLabel(metric as MetricKey)}` : "";
  const name = typeof by === "number" ? nameOf(table, across(side), by) : words.own[by];
  return words.level(sideWord(table, side), `${name}${label}`, direction === "descending");
}

const MAX_LISTED = 50;

function Hidden({ controller }: Props) {
  const { table, actions } = controller;
  const entries = SIDES.flatMap((side) => {
    const hidden = table.view.arranger.plan(side).hidden ?? [];
    return [
      ...hidden.slice(0, MAX_LISTED).map((item) => {
        const name = nameOf(table, side, item);
        return (
          <Entry key={`${side} ${item}`} text={name}>
            <button
              type="button"
              class="al-link"
              aria-label={words.showLine(name)}
              onClick={() => actions.show(side, [item])}
            >
              {words.show}
            </button>
          </Entry>
        );
      }),
      hidden.length > 1 && (
        <button
          key={side}
          type="button"
          class="al-link al-grid-reset"
          onClick={() => actions.show(side)}
        >
          {words.showAll(hidden.length, sideWord(table, side))}
        </button>
      ),
    ].filter(Boolean);
  });
  return entries.length > 0 ? <Part label={words.hidden}>{entries}</Part> : null;
}
