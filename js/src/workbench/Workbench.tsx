/**
 * The workbench: question picker, audience editor, crosstab grid and chart in one place. The parts
 * are the widgets' own components over their own models; here is where they stand, what is carried
 * between them, and the chart.
 */
import "./workbench.css";
import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { pageId } from "../core/ids";
import { observeSize } from "../core/lifetime";
import { darkTheme } from "../crosstab/export/isDark";
import { Grid } from "../crosstab/Grid";
import { Editor } from "../editor/Editor";
import { Picker } from "../picker/Picker";
import { Hosted, type WidgetComponent, type WidgetHost } from "../ui/host";
import { Status } from "../ui/Status";
import { Tabs } from "../ui/Tabs";
import { ChartPane } from "./ChartPane";
import { type Charting, startCharting } from "./charting";
import { openParts, type PartName, type Parts } from "./childHosts";
import {
  type ChartKind,
  clamped,
  inSight,
  limitsOf,
  type PaneName,
  type Panes,
  type SizeName,
  shapeFor,
  stacksOf,
} from "./layout";
import { Keep, Shown } from "./SaveMenu";
import { Splitter } from "./Splitter";
import { words } from "./strings";
import { CarryAudience, CarryCells, CarryPicks } from "./TransferBar";

/** Until the page has laid it out. */
const USUAL_WIDTH = 1_000;

export function Workbench({ host }: { host: WidgetHost }) {
  const state = useMemo(() => createState(host), [host]);
  const { panes, width, chosen } = state;
  const parts = useParts(host, state);
  const shape = shapeFor(width.value);
  const stacks = stacksOf(shape);
  const sight = inSight(shape, chosen.value);
  const sizes = panes.value;
  const tabs = (stack: (typeof stacks)[number] | undefined, name: string, label: string) =>
    stack &&
    stack.length > 1 && (
      <Tabs
        label={label}
        class={name}
        stack={stack}
        chosen={stack.find((pane) => sight.has(pane))}
        words={words.panes}
        idOf={state.idOf}
        onChoose={state.choose}
      />
    );
  const splitter = (name: SizeName, axis: "x" | "y", grows: 1 | -1, label: string) => (
    <Splitter
      label={label}
      class={`al-workbench-${name}`}
      axis={axis}
      size={sizes[name]}
      limits={limitsOf(name, width.value)}
      grows={grows}
      onSize={(size, done) => state.resize(name, size, done)}
    />
  );
  const pane = (name: PaneName) => {
    const tabbed = stacks.some((stack) => stack.includes(name) && stack.length > 1);
    return {
      id: state.idOf(name),
      class: `al-pane al-pane-${name}`,
      hidden: !sight.has(name),
      role: tabbed ? "tabpanel" : "group",
      ...(tabbed
        ? { "aria-labelledby": `${state.idOf(name)}-tab` }
        : { "aria-label": words.panes[name] }),
    } as const;
  };
  const hosts = parts.hosts.value;
  const part = (name: PartName, widget: WidgetComponent) => (
    <div ref={parts.refs[name]} class="al-part">
      {hosts && <Hosted host={hosts[name]} widget={widget} />}
    </div>
  );
  const charting = parts.charting.value;
  return (
    <div
      class="al-workbench"
      data-shape={shape}
      style={{
        "--al-rail": `${sizes.rail}px`,
        "--al-chart": `${sizes.chart}px`,
        height: `${sizes.height}px`,
      }}
    >
      {tabs(stacks[0], "al-workbench-first", shape === "narrow" ? words.all : words.rail)}
      <div class="al-workbench-tools">
        <Shown />
        <Keep />
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
      {shape !== "narrow" && splitter("rail", "x", 1, words.railSize)}
      {tabs(stacks[1], "al-workbench-second", words.main)}
      <section {...pane("table")}>
        {part("grid", Grid)}
        {hosts && <CarryCells grid={hosts.grid} onEdit={state.toAudience} />}
      </section>
      {shape === "wide" && splitter("chart", "x", -1, words.chartSize)}
      <section {...pane("chart")}>
        {charting && <ChartPane charting={charting} kind={sizes.kind} onKind={state.setKind} />}
      </section>
      {splitter("height", "y", 1, words.height)}
      <Status status={parts.status} />
    </div>
  );
}

type State = ReturnType<typeof createState>;

function createState(host: WidgetHost) {
  const kept = host.trait<Panes>("panes");
  const dragged = signal<Partial<Record<SizeName, number>>>({});
  const width = signal(host.root.clientWidth || USUAL_WIDTH);
  const chosen = signal<readonly PaneName[]>([]);
  const id = pageId("workbench");
  const idOf = (pane: PaneName) => `${id}-${pane}`;
  const panes = computed<Panes>(() => {
    const sizes = { ...kept.value, ...dragged.value };
    const within = (name: SizeName) => clamped(sizes[name], limitsOf(name, width.value));
    return { ...sizes, rail: within("rail"), chart: within("chart"), height: within("height") };
  });
  const visible = (pane: PaneName) =>
    computed(() => inSight(shapeFor(width.value), chosen.value).has(pane));
  const choose = (pane: PaneName) => {
    chosen.value = [...chosen.peek().filter((each) => each !== pane), pane];
  };
  observeSize(host.root, host.lifetime, (now) => {
    width.value = now;
  });
  return {
    panes,
    width,
    chosen,
    idOf,
    choose,
    chartVisible: visible("chart"),
    // The sizes that were chosen, and not those that this window has room for.
    setKind: (kind: ChartKind) => kept.set({ ...kept.peek(), kind }),
    resize(name: SizeName, size: number, done: boolean) {
      dragged.value = done ? {} : { [name]: size };
      if (done) kept.set({ ...kept.peek(), [name]: size });
    },
    /** Shows the audience; where that hides what was pressed, the keyboard goes along. */
    toAudience() {
      choose("audience");
      if (shapeFor(width.peek()) !== "narrow") return;
      const tab = `#${CSS.escape(`${idOf("audience")}-tab`)}`;
      requestAnimationFrame(() => host.root.querySelector<HTMLElement>(tab)?.focus());
    },
  };
}

/** The parts, opened once their elements are there, and the chart of the grid. */
function useParts(host: WidgetHost, state: State) {
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
