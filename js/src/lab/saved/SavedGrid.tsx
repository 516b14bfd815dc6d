/**
 * A saved crosstab: the grid's own table, switch, menus and legend, without what needs a kernel
 * (the question, files, charts, letters).
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePageId } from "../../core/ids";
import { Table } from "../../crosstab/data/table";
import { CopyTable } from "../../crosstab/export/CopyMenu";
import { Exporter } from "../../crosstab/export/exporter";
import { METRICS } from "../../crosstab/metrics/metrics";
import { ArrangePanel } from "../../crosstab/panels/ArrangePanel";
import { CellDetails } from "../../crosstab/panels/CellDetails";
import { DisplayMenu } from "../../crosstab/panels/DisplayMenu";
import { HeaderMenu } from "../../crosstab/panels/HeaderMenu";
import { Legend } from "../../crosstab/panels/Legend";
import { MetricSwitch } from "../../crosstab/panels/MetricSwitch";
import { words } from "../../crosstab/panels/strings";
import { Trouble } from "../../crosstab/panels/Trouble";
import { strings as grid } from "../../crosstab/strings";
import { Controller } from "../../crosstab/view/controller";
import type { WidgetHost } from "../../ui/host";
import { IconButton } from "../../ui/icons";
import { KeyHelp } from "../../ui/KeyHelp";
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
  const exporter = useMemo(
    () => controller && new Exporter(host, table, controller),
    [host, table, controller],
  );
  const { metrics, bar } = table.showing.style.value;
  const { rows, columns } = saved;
  const kept = [rows.names.length, columns.names.length] as const;
  return (
    <div class="al-grid">
      <div class="al-bar al-grid-bar">
        <MetricSwitch table={table} />
        <DisplayMenu table={table} offered={OFFERED} />
        <IconButton
          icon="swap"
          label={grid.transpose}
          aria-pressed={table.transposed.value}
          onClick={() => table.transpose()}
        />
        {controller && <ArrangePanel controller={controller} asksKernel={false} />}
        {controller && exporter && <CopyTable controller={controller} exporter={exporter} />}
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
      {controller && exporter && <HeaderMenu {...{ controller, exporter, details: null }} />}
      <Legend table={table} />
      {(kept[0] < rows.count || kept[1] < columns.count) && (
        <div class="al-quiet al-saved-part">
          {strings.part([kept[0], rows.count], [kept[1], columns.count])}
        </div>
      )}
    </div>
  );
}

function Help({ controller }: { controller: Controller }) {
  const focused = useRef<HTMLElement | null>(null);
  focused.current = controller.focused;
  return <KeyHelp label={words.help} keys={KEYS} open={controller.helping} from={focused} />;
}
