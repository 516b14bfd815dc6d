/**
 * The crosstab grid: a bar of controls, the table, a line about the focused cell, and a legend.
 * The table itself is painted by hand (see `painter.ts`); everything around it is small and
 * drawn by components.
 */
import "./grid.css";
import "./view/table.css";
import "./view/headers.css";
import "./view/cells.css";
import "./export/export.css";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePageId } from "../core/ids";
import type { WidgetHost } from "../ui/host";
import { Table } from "./data/table";
import { useCellDetails } from "./export/cellDetails";
import { DetailsPanel } from "./export/DetailsPanel";
import { Exporter } from "./export/exporter";
import { CellDetails } from "./panels/CellDetails";
import { HeaderMenu } from "./panels/HeaderMenu";
import { Legend } from "./panels/Legend";
import { Toolbar } from "./panels/Toolbar";
import { Trouble } from "./panels/Trouble";
import { useHeaderCommands } from "./query/HeaderCommands";
import { QueryBar } from "./query/QueryBar";
import { createQueryEditor } from "./query/queryEditor";
import { SelectionBar } from "./query/SelectionBar";
import { strings } from "./strings";
import { Controller } from "./view/controller";

export function Grid({ host }: { host: WidgetHost }) {
  const table = useMemo(() => new Table(host), [host]);
  const scroller = useRef<HTMLDivElement>(null);
  const [controller, setController] = useState<Controller | null>(null);
  const detailsId = usePageId("grid-details");
  // Not before it is in the page and has a width: it would be laid out for no room, and once more.
  useEffect(() => {
    if (scroller.current) {
      setController(new Controller(host, table, scroller.current, detailsId));
    }
  }, [host, table, detailsId]);
  const details = useCellDetails(controller);
  const exporter = useMemo(
    () => controller && new Exporter(host, table, controller),
    [host, table, controller],
  );
  const editor = useMemo(() => createQueryEditor(host), [host]);
  const edits = useHeaderCommands(editor);
  useLayoutEffect(() => {
    table.lineCommands.value = edits.commands;
  }, [table, edits.commands]);
  const { rows = 0, columns = 0 } = table.state.value ?? {};
  const empty = rows === 0 || columns === 0;
  const summary = editor.summary.value;
  // The base by itself is 100 of 100: there is nothing to say of its cell, nor of colours.
  const isBaseAlone = summary !== undefined && summary.rows.count + summary.columns.count === 0;
  const [down, across] = table.transposed.value ? [columns, rows] : [rows, columns];
  const { metrics, bar } = table.showing.style.value;
  const barLine = bar ? metrics.indexOf(bar) + 1 : 0;
  return (
    <div class="al-grid">
      <div class="al-query-area">
        <QueryBar host={host} editor={editor} />
        {controller && <SelectionBar controller={controller} />}
      </div>
      {edits.panel}
      <Toolbar table={table} controller={controller} exporter={exporter} />
      <Trouble table={table} />
      {empty && <div class="al-empty">{strings.empty}</div>}
      {/* biome-ignore lint/a11y/useSemanticElements: a table element cannot be windowed on both axes */}
      <div
        ref={scroller}
        class="al-grid-scroller"
        role="grid"
        aria-label={strings.grid(down, across)}
        aria-multiselectable="true"
        data-lines={metrics.length}
        data-bar={barLine || undefined}
        data-phase={table.progress.value?.phase}
        aria-busy={table.progress.value?.phase === "running"}
        hidden={empty}
      />
      {!empty && !isBaseAlone && (
        <CellDetails id={detailsId} table={table} controller={controller} drill={details} />
      )}
      {details && <DetailsPanel details={details} />}
      {controller && exporter && <HeaderMenu {...{ controller, details, exporter }} />}
      {!empty && !isBaseAlone && <Legend table={table} />}
    </div>
  );
}
