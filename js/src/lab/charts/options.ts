/**
 * The options of a chart: altair's embed options, from the output's metadata and from the
 * specification's `usermeta`. Both come with the notebook and are untrusted, so only the options
 * listed here are read, and only values of the right type; the user's settings are the defaults.
 */
import { preferences } from "../preferences";
import { strings } from "../strings";

export interface ChartOptions {
  renderer: "svg" | "canvas";
  /** Whether the chart can be saved as an image. */
  menu: boolean;
  /** Replaces the page's theme. */
  theme?: "light" | "dark";
  /** In pixels; replaces the specification's size. */
  width?: number;
  height?: number;
  padding?: number;
  /** Device pixels of a saved PNG for each of the chart's. */
  scale: number;
  /** Locales of numbers and dates, as d3 defines them. */
  formatLocale?: Record<string, unknown>;
  timeFormatLocale?: Record<string, unknown>;
}

type Json = Record<string, unknown>;

export function chartOptions(spec: unknown, metadata: unknown): ChartOptions {
  const inside = at(at(spec, "usermeta"), "embedOptions");
  // The specification's options override those of the renderer in Python.
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

/** An accessible name for the chart: its description, or else its title. */
export function chartName(spec: unknown): string {
  const title = at(spec, "title");
  const candidates = [at(spec, "description"), at(title, "text"), title];
  for (const words of candidates) {
    if (typeof words === "string" && words) return words;
    if (Array.isArray(words) && words.length) return words.join(" ");
  }
  return strings.chart;
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
