/**
 * Renders one chart with Vega in the browser. Only this module imports Vega, so that it is loaded
 * with the first chart. Expressions in a chart are interpreted, never compiled to code. `chart.ts`
 * decides when to render.
 */
import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { type Config, compile, type TopLevelSpec } from "vega-lite";
import { onAbort } from "../../core/lifetime";
import type { Resolver } from "../jupyter";
import { strings } from "../strings";
import { addStyle } from "../styles";
import style from "./charts.css";
import { createMenu } from "./menu";
import { type ChartOptions, chartName, chartOptions } from "./options";
import theme from "./theme.json";
import { createTooltip } from "./tooltip";

export interface DrawRequest {
  kind: "vega" | "vega-lite";
  spec: unknown;
  metadata: unknown;
  theme: "light" | "dark";
  resolver: Resolver | null;
  /** Whether it may load files and images. */
  trusted: boolean;
  /** Ends with the chart. */
  lifetime: AbortSignal;
  /** Called with errors after the chart was rendered, and with errors of its parts. */
  onTrouble(message: string): void;
}

/** Renders into an element that is on the page, with its menu; throws if the chart is invalid. */
export async function draw(plot: HTMLElement, request: DrawRequest): Promise<void> {
  const { spec, metadata, lifetime } = request;
  const page = plot.ownerDocument;
  addStyle(page, "audiencelab-chart-style", [style]);
  const options = chartOptions(spec, metadata);
  const name = chartName(spec);
  const element = plot.appendChild(page.createElement("div"));
  const view = new vega.View(runtime(request, options), {
    expr: expressionInterpreter,
    renderer: options.renderer,
    loader: loaderFor(request),
    logger: troubleLogger(request.onTrouble),
    tooltip: createTooltip(page, lifetime) as vega.TooltipHandler,
    hover: request.kind === "vega",
    ...locale(options),
  });
  onAbort(lifetime, () => view.finalize());
  for (const side of ["width", "height", "padding"] as const) {
    const pixels = options[side];
    if (pixels !== undefined) view[side](pixels);
  }
  // The chart's accessible name; Vega's default name contains no information.
  await view.description(name).initialize(element).runAsync();
  if (options.menu) plot.append(createMenu(page, view, name, options.scale));
}

function runtime({ kind, spec, theme: name }: DrawRequest, options: ChartOptions): vega.Runtime {
  // The chart's own settings take precedence over the theme.
  const config = theme[options.theme ?? name] as Config;
  if (kind === "vega") return parse(spec as vega.Spec, config as vega.Config);
  return parse(compile(spec as TopLevelSpec, { config }).spec);
}

function parse(spec: vega.Spec, config?: vega.Config): vega.Runtime {
  return vega.parse(spec, config, { ast: true });
}

/**
 * Relative paths are files beside the notebook; absolute URLs are fetched as they are. An untrusted
 * chart loads nothing: it could read the reader's files and send them to a third party in an image
 * URL.
 */
function loaderFor({ resolver, trusted }: DrawRequest): vega.Loader {
  const loader = vega.loader({ http: { credentials: "same-origin" } });
  const sanitize = loader.sanitize.bind(loader);
  loader.sanitize = async (address, options) => {
    if (options?.context === "href") return sanitize(address, options);
    if (!trusted && !address.startsWith("data:")) throw new Error(strings.untrusted);
    return sanitize(resolver ? await resolved(address, resolver) : address, options);
  };
  return loader;
}

async function resolved(address: string, resolver: Resolver): Promise<string> {
  const local = resolver.isLocal?.(address) ?? !/^([a-z][a-z+.-]*:|\/\/)/i.test(address);
  return local ? resolver.getDownloadUrl(await resolver.resolveUrl(address)) : address;
}

/** Vega only logs runtime errors, and logs failed data requests as warnings. */
function troubleLogger(onTrouble: (message: string) => void): vega.LoggerInterface {
  const logger = vega.logger(vega.Warn);
  const warn = logger.warn.bind(logger);
  const tell = (problems: readonly unknown[]) => {
    onTrouble(problems.map((each) => (each instanceof Error ? each.message : each)).join(" "));
    return logger;
  };
  logger.error = (...problems: readonly unknown[]) => tell(problems);
  logger.warn = (...problems: readonly unknown[]) =>
    problems[0] === "Loading failed" ? tell(problems) : warn(...problems);
  return logger;
}

/** The locale of numbers and dates of this chart. */
function locale({ formatLocale: number, timeFormatLocale: time }: ChartOptions): object {
  return number || time ? { locale: { number, time } } : {};
}
