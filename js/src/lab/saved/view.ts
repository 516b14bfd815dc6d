/**
 * The output of a widget in a notebook: the live widget while its kernel has it, else its saved
 * form. JupyterLab's widget manager renders the one and MIME renderers the other; this module only
 * decides between them.
 *
 * Without it, JupyterLab shows "model not found" for each widget of a notebook that is opened after
 * its kernel ended.
 */

import { runAgain } from "../../core/notebook";
import { strings as shared } from "../../ui/strings";
import type {
  Application,
  Kernel,
  LuminoOutputs,
  MimeModel,
  OutputNotebook,
  OutputPanel,
  OutputWidget,
  Plugin,
  Renderer,
  WithDocuments,
} from "../jupyter";
import { strings } from "./strings";

/** MIME types in the outputs of our widgets beside the widget (`render/mime_payload.py`). */
export const VIEW = "application/vnd.audiencelab.view.v1+json";
export const WIDGET = "application/vnd.jupyter.widget-view+json";

/** The metadata of a notebook in which ipywidgets saves the state of its widgets. */
const STATES = "application/vnd.jupyter.widget-state+json";
type WidgetStates = {
  [STATES]?: { state?: Record<string, { state?: { _saved?: unknown } } | undefined> };
};

/** The part of a view that the loader draws before the live widget (`loader/savedForm.ts`). */
const FORM = "[data-audiencelab-part=form]";

/** Before the widget's own MIME type, which has rank -10. */
const RANK = -20;

/** Milliseconds without an answer of the kernel after which the page says that it waits. */
const PATIENCE = 3_000;

export function viewPlugin({ Panel, Widget }: LuminoOutputs): Plugin {
  class ViewRenderer extends Panel implements Renderer {
    private model: MimeModel = { trusted: false, data: {}, metadata: {} };
    private saved: OutputPanel | null = null;
    private note: OutputWidget | null = null;
    private live: OutputWidget | null = null;
    private attempt = 0;

    constructor(private readonly notebook: OutputNotebook) {
      super();
      notebook.sessionContext.kernelChanged.connect(this.ask);
    }

    async renderModel(model: MimeModel): Promise<void> {
      this.model = model;
      for (const shown of [this.saved, this.live]) shown?.dispose();
      this.saved = this.live = null;
      const id = widgetIn(model);
      // A cell that has just run has its model in the page: it is rendered at once.
      if (id && this.kernel?.hasComm(id)) this.goLive();
      else await this.showSaved();
      void this.ask();
    }

    override dispose(): void {
      this.attempt = -1;
      this.notebook.sessionContext.kernelChanged.disconnect(this.ask);
      super.dispose();
    }

    private get kernel(): Kernel | null {
      return this.notebook.sessionContext.session?.kernel ?? null;
    }

    /** Asks the kernel whether it has the widget: a reloaded page gets its models later. */
    private readonly ask = async (): Promise<void> => {
      if (this.live || this.attempt < 0) return;
      this.attempt += 1;
      const { attempt } = this;
      const isOld = () => this.isDisposed || this.live !== null || attempt !== this.attempt;
      const id = widgetIn(this.model);
      this.tell("asking");
      const late = setTimeout(() => isOld() || this.say(shared.waiting), PATIENCE);
      // By then the notebook's renderers have the widget manager, too.
      if (id) await this.notebook.sessionContext.ready;
      const known = id && this.kernel ? await commsOf(this.kernel).catch(() => null) : null;
      clearTimeout(late);
      if (isOld()) return;
      if (known?.has(id)) this.goLive();
      else this.settle("saved");
    };

    /** The widget replaces the saved form only once it is rendered. */
    private goLive(): void {
      const live = this.notebook.content.rendermime.createRenderer(WIDGET);
      this.live = live;
      if (this.saved) live.hide();
      else this.tell("live");
      this.addWidget(live);
      // A copy, because renderers write to it, and the notebook's own data must not change.
      const data = { [WIDGET]: { ...(this.model.data[WIDGET] as object) } };
      const swap = () => {
        if (this.live !== live || !isDrawn(live.node)) return;
        drawing.disconnect();
        this.saved?.dispose();
        this.saved = null;
        live.show();
        this.tell("live");
      };
      const drawing = new MutationObserver(swap);
      drawing.observe(live.node, { childList: true, subtree: true });
      live.disposed.connect(() => drawing.disconnect());
      live.renderModel(this.modelOf(data)).then(
        () => this.saved && live.node.childElementCount === 0 && this.settle("lost"),
        () => this.settle("lost"),
      );
    }

    /**
     * What was last on the screen, where the notebook was saved with the state of its widgets; else
     * the preferred renderable form of the output, which is the first that was on the screen.
     */
    private async showSaved(): Promise<void> {
      const { [VIEW]: _view, [WIDGET]: _widget, ...data } = this.model.data;
      const { rendermime } = this.notebook.content;
      const best = rendermime.preferredMimeType(data, this.model.trusted ? "any" : "ensure");
      const form = formIn(this.notebook, this.model);
      if (!form && best === undefined) return;
      const renderer = !form && best ? rendermime.createRenderer(best) : null;
      const shown = renderer ?? new Widget();
      this.note = noteOf(new Widget());
      this.note.hide();
      this.saved = new Panel();
      this.saved.addWidget(shown);
      this.saved.addWidget(this.note);
      this.addWidget(this.saved);
      if (renderer) return renderer.renderModel(this.modelOf(data));
      const { SavedForm } = await import("../../loader/savedForm");
      new SavedForm(shown.node, form, new AbortController().signal).keep();
    }

    /** The output with other data; changes by the renderer are not stored. */
    private modelOf(data: MimeModel["data"]): MimeModel {
      const { trusted, metadata } = this.model;
      return { trusted, metadata, data, setData: () => {} };
    }

    /**
     * The widget does not exist or the page cannot load it: the saved form remains, with a note.
     */
    private settle(state: "saved" | "lost"): void {
      this.say(`${strings.run} `, again());
      this.tell(state);
    }

    private say(...words: (string | Node)[]): void {
      this.note?.node.replaceChildren(...words);
      this.note?.show();
    }

    private tell(state: "asking" | "live" | "saved" | "lost"): void {
      this.node.dataset.audiencelabView = state;
    }
  }

  return {
    id: "audiencelab:saved",
    description: strings.viewPlugin,
    autoStart: true,
    activate({ docRegistry }: Application & WithDocuments) {
      // Notebooks only: a console has widgets, but no cells to run again.
      docRegistry.addWidgetExtension("Notebook", {
        createNew(notebook) {
          const factory = {
            // Other renderers show the content, as far as the notebook is trusted.
            safe: true,
            mimeTypes: [VIEW],
            createRenderer: () => new ViewRenderer(notebook),
          };
          notebook.content.rendermime.addFactory(factory, RANK);
        },
      });
    },
  };
}

