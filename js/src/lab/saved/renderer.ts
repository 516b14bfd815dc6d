/**
 * The renderer of a saved crosstab in an output: connects JupyterLab's renderer interface to the
 * table, which is loaded with the first one.
 */
import type { Lumino, MimeExtension, MimeModel, Renderer } from "../jupyter";
import { strings } from "./strings";

export const CROSSTAB = "application/vnd.audiencelab.crosstab.v1+json";

/** Before HTML (50), which is the fallback in other hosts. */
const RANK = 40;

export function crosstabExtension({ Widget }: Lumino): MimeExtension {
  class CrosstabRenderer extends Widget implements Renderer {
    #drawn = new AbortController();

    async renderModel({ data, metadata }: MimeModel): Promise<void> {
      const { drawSaved } = await import("./crosstab");
      this.#drawn.abort();
      this.#drawn = new AbortController();
      this.node.replaceChildren();
      if (!this.isDisposed) drawSaved(this.node, data[CROSSTAB], this.#drawn.signal, metadata);
    }

    override dispose(): void {
      this.#drawn.abort();
      super.dispose();
    }
  }

  return {
    id: "audiencelab:crosstab",
    description: strings.crosstabExtension,
    dataType: "json",
    rendererFactory: {
      // It contains names and values: names are shown as text, and nothing is run or loaded.
      safe: true,
      mimeTypes: [CROSSTAB],
      createRenderer: () => new CrosstabRenderer(),
    },
    rank: RANK,
  };
}
