/**
 * Vega-Lite 6 and Vega 6 in outputs, which JupyterLab does not draw by itself: it brings version 5.
 * Only the joint between JupyterLab's renderers and our charts.
 */
import type { Lumino, MimeExtension, MimeModel, Renderer, Resolver } from "../jupyter";
import { strings } from "../strings";
import { createChart } from "./chart";

/** altair 6 writes a dot where a plus should stand; what notebooks hold is drawn all the same. */
const KINDS = {
  "application/vnd.vegalite.v6+json": "vega-lite",
  "application/vnd.vegalite.v6.json": "vega-lite",
  "application/vnd.vega.v6+json": "vega",
  "application/vnd.vega.v6.json": "vega",
} as const;

type MimeType = keyof typeof KINDS;

/** Before HTML (50) and pictures (90), which stand in for the chart elsewhere. */
const RANK = 40;

export function vegaExtension({ Widget }: Lumino): MimeExtension {
  class ChartRenderer extends Widget implements Renderer {
    readonly #lifetime = new AbortController();
    readonly #chart;
    readonly #mimeType: MimeType;

    constructor(mimeType: MimeType, resolver: Resolver | null) {
      super();
      this.#mimeType = mimeType;
      this.#chart = createChart(this.node, resolver, this.#lifetime.signal);
    }

    // Not awaited: a chart out of sight is drawn when it comes into sight.
    async renderModel({ data, metadata, trusted }: MimeModel): Promise<void> {
      this.#chart.show({
        kind: KINDS[this.#mimeType],
        spec: data[this.#mimeType],
        metadata: metadata[this.#mimeType],
        trusted,
      });
    }

    override dispose(): void {
      this.#lifetime.abort();
      super.dispose();
    }
  }

  return {
    id: "audiencelab:vega",
    description: strings.chartExtension,
    dataType: "json",
    rendererFactory: {
      // No code of a chart's runs, its labels are text, and until it is trusted it loads nothing.
      safe: true,
      mimeTypes: Object.keys(KINDS),
      createRenderer: ({ mimeType, resolver }) =>
        new ChartRenderer(mimeType as MimeType, resolver ?? null),
    },
    rank: RANK,
  };
}
