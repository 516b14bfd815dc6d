/**
 * What a chart asks of its place: altair's embed options, from the output's metadata and from the
 * specification's own `usermeta`. Both come with the notebook, from anybody, so only what is
 * named here counts, and only with a value of its kind; where they say nothing, the user's
 * settings hold. Not how any of it is done.
 */
import { preferences } from "../preferences";
import { strings } from "../strings";

export interface ChartOptions {
  renderer: "svg" | "canvas";
  /** Whether pictures can be saved from the chart. */
  menu: boolean;
  /** Instead of the page's. */
  theme?: "light" | "dark";
  /** In pixels, instead of the specification's. */
  width?: number;
  height?: number;
  padding?: number;
  /** Device pixels of a saved PNG for each of the chart's. */
  scale: number;
  /** Names for numbers and dates, as d3 defines them. */
  formatLocale?: Record<string, unknown>;
  timeFormatLocale?: Record<string, unknown>;
}

type Json = Record<string, unknown>;

export function chartOptions(spec: unknown, metadata: unknown): ChartOptions {
  const inside = at(at(spec, "usermeta"), "embedOptions");
  // The options of the renderer in Python come later than what the chart was made with.
  const asked: Json = { ...object(inside), ...object(at(metadata, "embed_options")) };
  const options: ChartOptions = {
    renderer: rendererIn(asked.renderer),
    menu: typeof asked.actions === "boolean" ? asked.actions : preferences.peek().chartMenu,
    scale: number(asked.scaleFactor) ?? number(at(asked.scaleFactor, "png")) ?? 2,
  };
  if (asked.theme === "dark" || asked.theme === "light") options.theme = asked.theme;
  for (const side of ["width", "height"] as const) {
    const pixels = number(asked[side]);
    if (pixels !== undefined) options[side] = pixels;
  }
  const padding = asked.padding === 0 ? 0 : number(asked.padding);
  if (padding !== undefined) options.padding = padding;
  for (const locale of ["formatLocale", "timeFormatLocale"] as const) {
    const names = object(asked[locale]);
    if (names) options[locale] = names;
  }
  return options;
}

function rendererIn(asked: unknown): "svg" | "canvas" {
  return asked === "svg" || asked === "canvas" ? asked : preferences.peek().chartRenderer;
}

/** A name for those who do not see the chart: its description, or else its title. */
export function chartName(spec: unknown): string {
  const title = at(spec, "title");
  const candidates = [at(spec, "description"), at(title, "text"), title];
  for (const words of candidates) {
    if (typeof words === "string" && words) return words;
    if (Array.isArray(words) && words.length) return words.join(" ");
  }
  return strings.chart;
}

/** Whether the chart takes its width from its place, and so changes with it. */
export function fillsWidth(spec: unknown): boolean {
  const autosize = at(spec, "autosize");
  return at(spec, "width") === "container" || at(autosize, "type") === "fit-x";
}

function at(value: unknown, key: string): unknown {
  return object(value)?.[key];
}

function object(value: unknown): Json | undefined {
  const is = typeof value === "object" && value !== null && !Array.isArray(value);
  return is ? (value as Json) : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
