/** The bar over the table: which figure, how far the table is, and what can be done with it. */
import { useEffect, useRef } from "preact/hooks";
import { Icon, IconButton } from "../../shared/icons";
import type { Controller } from "./controller";
import { cellsIn, rangeOf } from "./cursor";
import { METRICS, metricLabel, metricMeaning } from "./metrics";
import { strings } from "./strings";
import type { Table } from "./table";

interface Props {
  table: Table;
  controller: Controller | null;
}

export function Toolbar({ table, controller }: Props) {
  const selected = controller ? cellsIn(rangeOf(controller.cursor.value)) : 0;
  return (
    <div class="al-bar al-grid-bar">
      <MetricSwitch table={table} />
      <IconButton
        icon="swap"
        label={strings.transpose}
        aria-pressed={table.transposed.value}
        onClick={() => table.transpose()}
      />
      <button
        type="button"
        class="al-button al-grid-copy"
        title={strings.copyHint}
        onClick={() => controller?.copy()}
      >
        <Icon name="copy" />
        {selected > 1 ? strings.copyCells(selected) : strings.copyTable}
      </button>
      <span class="al-spacer" />
      <ProgressLine table={table} />
    </div>
  );
}

function MetricSwitch({ table }: { table: Table }) {
  const chosen = table.metricKey.value;
  const transposed = table.transposed.value;
  const group = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const now = METRICS.findIndex(({ key }) => key === chosen);
    const next = (now + by + METRICS.length) % METRICS.length;
    table.metricKey.set(METRICS[next]?.key ?? "index");
    group.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div
      class="al-segmented"
      role="radiogroup"
      aria-label={strings.metrics}
      ref={group}
      onKeyDown={step}
    >
      {METRICS.map(({ key }) => (
        // biome-ignore lint/a11y/useSemanticElements: a segmented switch is a radio group
        <button
          key={key}
          type="button"
          role="radio"
          aria-checked={key === chosen}
          tabIndex={key === chosen ? 0 : -1}
          title={metricMeaning(key, transposed)}
          onClick={() => table.metricKey.set(key)}
        >
          {metricLabel(key, transposed)}
        </button>
      ))}
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
      <span class="al-grid-progress">
        <span class="al-quiet">{strings.progress(done, all)}</span>
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
