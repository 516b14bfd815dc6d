/**
 * The chart of the table: requested when its content has changed and it is visible. The latest
 * request wins; the previous chart is shown greyed until then.
 */
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { failureOf } from "../core/answers";
import { debounced, onAbort } from "../core/lifetime";
import { chartDrawer, type DrawCharts } from "../core/notebook";
import {
  type Picture as ChartPicture,
  pictureFormat,
  readPicture,
} from "../crosstab/export/ChartImage";
import type { ArrangementState, DrawnChart, GridWidget, WorkbenchWidget } from "../protocol";
import type { WidgetHost } from "../ui/host";
import { type Panes, styleOf } from "./layout";
import { words } from "./strings";

const QUIET_MS = 200;
const STEP = 20;

export type Picture = ChartPicture & DrawnChart;

export interface Charting {
  /** The chart renderer of the page; null where the kernel renders images. */
  readonly draw: DrawCharts | null;
  readonly picture: ReadonlySignal<Picture | null>;
  /** Whether the chart shows the table's present state. */
  readonly current: ReadonlySignal<boolean>;
  /** Whether a chart is expected but not loaded. */
  readonly drawing: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<string | null>;
  /** The crosstab whose chart it is: it sends files, and has the deck. */
  readonly grid: WidgetHost<GridWidget>;
  /**
   * Sets the size of the pane in pixels; charts are rendered at that size, because scaling would
   * change the font size.
   */
  fit(width: number): void;
  /** The cells that are drawn: those that are selected, or no positions for all. */
  shown(): { generation: number; rows: readonly number[]; columns: readonly number[] };
  /** The width of the pane that it is drawn for. */
  width(): number;
  /** The same chart as an image, on white. */
  fetch(): Promise<Blob>;
}

export interface ChartingInputs {
  /** The requests of the workbench. */
  host: WidgetHost<WorkbenchWidget>;
  grid: WidgetHost<GridWidget>;
  panes: ReadonlySignal<Panes>;
  dark: ReadonlySignal<boolean>;
  visible: ReadonlySignal<boolean>;
  lifetime: AbortSignal;
}

export function startCharting(inputs: ChartingInputs): Charting {
  const { host, grid, panes, dark, visible, lifetime } = inputs;
  const picture: Signal<Picture | null> = signal(null);
  const failure: Signal<string | null> = signal(null);
  const drawnFor: Signal<string> = signal("");
  /** In steps, so that a change of one pixel requests no new chart. */
  const room = signal(0);
  const table = grid.trait("_table");
  const progress = grid.trait("_progress");
  const picked = grid.trait("_selected_cells");
  const metrics = grid.trait("metrics");
  const transposed = grid.trait("transposed");
  const arrangement = grid.trait("_arrangement");

  const drawer = chartDrawer(host.root);
  const asked = computed(() => ({
    ...pictureFormat(drawer),
    ...styleOf(panes.value),
    dark: dark.value,
    width: room.value,
    rows: picked.value.rows ?? [],
    columns: picked.value.columns ?? [],
  }));
  /** Everything that the chart depends on; "" while there is nothing to show. */
  const wanted = computed(() => {
    const { generation, rows, columns } = table.value;
    const now = progress.value;
    const complete = now.phase === "done" && now.generation === generation;
    if (!complete || rows === 0 || columns === 0) return "";
    return JSON.stringify([
      generation,
      metrics.value,
      transposed.value,
      arranged(arrangement.value),
      asked.value,
    ]);
  });

  const draw = debounced(QUIET_MS, lifetime, async (wish: string) => {
    // If a change is reverted, the loaded chart may be the right one again.
    const isOver = () => wish !== wanted.peek();
    if (isOver()) return;
    try {
      const options = { key: "chart", signal: lifetime };
      const { data, buffers } = await host.requests.request("chart", asked.peek(), options);
      if (isOver()) return;
      picture.value = { ...data, ...readPicture(buffers[0], words.chart(data.alt), drawer) };
      failure.value = null;
      drawnFor.value = wish;
    } catch (error) {
      const said = failureOf(error);
      if (said === null || isOver()) return;
      failure.value = said;
      drawnFor.value = wish;
    }
  });
  const stop = effect(() => {
    const wish = wanted.value;
    if (visible.value && wish !== "" && wish !== drawnFor.peek()) draw(wish);
  });
  onAbort(lifetime, stop);

  return {
    draw: drawer,
    grid,
    picture,
    failure,
    current: computed(() => wanted.value !== "" && drawnFor.value === wanted.value),
    drawing: computed(() => wanted.value !== "" && drawnFor.value !== wanted.value),
    fit(width) {
      room.value = Math.floor(width / STEP) * STEP;
    },
    shown() {
      const { rows, columns } = asked.peek();
      const { generation } = table.peek();
      // The kernel says which part it drew of a table that is too large for a chart.
      const drawn = picture.peek();
      const some = rows.length * columns.length > 0 || !drawn?.note ? { rows, columns } : drawn;
      return { generation, rows: some.rows ?? [], columns: some.columns ?? [] };
    },
    width: () => room.peek(),
    async fetch() {
      // An image is sent to others: it is light, whatever the theme of the page.
      const args = { ...asked.peek(), format: "png" as const, dark: false };
      const { buffers } = await host.requests.request("chart", args, { signal: lifetime });
      return new Blob(buffers as DataView<ArrayBuffer>[], { type: "image/png" });
    },
  };
}

/** Order and visibility of items; column widths do not affect a chart. */
function arranged(plans: Partial<ArrangementState> = {}): object[] {
  return [plans.rows, plans.columns].map((plan) => ({ ...plan, widths: undefined }));
}
