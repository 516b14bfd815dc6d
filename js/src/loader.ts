/**
 * The code that every widget carries: it finds the front end.
 *
 * Jupyter keeps a widget's code in each of its models, and so in every message that creates one and
 * in every notebook saved with widget state. So the front end (module and style sheet) is a model
 * of its own, sent once for each kernel (`src/audiencelab/widgets/bundle.py`); the page inflates it
 * once for all widgets.
 */
import type { AnyModel, AnyWidget } from "@anywidget/types";

interface FrontEnd {
  readonly widget: AnyWidget;
  readonly style: string;
}

/**
 * Shown when a notebook saved with widget state is reopened: JupyterLab does not save binary
 * traits.
 */
const LOST = "Run this cell again to see the widget.";

/** The manager returns one object for a model, so results are cached on it. */
interface Carrier {
  get(name: "content"): DataView | ArrayBuffer;
  loaded?: Promise<FrontEnd>;
}

type Context = Parameters<NonNullable<Exclude<AnyWidget, () => unknown>["render"]>>[0];

export default {
  async render(context: Context) {
    const { model, el, signal } = context;
    const frontEnd = await find(model).catch(console.error);
    if (signal?.aborted) return;
    if (!frontEnd) {
      el.textContent = LOST;
      return;
    }
    const { widget, style } = frontEnd;
    dress(el, style);
    return (widget as { render(context: Context): unknown }).render(context) as undefined;
  },
};

async function find(model: AnyModel): Promise<FrontEnd | undefined> {
  const found = await model.widget_manager.get_model(String(model.get("_front_end")));
  const carrier = found as unknown as Carrier;
  const content = carrier.get("content");
  if (!content.byteLength) return undefined;
  carrier.loaded ??= load(content);
  return carrier.loaded;
}

async function load(content: DataView | ArrayBuffer): Promise<FrontEnd> {
  const inflated = new Blob([content as BlobPart])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const [code, style] = (await new Response(inflated).json()) as [string, string];
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return { widget: (await import(url)).default, style };
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Adds the style sheet to the view's root, once. A view that is not in the page yet may be moved
 * into a shadow root, which styles outside do not reach.
 */
function dress(el: HTMLElement, style: string): void {
  if (!el.isConnected) requestAnimationFrame(() => el.isConnected && dress(el, style));
  const root = el.getRootNode();
  const home = root instanceof ShadowRoot ? root : el.ownerDocument.head;
  const here = home.querySelectorAll("style[data-audiencelab]");
  if (Array.from(here).some((sheet) => sheet.textContent === style)) return;
  const sheet = el.ownerDocument.createElement("style");
  sheet.dataset.audiencelab = "";
  sheet.textContent = style;
  home.append(sheet);
}
