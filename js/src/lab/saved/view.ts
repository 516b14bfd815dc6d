/**
 * The output of a widget in a notebook: the widget itself while its kernel has it, and what was
 * saved of it when not. JupyterLab's own manager draws the one and its renderers the other; here is
 * only decided which.
 *
 * Without it JupyterLab says "model not found" in the place of each widget of a notebook that is
 * opened after its kernel ended.
 */
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

/** What our widgets' outputs have beside the widget (`frames/saved.py`). */
export const VIEW = "application/vnd.audiencelab.view.v1+json";
export const WIDGET = "application/vnd.jupyter.widget-view+json";

/** Before the widget's own form, which has -10. */
const RANK = -20;

/** Milliseconds after which a page says that this is what was saved, though the kernel is silent. */
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
      // What a cell has just shown is here already: it is drawn at once, as ever.
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

    /** Asks the kernel whether it has the widget: a page that was loaded anew hears of it later. */
    private readonly ask = async (): Promise<void> => {
      if (this.live || this.attempt < 0) return;
      this.attempt += 1;
      const { attempt } = this;
      const isOld = () => this.isDisposed || this.live !== null || attempt !== this.attempt;
      const id = widgetIn(this.model);
      this.tell("asking");
      const late = setTimeout(() => isOld() || this.note?.show(), PATIENCE);
      // By then the notebook's renderers know the manager of its widgets, too.
      if (id) await this.notebook.sessionContext.ready;
      const known = id && this.kernel ? await commsOf(this.kernel).catch(() => null) : null;
      clearTimeout(late);
      if (isOld()) return;
      if (known?.has(id)) this.goLive();
      else this.settle("saved");
    };

    /** The widget takes the place of what was saved once it is drawn, and not before. */
    private goLive(): void {
      const live = this.notebook.content.rendermime.createRenderer(WIDGET);
      this.live = live;
      if (this.saved) live.hide();
      else this.tell("live");
      this.addWidget(live);
      // The host writes on what it is given: the notebook's own stays as it is.
      const data = { [WIDGET]: { ...(this.model.data[WIDGET] as object) } };
      const swap = () => {
        if (this.live !== live || live.node.childElementCount === 0) return;
        drawing.disconnect();
        this.saved?.dispose();
        this.saved = null;
        live.show();
        this.tell("live");
      };
      const drawing = new MutationObserver(swap);
      drawing.observe(live.node, { childList: true });
      live.disposed.connect(() => drawing.disconnect());
      live.renderModel(this.modelOf(data)).then(
        () => this.saved && this.settle("lost"),
        () => this.settle("lost"),
      );
    }

    /** The best of the saved forms that may be drawn. */
    private async showSaved(): Promise<void> {
      const { [VIEW]: _view, [WIDGET]: _widget, ...data } = this.model.data;
      const { rendermime } = this.notebook.content;
      const best = rendermime.preferredMimeType(data, this.model.trusted ? "any" : "ensure");
      if (best === undefined) return;
      const renderer = rendermime.createRenderer(best);
      this.note = noteOf(new Widget());
      this.note.hide();
      this.saved = new Panel();
      this.saved.addWidget(renderer);
      this.saved.addWidget(this.note);
      this.addWidget(this.saved);
      await renderer.renderModel(this.modelOf(data));
    }

    /** The output with other data; nobody keeps what a renderer writes on it. */
    private modelOf(data: MimeModel["data"]): MimeModel {
      const { trusted, metadata } = this.model;
      return { trusted, metadata, data, setData: () => {} };
    }

    /** There is no widget, or the page did not come by it: what was saved stays, and says so. */
    private settle(state: "saved" | "lost"): void {
      this.note?.show();
      this.tell(state);
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
      // A notebook's own renderers and no other's: a console has widgets, and no cells to run again.
      docRegistry.addWidgetExtension("Notebook", {
        createNew(notebook) {
          const factory = {
            // What it shows is drawn by others, as far as the notebook is trusted.
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

function noteOf(widget: OutputWidget): OutputWidget {
  widget.node.textContent = strings.run;
  Object.assign(widget.node.style, {
    padding: "2px 0",
    color: "var(--jp-content-font-color2)",
    fontFamily: "var(--jp-ui-font-family)",
    fontSize: "var(--jp-ui-font-size1)",
  });
  return widget;
}

/** The widget's model, which nobody asks for until the notebook is trusted; "" for none. */
function widgetIn({ trusted, data }: MimeModel): string {
  const { model_id: id } = (data[WIDGET] ?? {}) as { model_id?: unknown };
  return trusted && typeof id === "string" ? id : "";
}

/** One question at a time for all outputs that ask it of a kernel. */
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
