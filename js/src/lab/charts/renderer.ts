/**
 * The renderer of Vega-Lite 6 and Vega 6 in outputs; JupyterLab itself renders version 5. Connects
 * JupyterLab's renderer interface to `chart.ts`.
 */
import type { Lumino, MimeExtension, MimeModel, Renderer, Resolver } from "../jupyter";
import { strings } from "../strings";
import { createChart } from "./chart";

/** altair 6 writes a dot instead of the plus in this MIME type, so notebooks contain both. */
const KINDS = {
  "application/vnd.vegalite.v6+json": "vega-lite",
  "application/vnd.vegalite.v6.json": "vega-lite",
  "application/vnd.vega.v6+json": "vega",
  "application/vnd.vega.v6.json": "vega",
} as const;

type MimeType = keyof typeof KINDS;

/** Python of a browser sends text, since its None would not arrive as null. */
function parsed(spec: unknown): unknown {
  if (typeof spec !== "string") return spec;
  try {
    return JSON.parse(spec);
  } catch {
    return spec; // The chart says that it cannot be drawn.
  }
}

/** Before HTML (50) and images (90), which are fallbacks in other hosts. */
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

    // Not awaited: a chart out of view is rendered when it comes into view.
    async renderModel({ data, metadata, trusted }: MimeModel): Promise<void> {
      this.#chart.show({
        kind: KINDS[this.#mimeType],
        spec: parsed(data[this.#mimeType]),
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
      // No code of a chart runs, its labels are text, and an untrusted chart loads nothing.
      safe: true,
      mimeTypes: Object.keys(KINDS),
      createRenderer: ({ mimeType, resolver }) =>
        new ChartRenderer(mimeType as MimeType, resolver ?? null),
    },
    rank: RANK,
  };
}
