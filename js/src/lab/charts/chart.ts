/**
 * A chart in its element: rendered once the element has a size, again when the specification, the
 * theme or the width changes, and removed with the element. Only the latest rendering is shown; the
 * previous one stays until it is ready. Vega itself is in `draw.ts`.
 */
import { childLifetime, debounced, isAbort, observeSize, onAbort } from "../../core/lifetime";
import { hostTheme } from "../../ui/theme";
import type { Resolver } from "../jupyter";
import { strings } from "../strings";

export interface ChartData {
  kind: "vega" | "vega-lite";
  spec: unknown;
  metadata: unknown;
  /** Whether it may load files and images. */
  trusted: boolean;
}

export interface Chart {
  show(data: ChartData): void;
}

const SETTLED = 150;

export function createChart(
  place: HTMLElement,
  resolver: Resolver | null,
  lifetime: AbortSignal,
): Chart {
  const page = place.ownerDocument;
  let data: ChartData | undefined;
  let width = 0;
  /** The lifetimes of the visible chart and of the rendering that was started last. */
  let shown = new AbortController();
  let latest = shown;

  const redraw = async () => {
    if (!data || width === 0) return;
    const mine = childLifetime(lifetime);
    latest = mine;
    const plot = createPlot(page, data);
    try {
      await fill(plot, data, resolver, mine.signal);
    } catch (error) {
      if (isAbort(error)) return;
      tell(plot, (error as Error).message);
    }
    if (mine !== latest || lifetime.aborted) {
      mine.abort();
      plot.remove();
      return;
    }
    shown.abort();
    shown = mine;
    place.replaceChildren(plot);
    plot.removeAttribute("style");
  };

  const fill = async (
    plot: HTMLElement,
    { kind, spec, metadata, trusted }: ChartData,
    resolver: Resolver | null,
    signal: AbortSignal,
  ) => {
    // In the page, so that it can be measured, but invisible until it is complete.
    plot.style.cssText = "position: absolute; inset-inline: 0; visibility: hidden";
    place.append(plot);
    const { draw } = await import("./draw");
    await draw(plot, {
      kind,
      spec,
      metadata,
      theme: hostTheme(page.body) === "dark" ? "dark" : "light",
      resolver,
      trusted,
      lifetime: signal,
      onTrouble: (message) => tell(plot, message),
    });
  };

  const settled = debounced(SETTLED, lifetime, redraw);
  observeSize(place, lifetime, (now) => {
    const first = width === 0;
    const changed = now !== width;
    width = now;
    if (first) void redraw();
    else if (changed && fillsWidth(data?.spec)) settled();
  });
  const themes = new MutationObserver(() => void redraw());
  themes.observe(page.body, { attributeFilter: ["data-jp-theme-light"] });
  onAbort(lifetime, () => themes.disconnect());
  place.classList.add("audiencelab-chart");

  return {
    show(next) {
      data = next;
      void redraw();
    },
  };
}

function createPlot(page: Document, { spec }: ChartData): HTMLElement {
  const plot = page.createElement("div");
  plot.className = "audiencelab-chart-plot";
  if (fillsWidth(spec)) plot.dataset.fills = "";
  return plot;
}

/** Shows an error message below the parts of the chart that could be rendered. */
function tell(plot: HTMLElement, message: string): void {
  const problem = plot.ownerDocument.createElement("p");
  problem.className = "audiencelab-chart-problem";
  problem.textContent = strings.notDrawn(message);
  plot.append(problem);
}

/** Whether the chart's width follows its container. */
export function fillsWidth(spec: unknown): boolean {
  const { width, autosize } = (spec ?? {}) as { width?: unknown; autosize?: { type?: unknown } };
  return width === "container" || autosize?.type === "fit-x";
}
