/**
 * The content of a workbench tab: opens the document in the tab's kernel, renders the widget at the
 * size of the tab, and writes its changes into the document, which JupyterLab saves.
 */
import type { AnyWidget } from "@anywidget/types";
import { childLifetime, isAbort, onAbort } from "../../core/lifetime";
import { DOCUMENT, type DocumentDetail, OPEN, type OpenDetail, SAVE } from "../../core/notebook";
import type { ConnectionRecord } from "../../protocol";
import type { CommKernel, DocumentContext } from "../jupyter";
import type { Server } from "../server";
import { strings } from "../strings";
import { kernelModels } from "./models";
import { connectionFor, MODEL, openingCode, parseDocument, writeDocument } from "./opening";
import { localSource } from "./source";

export interface ViewInputs {
  context: DocumentContext;
  server: Server;
  /** The survey of the sidebar, for a new workbench. */
  preferred(): Promise<ConnectionRecord | null>;
  /** Opens a file by its path. */
  open(path: string): void;
}

export function showWorkbench(node: HTMLElement, inputs: ViewInputs, lifetime: AbortSignal): void {
  const { context } = inputs;
  const { model, sessionContext } = context;
  /**
   * The last text written by the workbench; any other text in the document was loaded from its
   * file.
   */
  let written = "";
  /** The lifetime of the workbench that is shown or being opened. */
  let current = new AbortController();
  let chosen: { code: string } | undefined;

  async function reopen(): Promise<void> {
    current.abort();
    current = childLifetime(lifetime);
    const { signal } = current;
    say(node, strings.openingWorkbench);
    try {
      await context.ready;
      await sessionContext.ready;
      const kernel = sessionContext.session?.kernel;
      if (signal.aborted) return;
      if (!kernel) throw new Error(strings.noKernel);
      written = model.toString();
      const document = parseDocument(written);
      const listed = await inputs.server.connections();
      const preferred = await inputs.preferred();
      if (signal.aborted) return;
      const found = chosen ?? connectionFor(document, listed, preferred);
      const connect = String(document?.connect);
      const ways = [...(preferred ? [preferred] : []), ...listed.connections]
        .filter((each, at, all) => all.findIndex(({ name }) => name === each.name) === at)
        .map((each): Way => [each.title, () => open(each)]);
      if (!found) say(node, strings.unknownSurvey(connect), ways);
      else if ("isBeside" in found && !found.isBeside && !chosen) {
        say(node, strings.elsewhere(connect), [[strings.openIt, () => open(found)], ...ways]);
      } else {
        const drawn = draw(kernel, openingCode(document, found), signal);
        await drawn.catch((error: Error) => {
          if (signal.aborted || isAbort(error) || !localSource(found.code)) throw error;
          const again: Way = [strings.tryAgain, () => void reopen()];
          say(node, strings.notOpenedFrom(error.message, connect), [again, ...ways]);
        });
      }
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      say(node, (error as Error).message, [[strings.tryAgain, () => void reopen()]]);
    }
  }

  async function draw(kernel: CommKernel, code: string, signal: AbortSignal): Promise<void> {
    const models = kernelModels(kernel);
    onAbort(signal, () => models.dispose());
    const user_expressions = { model: MODEL };
    const request = kernel.requestExecute({ code, store_history: false, user_expressions });
    const { content } = await request.done;
    if (signal.aborted) return;
    const { evalue = "", ename = "", user_expressions: values } = content;
    const id = /^'(\w+)'$/.exec(String(values?.model?.data?.["text/plain"]))?.[1];
    if (id === undefined) throw new Error(evalue ? `${ename}: ${evalue}` : strings.notOpened);
    const found = await models.find(id);
    const widget = await moduleOf(String(found.get("_esm")));
    if (signal.aborted) return;
    node.replaceChildren();
    const context = { model: found, el: node, signal } as unknown as Parameters<Render>[0];
    await (widget as { render: Render }).render(context);
  }

  function open(survey: { code: string }): void {
    chosen = survey;
    void reopen();
  }

  const on = <T>(event: string, take: (detail: T) => void) =>
    node.addEventListener(
      event,
      (heard) => {
        heard.preventDefault();
        take((heard as CustomEvent<T>).detail);
      },
      { signal: lifetime },
    );
  on<DocumentDetail>(DOCUMENT, ({ document }) => {
    const text = writeDocument(document);
    if (text === written) return;
    written = text;
    model.fromString(text);
    // JupyterLab marks a document as changed on edits of its shared model only.
    model.dirty = true;
  });
  on(SAVE, () => void context.save());
  on<OpenDetail>(OPEN, ({ name }) => {
    inputs.open(context.path.slice(0, context.path.lastIndexOf("/") + 1) + name);
  });
  node.addEventListener(
    "keydown",
    (event) => {
      // The widget keeps single-letter shortcuts from JupyterLab, and this one with them.
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void context.save();
    },
    { signal: lifetime },
  );

  // The file may be changed by another program, or reverted.
  const followFile = () => {
    if (model.toString() !== written) void reopen();
  };
  const followKernel = () => void reopen();
  const followStatus = (_: unknown, status: string) => {
    if (status === "restarting" || status === "autorestarting") restarting = true;
    else if (restarting) {
      // Often "unknown", because the kernel sends no status before the first request.
      restarting = false;
      void reopen();
    }
  };
  let restarting = false;
  sessionContext.kernelChanged.connect(followKernel);
  sessionContext.statusChanged.connect(followStatus);
  onAbort(lifetime, () => {
    model.contentChanged.disconnect(followFile);
    sessionContext.kernelChanged.disconnect(followKernel);
    sessionContext.statusChanged.disconnect(followStatus);
  });
  void reopen();
  void context.ready.then(() => model.contentChanged.connect(followFile));
}

type Render = NonNullable<Exclude<AnyWidget, () => unknown>["render"]>;

type Way = [label: string, run: () => void];

/** The module of a widget, which each of its models carries. */
async function moduleOf(source: string): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A message in place of the workbench, with buttons. */
function say(node: HTMLElement, sentence: string, ways: readonly Way[] = []): void {
  const page = node.ownerDocument;
  const box = page.createElement("div");
  box.className = "audiencelab-tab-message";
  box.setAttribute("role", "status");
  box.append(sentence);
  for (const [label, run] of ways) {
    const button = page.createElement("button");
    button.type = "button";
    button.className = "jp-mod-styled jp-mod-accept";
    button.textContent = label;
    button.addEventListener("click", run);
    box.append(button);
  }
  node.replaceChildren(box);
}
