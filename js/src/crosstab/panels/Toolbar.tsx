/** The toolbar over the table: metric, progress, commands and errors. */
import type { FunctionComponent } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { BareSelect } from "../../ui/Field";
import { Icon, IconButton } from "../../ui/icons";
import { KeyHelp } from "../../ui/KeyHelp";
import type { Exporter } from "../export/exporter";
import { EVERYDAY, type MetricKey, metricOf } from "../metrics/metrics";
import { strings } from "../strings";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";
import { ArrangePanel } from "./ArrangePanel";
import { DisplayMenu } from "./DisplayMenu";
import { words } from "./strings";

interface Props {
  /** Those that need the table's element are null until it is mounted. */
  grid: { table: Table; controller: Controller | null; exporter: Exporter | null };
  /** The copy button, with or without other formats. */
  Copy: FunctionComponent<{ controller: Controller; exporter: Exporter }>;
  /** The buttons for selected rows and columns; without it there are none. */
  Selection?: FunctionComponent<{ controller: Controller }>;
  /** The metrics that this table can show; by default all. */
  offered?: readonly MetricKey[];
  keys?: readonly (readonly [string, string])[];
  /** Whether there is a kernel, which some commands need. */
  asksKernel?: boolean;
}

export function Toolbar(props: Props) {
  const { grid, Copy, Selection, offered, keys = words.keys, asksKernel = true } = props;
  const { table, controller, exporter } = grid;
  // The cursor's element, looked up on each access because scrolling reuses elements.
  const focused = useMemo(
    () => ({
      get current() {
        return controller?.viewport.focused ?? null;
      },
    }),
    [controller],
  );
  return (
    <>
      <div class="al-bar al-grid-bar">
        {controller && Selection && <Selection controller={controller} />}
        <MetricSwitch table={table} />
        <DisplayMenu table={table} {...(offered && { offered })} />
        <IconButton
          icon="swap"
          label={strings.transpose}
          aria-pressed={table.view.transposed.value}
          onClick={() => table.view.transpose()}
        />
        {controller && <ArrangePanel controller={controller} asksKernel={asksKernel} />}
        {controller && exporter && <Copy controller={controller} exporter={exporter} />}
        <span class="al-spacer" />
        <ProgressLine table={table} />
        {controller && (
          <KeyHelp label={words.help} keys={keys} open={controller.helping} from={focused} />
        )}
      </div>
      <ErrorMessage table={table} />
    </>
  );
}

/** The switch of the first metric in the cells; a list where the toolbar is too narrow for it. */
function MetricSwitch({ table }: { table: Table }) {
  const chosen = metricOf(table.settings.first.value).key;
  const { view } = table;
  // A metric chosen in the display menu is added, so that the switch has a checked option.
  const keys = EVERYDAY.includes(chosen) ? EVERYDAY : [...EVERYDAY, chosen];
  const group = useRef<HTMLDivElement>(null);
  const choose = (key: string) => table.settings.first.set(key);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = (keys.indexOf(chosen) + by + keys.length) % keys.length;
    choose(keys[next] as MetricKey);
    group.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <>
      <div
        class="al-segmented al-grid-switch"
        data-local
        role="radiogroup"
        aria-label={strings.metrics}
        ref={group}
        onKeyDown={step}
      >
        {keys.map((key) => (
          // biome-ignore lint/a11y/useSemanticElements: a segmented switch is a radio group
          <button
            key={key}
            type="button"
            role="radio"
            aria-checked={key === chosen}
            tabIndex={key === chosen ? 0 : -1}
            title={view.metricMeaning(key)}
            onClick={() => choose(key)}
          >
            {view.metricLabel(key)}
          </button>
        ))}
      </div>
      <BareSelect
        class="al-grid-switch-narrow"
        label={strings.metrics}
        value={chosen}
        options={keys.map((key) => [key, view.metricLabel(key)] as const)}
        onChange={choose}
      />
    </>
  );
}

/** Empty when the table is complete; progress bar, count and stop button while it is not. */
function ProgressLine({ table }: { table: Table }) {
  const progress = table.session.progress.value;
  const { rows = 0, columns = 0 } = table.session.state.value ?? {};
  const all = rows * columns;
  useAnnouncedEnd(table, all);
  if (!progress || all === 0 || progress.phase === "done") return null;
  const done = progress.cells;
  if (progress.phase === "running") {
    return (
      <span class="al-grid-progress" title={strings.progress(done, all)}>
        <span class="al-quiet al-grid-count">{strings.progress(done, all)}</span>
        <progress max={all} value={done} aria-label={strings.progress(done, all)} />
        <IconButton icon="stop" label={strings.stop} onClick={() => table.session.cancel()} />
      </span>
    );
  }
  if (progress.phase === "failed") return null;
  return (
    <span class="al-grid-progress">
      <span class="al-quiet" title={table.isBehind ? strings.behind : undefined}>
        {strings.stopped(done, all)}
      </span>
      <CountAgain table={table} />
    </span>
  );
}

function CountAgain({ table }: { table: Table }) {
  return (
    <button type="button" class="al-link" onClick={() => table.session.restart()}>
      {strings.again}
    </button>
  );
}

/** Announces once that a table is complete. */
function useAnnouncedEnd(table: Table, all: number): void {
  const { phase = "done", generation = -1 } = table.session.progress.value ?? {};
  const running = useRef(-1);
  useEffect(() => {
    if (phase === "running") running.current = generation;
    if (phase === "done" && running.current === generation) {
      running.current = -1;
      table.announce(strings.counted(all));
    }
  }, [table, phase, generation, all]);
}

const MOST_FAULTS = 5;

/** The error message, with JSON pointers to the errors; the table below is unchanged. */
function ErrorMessage({ table }: { table: Table }) {
  const said = table.session.trouble.value;
  const error = table.session.progress.value?.error ?? null;
  if (said === null && error === null) return null;
  // Most messages contain the pointers already.
  const faults = error?.faults.filter(({ pointer }) => !error.message.includes(pointer)) ?? [];
  return (
    <div class="al-error al-grid-trouble" role="alert">
      <Icon name="warning" />
      <div>
        {error && (
          <div class="al-grid-message">
            {strings.failed} {error.message} {table.isBehind && strings.behindShort}{" "}
            <CountAgain table={table} />
          </div>
        )}
        {faults.length > 0 && (
          <ul>
            {faults.slice(0, MOST_FAULTS).map(({ pointer, detail }) => (
              <li key={pointer}>
                <span class="al-code">{pointer}</span> {detail}
              </li>
            ))}
          </ul>
        )}
        {said && <div>{said}</div>}
      </div>
    </div>
  );
}
