/** The MIME renderers of the extension. */
import { CHARTS, type ChartsDetail } from "../core/notebook";
import { createChart } from "./charts/chart";
import { vegaExtension } from "./charts/renderer";
import type { Lumino, MimeExtension } from "./jupyter";
import { crosstabExtension } from "./saved/renderer";
import type { Take } from "./sharing";
import { addStyle } from "./styles";

/** JupyterLab renders SVG as an image, which cannot follow a theme and has no accessible name. */
const PICTURES = `
body[data-jp-theme-light="true"] .jp-RenderedSVG img { color-scheme: light; }
body[data-jp-theme-light="false"] .jp-RenderedSVG img { color-scheme: dark; }
`;

export default async function renderers(take: Take): Promise<MimeExtension[]> {
  addStyle(document, "audiencelab-picture-style", [PICTURES]);
  // Renders charts of widgets, which do not depend on this extension.
  document.addEventListener(CHARTS, (event) => {
    (event as CustomEvent<ChartsDetail>).detail.draw = (place, lifetime) => {
      const chart = createChart(place, null, lifetime);
      return (spec) => chart.show({ kind: "vega-lite", spec, metadata: {}, trusted: false });
    };
  });
  const lumino = await take<Lumino>("@lumino/widgets");
  return [vegaExtension(lumino), crosstabExtension(lumino)];
}
