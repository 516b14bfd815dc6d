/**
 * The workbench: question picker, audience editor, crosstab and chart side by side. The panes are
 * the widgets' own components on their own models; this module is their layout, the transfer
 * between them, and the chart.
 */
import "./workbench.css";
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { pageId } from "../core/ids";
import { debounced, observeSize } from "../core/lifetime";
import { fillsTab, passDocument } from "../core/notebook";
import { darkTheme } from "../crosstab/export/isDark";
import { Grid } from "../crosstab/Grid";
import { Editor } from "../editor/Editor";
import { Picker } from "../picker/Picker";
import type { WorkbenchWidget } from "../protocol";
import { Hosted, type WidgetComponent, type WidgetHost } from "../ui/host";
import { IconButton } from "../ui/icons";
import { Status } from "../ui/Status";
import { Tabs } from "../ui/Tabs";
import { AboutSurvey, Card } from "./Card";
import { ChartPane } from "./ChartPane";
import { type Charting, startCharting } from "./charting";
import { openParts, type PartName, type Parts, type PartWidgets } from "./childHosts";
import {
  clamped,
  closedSides,
  inSight,
  limitsOf,
  type PaneName,
  type Panes,
  type SideName,
  type SizeName,
  type Stack,
  shapeFor,
  sideOf,
  stacksOf,
} from "./layout";
import { HistoryMenu, OpenTab, SaveMenu } from "./SaveMenu";
import { Splitter } from "./Splitter";
import { words } from "./strings";
import { CarryAudience, CarryCells, CarryPicks } from "./TransferBar";

/** Until the layout is known. */
const USUAL_WIDTH = 1_000;
/** The height of new panes, with which a workbench in a notebook follows its font and window. */
const USUAL_HEIGHT = 640;

const QUIET_MS = 300;

export function Workbench({ host }: { host: WidgetHost<WorkbenchWidget> }) {
  const state = useMemo(() => createState(host), [host]);
  const { panes, width, chosen, idOf } = state;
  const parts = useParts(host, state);
  useDocument(host, state.fills);
  const shape = shapeFor(width.value);
  const closed = state.closed.value;
  const sight = inSight(shape, chosen.value, closed);
  const sizes = panes.value;
  const header = (stack: Stack, label: string, area: string) => {
    const side = shape === "narrow" ? null : sideOf(stack);
    return (
      <div key={area} class={`al-workbench-header al-workbench-${area}`}>
        <Tabs
          label={label}
          class="al-workbench-tabs"
          stack={stack}
          chosen={stack.find((pane) => sight.has(pane))}
          words={words.panes}
          idOf={idOf}
          onChoose={state.choose}
        />
        {side && !closed.includes(side) && (
          <IconButton icon="right" label={words.collapse[side]} onClick={() => state.close(side)} />
        )}
      </div>
    );
  };
  const splitter = (name: SizeName, axis: "x" | "y", grows: 1 | -1, label: string) => (
    <Splitter
      label={label}
      class={`al-workbench-${name}`}
      axis={axis}
      size={sizes[name]}
      limits={limitsOf(name, width.value)}
      grows={grows}
      onSize={(size, done) => state.resize(name, size, done)}
      onCollapse={name === "height" ? undefined : () => state.close(name)}
    />
  );
  const pane = (name: PaneName) => ({
    id: idOf(name),
    class: `al-pane al-pane-${name}`,
    hidden: !sight.has(name),
    role: "tabpanel" as const,
    "aria-labelledby": `${idOf(name)}-tab`,
  });
  const hosts = parts.hosts.value;
  const survey = host.trait("_survey").value;
  const part = <N extends PartName>(name: N, widget: WidgetComponent<PartWidgets[N]>) => (
    <div ref={parts.refs[name]} class="al-part">
      {/* Another version of the survey has another catalogue, which each part reads again. */}
      {hosts && <Hosted<PartWidgets[N]> key={survey} host={hosts[name]} widget={widget} />}
    </div>
  );
  const charting = parts.charting.value;
  const [first = [], second, third] = stacksOf(shape);
  return (
    <div
      class="al-workbench"
      data-shape={shape}
      data-closed={closed.join(" ")}
      style={{
        "--al-rail": closed.includes("rail") ? "auto" : `${sizes.rail}px`,
        "--al-chart": closed.includes("chart") ? "auto" : `${sizes.chart}px`,
        height: state.fills ? "100%" : state.ownHeight.value,
      }}
    >
      {header(first, shape === "narrow" ? words.all : words.rail, "first")}
      <div class="al-workbench-tools">
        <AboutSurvey onOpen={() => state.choose("table")} />
        <HistoryMenu />
        <SaveMenu />
        <OpenTab />
      </div>
      {parts.lost.value && <div class="al-empty al-error">{words.lost}</div>}
      <section {...pane("questions")}>
        {part("picker", Picker)}
        {hosts && <CarryPicks picker={hosts.picker} />}
      </section>
      <section {...pane("audience")}>
        {part("editor", Editor)}
        {hosts && <CarryAudience />}
      </section>
      {shape !== "narrow" && !closed.includes("rail") && splitter("rail", "x", 1, words.railSize)}
      {second && header(second, words.main, "second")}
      <section {...pane("table")}>
        <Card />
        {part("grid", Grid)}
        {hosts && <CarryCells grid={hosts.grid} onEdit={state.toAudience} />}
      </section>
      {third && !closed.includes("chart") && splitter("chart", "x", -1, words.chartSize)}
      {third && header(third, words.panes.chart, "third")}
      <section {...pane("chart")}>{charting && <ChartPane charting={charting} />}</section>
      {!state.fills && splitter("height", "y", 1, words.height)}
      <Status status={parts.status} />
    </div>
  );
}

