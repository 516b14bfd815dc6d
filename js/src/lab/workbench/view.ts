/**
 * The content of a workbench tab: opens its source in the tab's kernel, with progress and a way to
 * stop, and renders the widget at the size of the tab.
 */
import type { AnyWidget } from "@anywidget/types";
import { childLifetime, isAbort, onAbort } from "../../core/lifetime";
import { DOCUMENT, type DocumentDetail, OPEN, type OpenDetail, SAVE } from "../../core/notebook";
import type { CommKernel } from "../jupyter";
import { addStyle } from "../styles";
import { type DocumentInputs, documentSource } from "./document";
import { type FileInputs, fileSource } from "./file";
import { bodyIn, keepLast, note, say, showProgress, type Way } from "./messages";
import { kernelModels } from "./models";
import { folderIn } from "./paths";
import type { Plan, Source, TabInputs } from "./plan";
import { run } from "./running";
import { words } from "./strings";
import style from "./tab.css";

type Inputs = TabInputs & { fail(message: string): void };

/** Shows a document. */
export function showDocument(
  node: HTMLElement,
  inputs: DocumentInputs & Inputs,
  lifetime: AbortSignal,
): void {
  const { model, ready } = inputs.context;
  const source = documentSource(inputs, () => reopen());
  const reopen = showSource(node, source, inputs, lifetime);
  // The file may be changed by another program, or reverted.
  const followFile = () => {
    if (source.isStale()) reopen();
  };
  onAbort(lifetime, () => void model.contentChanged.disconnect(followFile));
  void ready.then(() => model.contentChanged.connect(followFile));
}

/** Shows a data file. */
export function showFile(
  node: HTMLElement,
  inputs: Omit<FileInputs, "runCode"> & Inputs,
  lifetime: AbortSignal,
): void {
  const { sessionContext } = inputs.context;
  const runCode = async (code: string) => {
    const kernel = sessionContext.session?.kernel;
    if (!kernel) throw new Error(words.noKernel);
    const request = { code, store_history: false, user_expressions: {} };
    const { content } = await kernel.requestExecute(request).done;
    if (content.status !== "ok") throw new Error(content.evalue);
  };
  const source = fileSource({ ...inputs, runCode }, () => reopen());
  const reopen = showSource(node, source, inputs, lifetime);
}

/** Shows a source, again at each call of what is returned. */
function showSource(
  node: HTMLElement,
  source: Source,
  { context, open, fail }: Inputs,
  lifetime: AbortSignal,
): () => void {
  const { sessionContext } = context;
  /** The lifetime of the workbench that is shown or being opened. */
  let current = new AbortController();
  let isOpening = false;

  const retry: Way[] = [[words.tryAgain, () => reopen()]];

  function reopen(): void {
    keepLast(node);
    current.abort();
    current = childLifetime(lifetime);
    void opened(current.signal);
  }

  async function opened(signal: AbortSignal): Promise<void> {
    say(node, { sentence: words.openingWorkbench });
    isOpening = true;
    try {
      await context.ready;
      await sessionContext.ready;
      const kernel = sessionContext.session?.kernel;
      if (signal.aborted) return;
      if (!kernel) throw new Error(words.noKernel);
      const plan = await source.plan();
      if (signal.aborted) return;
      if ("sentence" in plan) say(node, plan);
      else await draw(kernel, plan, signal);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      say(node, { sentence: (error as Error).message, ways: retry });
    } finally {
      if (!signal.aborted) isOpening = false;
    }
  }

  async function draw(kernel: CommKernel, plan: Plan, signal: AbortSignal): Promise<void> {
    const models = kernelModels(kernel);
    onAbort(signal, () => models.dispose());
    const progress = showProgress(node, {
      title: plan.title,
      code: plan.shown,
      stop: () => void kernel.interrupt().catch((error: Error) => fail(error.message)),
    });
    onAbort(signal, progress.end);
    let id: string;
    try {
      id = await run(kernel, plan.code, progress.report);
    } catch (error) {
      if (!signal.aborted) say(node, plan.failed(error as Error));
      return;
    } finally {
      progress.end();
    }
    const found = await models.find(id);
    const widget = await moduleOf(String(found.get("_esm")));
    if (signal.aborted) return;
    const el = bodyIn(node);
    el.dataset.audiencelabTab = "";
    for (const each of plan.notes ?? []) note(node, each);
    const rendered = { model: found, el, signal } as unknown as Parameters<Render>[0];
    await (widget as { render: Render }).render(rendered);
  }

  const save = () => source.save().catch((error: Error) => fail(error.message));
  const on = <T>(event: string, take: (detail: T) => void) =>
    node.addEventListener(
      event,
      (heard) => {
        heard.preventDefault();
        take((heard as CustomEvent<T>).detail);
      },
      { signal: lifetime },
    );
  on<DocumentDetail>(DOCUMENT, ({ document }) => source.changed(document));
  on(SAVE, () => void save());
  on<OpenDetail>(OPEN, ({ name }) => open(folderIn(context.path) + name));
  node.addEventListener(
    "keydown",
    (event) => {
      // The widget keeps single-letter shortcuts from JupyterLab, and this one with them.
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void save();
    },
    { signal: lifetime },
  );

  let restarting = false;
  const followStatus = (_: unknown, status: string) => {
    if (status === "autorestarting" && isOpening) {
      // Opening it again would end the kernel again.
      current.abort();
      isOpening = false;
      say(node, { sentence: words.kernelDied, ways: retry });
    } else if (status === "restarting" || status === "autorestarting") restarting = true;
    else if (restarting) {
      // Often "unknown", because the kernel sends no status before the first request.
      restarting = false;
      reopen();
    }
  };
  sessionContext.kernelChanged.connect(reopen);
  sessionContext.statusChanged.connect(followStatus);
  onAbort(lifetime, () => {
    sessionContext.kernelChanged.disconnect(reopen);
    sessionContext.statusChanged.disconnect(followStatus);
  });
  addStyle(node.ownerDocument, "audiencelab-tab-style", [style]);
  reopen();
  return reopen;
}

type Render = NonNullable<Exclude<AnyWidget, () => unknown>["render"]>;

/** The module of a widget, which each of its models carries. */
async function moduleOf(source: string): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}
