/** The crosstab widget: query bar, toolbar, table, and details of a cell. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { GridWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";
import { useCellDetails } from "./export/cellDetails";
import { DetailsPanel } from "./export/DetailsPanel";
import { SendBar } from "./export/SendBar";
import { GridBody, useGrid } from "./GridBody";
import { Toolbar } from "./panels/Toolbar";
import { withArrivals } from "./query/arrivals";
import type { OpenPanel } from "./query/commands";
import { useHeaderCommands } from "./query/HeaderCommands";
import { QueryBar } from "./query/QueryBar";
import { createQueryEditor } from "./query/queryEditor";
import { questionDrop } from "./query/questionDrop";
import { SelectionBar } from "./query/SelectionBar";

export function Grid({ host }: { host: WidgetHost<GridWidget> }) {
  const grid = useGrid(host);
  const { table, controller } = grid;
  const details = useCellDetails(controller);
  const open = useSignal<OpenPanel | null>(null);
  const present = useRef(controller);
  present.current = controller;
  const editor = useMemo(
    () => withArrivals(createQueryEditor(host), table, present, open),
    [host, table, open],
  );
  const edits = useHeaderCommands(editor, table.view, open);
  const summary = editor.summary.value;
  // The base alone is 100%: its cell needs no explanation and no legend.
  const isBaseAlone = summary !== undefined && summary.rows.count + summary.columns.count === 0;
  const asked = [summary?.rows.question, summary?.columns.question].filter(Boolean).join(" × ");
  useLayoutEffect(() => {
    table.lineCommands.value = edits.commands;
    table.formChoice.value = edits.formChoice;
    table.view.asked.value = asked;
  }, [table, edits.commands, edits.formChoice, asked]);
  return (
    <div class="al-grid">
      <div class="al-grid-bars">
        <QueryBar host={host} editor={editor} />
        {edits.panel}
        <Toolbar grid={grid} Copy={SendBar} Selection={SelectionBar} />
      </div>
      <GridBody
        grid={grid}
        details={details}
        explains={!isBaseAlone}
        drop={questionDrop(editor, (event) => controller?.viewport.sideAt(event) ?? "rows")}
      />
      {details && <DetailsPanel details={details} />}
    </div>
  );
}