/** Whether the live widget is there, and not only its own saved form. */
function isDrawn(node: HTMLElement): boolean {
  return node.querySelector(".audiencelab") !== null && !node.querySelector(FORM);
}

function noteOf(widget: OutputWidget): OutputWidget {
  Object.assign(widget.node.style, {
    padding: "2px 0",
    color: "var(--jp-content-font-color2)",
    fontFamily: "var(--jp-ui-font-family)",
    fontSize: "var(--jp-ui-font-size1)",
  });
  return widget;
}

/** The button that runs the cell and those above it. */
function again(): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = shared.runAgain;
  button.title = shared.runAgainTitle;
  button.addEventListener("click", () => runAgain(button));
  Object.assign(button.style, {
    padding: "0",
    border: "0",
    background: "none",
    color: "var(--jp-content-link-color)",
    font: "inherit",
    cursor: "pointer",
  });
  return button;
}

/**
 * The id of the widget's model, which is not looked up before the notebook is trusted; "" for none.
 */
function widgetIn({ trusted, data }: MimeModel): string {
  const { model_id: id } = (data[WIDGET] ?? {}) as { model_id?: unknown };
  return trusted && typeof id === "string" ? id : "";
}

/**
 * The form in the widget's state in the notebook, also where that is not trusted: its drawing runs
 * and loads nothing. "" for none.
 */
function formIn({ content }: OutputNotebook, { data }: MimeModel): string {
  const states = (content.model?.getMetadata("widgets") ?? {}) as WidgetStates;
  const { model_id: id } = (data[WIDGET] ?? {}) as { model_id?: unknown };
  const form = states[STATES]?.state?.[String(id)]?.state?._saved;
  return typeof form === "string" ? form : "";
}

/** One request at a time for all outputs that ask the same kernel. */
const asked = new WeakMap<Kernel, Promise<ReadonlySet<string>>>();

function commsOf(kernel: Kernel): Promise<ReadonlySet<string>> {
  const asking = asked.get(kernel) ?? widgetsOf(kernel).finally(() => asked.delete(kernel));
  asked.set(kernel, asking);
  return asking;
}

async function widgetsOf(kernel: Kernel): Promise<ReadonlySet<string>> {
  const { content } = await kernel.requestCommInfo({ target_name: "jupyter.widget" });
  return new Set(Object.keys(content.comms ?? {}));
}
