/**
 * A saved crosstab in an output: only the joint between JupyterLab's renderers and our table, which
 * is fetched with the first one.
 */
import type { Lumino, MimeExtension, MimeModel, Renderer } from "../jupyter";
import { strings } from "./strings";

export const CROSSTAB = "application/vnd.audiencelab.crosstab.v1+json";

/** Before HTML (50), which says the same to everybody else. */
const RANK = 40;

export function crosstabExtension({ Widget }: Lumino): MimeExtension {
  class CrosstabRenderer extends Widget implements Renderer {
    #drawn = new AbortController();

    async renderModel({ data }: MimeModel): Promise<void> {
      const { drawSaved } = await import("./crosstab");
      this.#drawn.abort();
      this.#drawn = new AbortController();
      this.node.replaceChildren();
      if (!this.isDisposed) drawSaved(this.node, data[CROSSTAB], this.#drawn.signal);
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
      // It holds names and figures: names are shown as text, and nothing of it is run or loaded.
      safe: true,
      mimeTypes: [CROSSTAB],
      createRenderer: () => new CrosstabRenderer(),
    },
    rank: RANK,
  };
}