type State = ReturnType<typeof createState>;

function createState(host: WidgetHost<WorkbenchWidget>) {
  const kept = host.trait("panes");
  const dragged = signal<Partial<Record<SizeName, number>>>({});
  const width = signal(host.root.clientWidth || USUAL_WIDTH);
  const measured = signal(USUAL_HEIGHT);
  const chosen = signal<readonly PaneName[]>([]);
  /**
   * Whether there was a table when the view was rendered: adding the first rows collapses nothing.
   */
  const hadTable = signal(true);
  const id = pageId("workbench");
  const idOf = (pane: PaneName) => `${id}-${pane}`;
  const panes = computed<Panes>(() => {
    const sizes = { ...kept.value, ...dragged.value };
    if (sizes.height === USUAL_HEIGHT) sizes.height = measured.value;
    const within = (name: SizeName) => clamped(sizes[name], limitsOf(name, width.value));
    return { ...sizes, rail: within("rail"), chart: within("chart"), height: within("height") };
  });
  const closed = computed(() => closedSides(panes.value, width.value, hadTable.value));
  const visible = (pane: PaneName) =>
    computed(() => inSight(shapeFor(width.value), chosen.value, closed.value).has(pane));
  const choose = (pane: PaneName) => {
    chosen.value = [...chosen.peek().filter((each) => each !== pane), pane];
    const stack = stacksOf(shapeFor(width.peek())).find((each) => each.includes(pane));
    const side = stack && sideOf(stack);
    const before = closed.peek();
    if (!side || !before.includes(side)) return;
    kept.set({ ...kept.peek(), closed: before.filter((each) => each !== side) });
  };
  const focusTab = (pane: PaneName) => {
    const tab = `#${CSS.escape(`${idOf(pane)}-tab`)}`;
    requestAnimationFrame(() => host.root.querySelector<HTMLElement>(tab)?.focus());
  };
  observeSize(host.root, host.lifetime, (now, height) => {
    width.value = now;
    measured.value = height;
  });
  return {
    panes,
    width,
    chosen,
    closed,
    hadTable,
    /** undefined for that of the style sheet. */
    ownHeight: computed(() => {
      const { height } = { ...kept.value, ...dragged.value };
      return height === USUAL_HEIGHT ? undefined : `${panes.value.height}px`;
    }),
    fills: fillsTab(host.root),
    idOf,
    choose,
    chartVisible: visible("chart"),
    resize(name: SizeName, size: number, done: boolean) {
      dragged.value = done ? {} : { [name]: size };
      if (done) kept.set({ ...kept.peek(), [name]: size });
    },
    /** The focused button disappears with the side: its tabs get the focus. */
    close(side: SideName) {
      dragged.value = {};
      kept.set({ ...kept.peek(), closed: [...closed.peek(), side] });
      focusTab(side === "chart" ? "chart" : "questions");
    },
    /** Shows the audience; if that hides the focused button, the focus moves with it. */
    toAudience() {
      choose("audience");
      if (shapeFor(width.peek()) === "narrow") focusTab("audience");
    },
  };
}

/** In a tab of its own, the workbench passes its document to the tab on every change. */
function useDocument(host: WidgetHost<WorkbenchWidget>, fills: boolean): void {
  useEffect(() => {
    if (!fills) return;
    const revision = host.trait("_revision");
    const first = revision.peek();
    const pass = debounced(QUIET_MS, host.lifetime, async () => {
      const options = { key: "document", signal: host.lifetime };
      const asked = host.requests.request("document", {}, options);
      // The status line reports a kernel that is gone.
      const answer = await asked.catch(() => null);
      if (answer) passDocument(host.root, answer.data.document);
    });
    return effect(() => {
      if (revision.value !== first) pass();
    });
  }, [host]);
}

/** The panes, opened once their elements exist, and the chart of the crosstab. */
function useParts(host: WidgetHost<WorkbenchWidget>, state: State) {
  const picker = useRef<HTMLDivElement>(null);
  const editor = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => signal<Parts | null>(null), []);
  const charting = useMemo(() => signal<Charting | null>(null), []);
  useLayoutEffect(() => {
    if (!picker.current || !editor.current || !grid.current) return;
    parts.value = openParts(host, {
      picker: picker.current,
      editor: editor.current,
      grid: grid.current,
    });
  }, [host]);
  const hosts = useMemo(() => computed(() => parts.value?.hosts.value ?? null), []);
  const opened = hosts.value;
  useEffect(() => {
    if (!opened) return;
    const { rows, columns } = opened.grid.trait("_table").peek();
    // An empty table has one cell: everyone.
    state.hadTable.value = rows * columns > 1;
    charting.value = startCharting({
      host,
      grid: opened.grid,
      panes: state.panes,
      dark: darkTheme(host),
      visible: state.chartVisible,
      lifetime: host.lifetime,
    });
  }, [opened]);
  return {
    refs: { picker, editor, grid },
    hosts,
    charting,
    lost: useMemo(() => computed(() => parts.value?.lost.value ?? false), []),
    status: useMemo(() => computed(() => parts.value?.status.value ?? "idle"), []),
  };
}
