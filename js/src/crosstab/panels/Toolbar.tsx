/** The bar over the table: which figure, how far the table is, and what can be done with it. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { IconButton } from "../../ui/icons";
import { KeyHelp } from "../../ui/KeyHelp";
import type { Table } from "../data/table";
import { CopyMenu } from "../export/CopyMenu";
import type { Exporter } from "../export/exporter";
import { strings } from "../strings";
import type { Controller } from "../view/controller";
import { ArrangePanel } from "./ArrangePanel";
import { DisplayMenu } from "./DisplayMenu";
import { MetricSwitch } from "./MetricSwitch";
import { words } from "./strings";

interface Props {
  table: Table;
  controller: Controller | null;
  exporter: Exporter | null;
}

export function Toolbar({ table, controller, exporter }: Props) {
  // Wherever the cursor is by then: its element shows something else when the table is scrolled.
  const focused = useMemo(
    () => ({
      get current() {
        return controller?.focused ?? null;
      },
    }),
    [controller],
  );
  return (
    <div class="al-bar al-grid-bar">
      <MetricSwitch table={table} />
      <DisplayMenu table={table} />
      <IconButton
        icon="swap"
        label={strings.transpose}
        aria-pressed={table.transposed.value}
        onClick={() => table.transpose()}
      />
      {controller && <ArrangePanel controller={controller} />}
      {controller && exporter && <CopyMenu controller={controller} exporter={exporter} />}
      <span class="al-spacer" />
      <ProgressLine table={table} />
      {controller && (
        <KeyHelp label={words.help} keys={words.keys} open={controller.helping} from={focused} />
      )}
    </div>
  );
}

/** Quiet when the table is complete; a bar, a count and a stop while it is not. */
function ProgressLine({ table }: { table: Table }) {
  const progress = table.progress.value;
  const { rows = 0, columns = 0 } = table.state.value ?? {};
  const all = rows * columns;
  useAnnouncedEnd(table, all);
  if (!progress || all === 0 || progress.phase === "done") return null;
  const done = progress.cells;
  if (progress.phase === "running") {
    return (
      <span class="al-grid-progress" title={strings.progress(done, all)}>
        <span class="al-quiet al-grid-count">{strings.progress(done, all)}</span>
        <progress max={all} value={done} aria-label={strings.progress(done, all)} />
        <IconButton icon="stop" label={strings.stop} onClick={() => table.cancel()} />
      </span>
    );
  }
  return (
    <span class="al-grid-progress">
      {progress.phase === "cancelled" && <span class="al-quiet">{strings.stopped(done, all)}</span>}
      <button type="button" class="al-link" onClick={() => table.restart()}>
        {strings.again}
      </button>
    </span>
  );
}

/** Says once, when a table that was being counted is complete. */
function useAnnouncedEnd(table: Table, all: number): void {
  const { phase = "done", generation = -1 } = table.progress.value ?? {};
  const running = useRef(-1);
  useEffect(() => {
    if (phase === "running") running.current = generation;
    if (phase === "done" && running.current === generation) {
      running.current = -1;
      table.announce(strings.counted(all));
    }
  }, [table, phase, generation, all]);
}
