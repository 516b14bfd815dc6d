/**
 * The crosstab grid: a bar of controls, the table, a line about the focused cell, and a legend.
 * The table itself is painted by hand (see `painter.ts`); everything around it is small and
 * drawn by components.
 */
import "./grid.css";
import "./table.css";
import "./headers.css";
import "./cells.css";
import "./taking/taking.css";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WidgetHost } from "../../shared/host";
import { usePageId } from "../../shared/ids";
import { CellDetails } from "./CellDetails";
import { Controller } from "./controller";
import { Legend } from "./Legend";
import { LineMenu } from "./lines/LineMenu";
import { QuestionDesk } from "./question/desk";
import { useLineEdits } from "./question/LineEdits";
import { QuestionBar } from "./question/QuestionBar";
import { strings } from "./strings";
import { Toolbar } from "./Toolbar";
import { Trouble } from "./Trouble";
import { Table } from "./table";
import { CellInFull } from "./taking/CellInFull";
import { useDrill } from "./taking/drill";

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
  const drill = useDrill(controller);
  const desk = useMemo(() => new QuestionDesk(host), [host]);
  const edits = useLineEdits(desk);
  useLayoutEffect(() => {
    table.lineCommands.value = edits.commands;
  }, [table, edits.commands]);
  const { rows = 0, columns = 0 } = table.state.value ?? {};
  const empty = rows === 0 || columns === 0;
  const told = desk.told.value;
  // The base by itself is 100 of 100: there is nothing to say of its cell, nor of colours.
  const isBaseAlone = told !== undefined && told.rows.count + told.columns.count === 0;
  const [down, across] = table.transposed.value ? [columns, rows] : [rows, columns];
  const { metrics, bar } = table.showing.style.value;
  const barLine = bar ? metrics.indexOf(bar) + 1 : 0;
  return (
    <div class="al-grid">
      <QuestionBar host={host} desk={desk} />
      {edits.panel}
      <Toolbar table={table} controller={controller} />
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
        <CellDetails id={detailsId} table={table} controller={controller} drill={drill} />
      )}
      {drill && <CellInFull drill={drill} />}
      {controller && <LineMenu controller={controller} />}
      {!empty && !isBaseAlone && <Legend table={table} />}
    </div>
  );
}
