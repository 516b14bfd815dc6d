/**
 * The code that every widget carries: it draws the saved form, and finds the module that draws the
 * live widget.
 *
 * Jupyter keeps a widget's code in each of its models, and so in every message that creates one and
 * in every notebook saved with widget state. So the page gets the module once: from its shelf, from
 * JupyterLab's extension, or from the kernel, over the channel of the widget that needs it first. A
 * page without a kernel keeps the saved form.
 */
import type { AnyModel } from "@anywidget/types";
import { failureOf } from "../core/answers";
import { openPort, type Port } from "../core/channel";
import { childLifetime } from "../core/lifetime";
import { bringLater, type Module, onShelf, pageShelf } from "../core/shelf";
import { ask } from "./asking";
import { pull } from "./pulling";
import { SavedForm } from "./savedForm";

interface Context {
  model: AnyModel;
  el: HTMLElement;
  /** Undefined in hosts older than anywidget 0.10: then the returned function ends the view. */
  signal?: AbortSignal | undefined;
}

/** Milliseconds in which a module on the shelf may replace the saved form before it is drawn. */
const SOON = 100;
/** Milliseconds after which a kernel that is known to be there counts as busy. */
const PATIENCE = 3_000;

export default {
  render({ model, el, signal }: Context): () => void {
    const view = signal ? childLifetime(signal) : new AbortController();
    void show(model, el, view.signal);
    return () => view.abort();
  },
};

async function show(model: AnyModel, el: HTMLElement, lifetime: AbortSignal): Promise<void> {
  const name = String(model.get("_front_end"));
  const form = new SavedForm(el, model.get("_saved"), lifetime);
  if (pageShelf().modules.has(name)) setTimeout(() => form.draw(), SOON);
  else form.draw();
  const asking = childLifetime(lifetime);
  try {
    const port = await openPort(model, asking.signal);
    const module = await moduleOf(name, port, form, asking.signal);
    const shelf = pageShelf();
    const bring = async (later: string) =>
      pull(shelf, later, await openPort(model, lifetime), lifetime);
    bringLater(shelf, bring, lifetime);
    if (lifetime.aborted) return;
    await form.replaceBy((box) => module.default.render({ model, el: box, signal: lifetime }));
  } catch (error) {
    form.keep();
    if (failureOf(error)) console.error(error);
  } finally {
    asking.abort();
  }
}

/** The module by its name: of this page where it can be, else of the kernel. */
async function moduleOf(
  name: string,
  port: Port,
  form: SavedForm,
  lifetime: AbortSignal,
): Promise<Module> {
  const shelf = pageShelf();
  const isThere = port.lives === true && (await onShelf(shelf, name)?.catch(() => undefined));
  if (isThere) return isThere;
  const late = setTimeout(() => port.lives === true && form.wait(), PATIENCE);
  try {
    // A busy kernel answers later: only one that answers is asked for a module.
    await ask(port, "ping", {}, lifetime);
    const own = await onShelf(shelf, name)?.catch(() => undefined);
    return own ?? (await pull(shelf, name, port, lifetime));
  } finally {
    clearTimeout(late);
  }
}
