/**
 * The table with its legend, details line and menus, for a live and for a saved crosstab. The table
 * is painted without components (see `painter.ts`).
 */
import "./grid.css";
import "./view/table.css";
import "./view/headers.css";
import "./view/cells.css";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePageId } from "../core/ids";
import type { GridWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";
import type { CellDetailsState } from "./export/cellDetails";
import { Exporter } from "./export/exporter";
import { Footer } from "./panels/Footer";
import { HeaderMenu } from "./panels/HeaderMenu";
import { StatisticRows } from "./panels/StatisticRows";
import type { questionDrop } from "./query/questionDrop";
import { strings } from "./strings";
import { Table } from "./table/table";
import { Controller } from "./view/controller";
import { HeaderTools } from "./view/headerTools";
import { Keys } from "./view/keys";
import { Pointing } from "./view/pointing";

/** The parts of a grid; those that need the table's element are null until it is mounted. */
export function useGrid(host: WidgetHost<GridWidget>) {
  const table = useMemo(() => new Table(host), [host]);
  const scroller = useRef<HTMLDivElement>(null);
  const [controller, setController] = useState<Controller | null>(null);
  const detailsId = usePageId("grid-details");
  // Waits until the element is in the page and has a width, so that the table is laid out once.
  useEffect(() => {
    if (!scroller.current) return;
    const made = new Controller(host, table, scroller.current, detailsId);
    for (const Listener of [Keys, Pointing, HeaderTools]) new Listener(made, host.lifetime);
    setController(made);
  }, [host, table, detailsId]);
  const exporter = useMemo(
    () => controller && new Exporter(host, table, controller),
    [host, table, controller],
  );
  return { table, scroller, controller, detailsId, exporter };
}

interface GridBodyProps {
  grid: ReturnType<typeof useGrid>;
  /** null without a kernel. */
  details: CellDetailsState | null;
  /** Whether the line about the focused cell, the legend and the notes are shown. */
  explains?: boolean;
  drop?: ReturnType<typeof questionDrop>;
}

export function GridBody({ grid, details, explains = true, drop }: GridBodyProps) {
  const { table, scroller, controller, detailsId, exporter } = grid;
  const { rows = 0, columns = 0 } = table.session.state.value ?? {};
  const isEmpty = rows === 0 || columns === 0;
  const [down, across] = table.view.transposed.value ? [columns, rows] : [rows, columns];
  const { metrics, bar } = table.settings.style.value;
  const phase = table.session.progress.value?.phase;
  return (
    <>
      {isEmpty && <div class="al-empty">{strings.empty}</div>}
      {/* biome-ignore lint/a11y/useSemanticElements: a table element cannot be windowed on both axes */}
      <div
        ref={scroller}
        class="al-grid-scroller"
        role="grid"
        aria-label={strings.grid(down, across)}
        aria-multiselectable="true"
        data-lines={metrics.length}
        data-bar={bar ? metrics.indexOf(bar) + 1 : undefined}
        data-phase={phase}
        data-behind={table.isBehind || undefined}
        aria-busy={phase === "running"}
        {...drop}
        hidden={isEmpty}
      />
      {!isEmpty && <StatisticRows table={table} />}
      {!isEmpty && explains && (
        <Footer id={detailsId} table={table} controller={controller} drill={details} />
      )}
      {controller && exporter && <HeaderMenu {...{ controller, details, exporter }} />}
    </>
  );
}
