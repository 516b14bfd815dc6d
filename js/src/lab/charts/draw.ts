/**
 * Draws one chart with Vega, on this machine: the one module that brings Vega, which is why it is
 * loaded with the first chart and not before. Expressions in a chart are interpreted, never
 * compiled to code. When to draw, and what stands around it, is the business of `chart.ts`.
 */
import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { type Config, compile, type TopLevelSpec } from "vega-lite";
import { onAbort } from "../../core/lifetime";
import type { Resolver } from "../jupyter";
import { strings } from "../strings";
import type { ChartOptions } from "./options";
import theme from "./theme.json";
import { createTooltip } from "./tooltip";

export interface DrawRequest {
  kind: "vega" | "vega-lite";
  spec: unknown;
  name: string;
  theme: "light" | "dark";
  options: ChartOptions;
  resolver: Resolver | null;
  /** Whether it may load files and pictures. */
  trusted: boolean;
  /** Ends with the picture. */
  lifetime: AbortSignal;
  /** Called with what went wrong after the chart was drawn, or in a part of it. */
  onTrouble(message: string): void;
}

/** Draws into an element that is on the page; raises what is wrong with the chart. */
export async function draw(element: HTMLElement, request: DrawRequest): Promise<vega.View> {
  const { options, lifetime } = request;
  const view = new vega.View(runtime(request), {
    expr: expressionInterpreter,
    renderer: options.renderer,
    loader: loaderFor(request),
    logger: troubleLogger(request.onTrouble),
    tooltip: createTooltip(element.ownerDocument, lifetime) as vega.TooltipHandler,
    hover: request.kind === "vega",
    ...locale(options),
  });
  onAbort(lifetime, () => view.finalize());
  for (const side of ["width", "height", "padding"] as const) {
    const pixels = options[side];
    if (pixels !== undefined) view[side](pixels);
  }
  // The name of the picture for those who do not see it; Vega's own name for it says nothing.
  return view.description(request.name).initialize(element).runAsync();
}

function runtime({ kind, spec, theme: name, options }: DrawRequest): vega.Runtime {
  // What the chart says of itself stands; the theme fills in what it leaves open.
  const config = theme[options.theme ?? name] as Config;
  if (kind === "vega") return parse(spec as vega.Spec, config as vega.Config);
  return parse(compile(spec as TopLevelSpec, { config }).spec);
}

function parse(spec: vega.Spec, config?: vega.Config): vega.Runtime {
  return vega.parse(spec, config, { ast: true });
}

/**
 * Files are those beside the notebook; addresses of others are fetched as they stand. A chart that
 * nobody has trusted loads only what it brings: it could read the reader's files, and tell them to
 * somebody by the address of a picture.
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

/** Vega only logs what fails while it runs, and data that does not come is a warning to it. */
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

/** Names for numbers and dates for this chart alone. */
function locale({ formatLocale: number, timeFormatLocale: time }: ChartOptions): object {
  return number || time ? { locale: { number, time } } : {};
}
