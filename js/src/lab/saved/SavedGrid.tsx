/**
 * A saved crosstab: the grid's own table, switch, menus and legend, without what needs a kernel
 * (the question, files, charts, letters).
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WidgetHost } from "../../shared/host";
import { Icon, IconButton } from "../../shared/icons";
import { usePageId } from "../../shared/ids";
import { KeyHelp } from "../../shared/KeyHelp";
import { CellDetails } from "../../widgets/grid/CellDetails";
import { Controller } from "../../widgets/grid/controller";
import { Legend } from "../../widgets/grid/Legend";
import { LineMenu } from "../../widgets/grid/lines/LineMenu";
import { LinesPanel } from "../../widgets/grid/lines/LinesPanel";
import { words } from "../../widgets/grid/lines/strings";
import { MetricSwitch } from "../../widgets/grid/MetricSwitch";
import { METRICS } from "../../widgets/grid/metrics";
import { Show } from "../../widgets/grid/Show";
import { strings as grid } from "../../widgets/grid/strings";
import { Trouble } from "../../widgets/grid/Trouble";
import { Table } from "../../widgets/grid/table";
import { useCopyKey } from "../../widgets/grid/taking/Take";
import { Taking } from "../../widgets/grid/taking/taking";
import type { SavedCrosstab } from "./format";
import { strings } from "./strings";

/** Letters are the kernel's to tell. */
const OFFERED = METRICS.map(({ key }) => key).filter((key) => key !== "letters");
const KEYS = words.keys.map(([keys, what]) =>
  keys === "Enter" ? ([keys, strings.enter] as const) : ([keys, what] as const),
);

interface Props {
  host: WidgetHost;
  saved: SavedCrosstab;
}

export function SavedGrid({ host, saved }: Props) {
  const table = useMemo(() => new Table(host), [host]);
  const scroller = useRef<HTMLDivElement>(null);
  const [controller, setController] = useState<Controller | null>(null);
  const detailsId = usePageId("saved-details");
  useEffect(() => {
    if (scroller.current) {
      setController(new Controller(host, table, scroller.current, detailsId));
    }
  }, [host, table, detailsId]);
  const { metrics, bar } = table.showing.style.value;
  const { rows, columns } = saved;
  const kept = [rows.names.length, columns.names.length] as const;
  return (
    <div class="al-grid">
      <div class="al-bar al-grid-bar">
        <MetricSwitch table={table} />
        <Show table={table} offered={OFFERED} />
        <IconButton
          icon="swap"
          label={grid.transpose}
          aria-pressed={table.transposed.value}
          onClick={() => table.transpose()}
        />
        {controller && <LinesPanel controller={controller} asksKernel={false} />}
        {controller && <Copy host={host} table={table} controller={controller} />}
        <span class="al-spacer" />
        {controller && <Help controller={controller} />}
      </div>
      <Trouble table={table} />
      {/* biome-ignore lint/a11y/useSemanticElements: a table element cannot be windowed on both axes */}
      <div
        ref={scroller}
        class="al-grid-scroller"
        role="grid"
        aria-label={grid.grid(...kept)}
        aria-multiselectable="true"
        data-lines={metrics.length}
        data-bar={bar ? metrics.indexOf(bar) + 1 : undefined}
        data-phase="done"
      />
      <CellDetails id={detailsId} table={table} controller={controller} drill={null} />
      {controller && <LineMenu controller={controller} />}
      <Legend table={table} />
      {(kept[0] < rows.count || kept[1] < columns.count) && (
        <div class="al-quiet al-saved-part">
          {strings.part([kept[0], rows.count], [kept[1], columns.count])}
        </div>
      )}
    </div>
  );
}

function Copy({
  host,
  table,
  controller,
}: {
  host: WidgetHost;
  table: Table;
  controller: Controller;
}) {
  const taking = useMemo(() => new Taking(host, table, controller), [host, table, controller]);
  useCopyKey(controller, taking);
  const { chosen } = taking;
  return (
    <button
      type="button"
      class="al-button"
      title={grid.copyHint}
      onClick={() => void taking.copy("table")}
    >
      <Icon name="copy" />
      {chosen > 0 ? grid.copyCells(chosen) : grid.copyTable}
    </button>
  );
}

function Help({ controller }: { controller: Controller }) {
  const focused = useRef<HTMLElement | null>(null);
  focused.current = controller.focused;
  return <KeyHelp label={words.help} keys={KEYS} open={controller.helping} from={focused} />;
}
