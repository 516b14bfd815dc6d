/** Outputs of a notebook, what draws them, and the kernel behind them. */
import type { LuminoSignal, LuminoWidget } from "./lumino";
import type { MimeExtension, MimeModel, Renderer } from "./mime";

/** What is shown in an output, beside or inside other things. */
export interface OutputWidget extends LuminoWidget {
  readonly disposed: LuminoSignal<unknown, void>;
  show(): void;
  hide(): void;
}

export interface OutputPanel extends OutputWidget {
  addWidget(widget: LuminoWidget): void;
}

/** `@lumino/widgets` */
export interface LuminoOutputs {
  Widget: new () => OutputWidget;
  Panel: new () => OutputPanel;
}

/** The renderers of one notebook. */
export interface RenderMime {
  addFactory(factory: MimeExtension["rendererFactory"], rank: number): void;
  createRenderer(mimeType: string): Renderer & OutputWidget;
  /** The best of the types, by their ranks; "ensure": of those that are safe. */
  preferredMimeType(data: MimeModel["data"], safe: "any" | "prefer" | "ensure"): string | undefined;
}

export interface Kernel {
  /** Whether this page has it open. */
  hasComm(id: string): boolean;
  requestCommInfo(content: { target_name: string }): Promise<{
    content: { readonly status: string; readonly comms?: Readonly<Record<string, unknown>> };
  }>;
}

export interface SessionContext {
  readonly session: { readonly kernel: Kernel | null } | null;
  /** Comes when there is a kernel, or when it is known that there is none. */
  readonly ready: Promise<void>;
  readonly kernelChanged: LuminoSignal<unknown, unknown>;
}

/** A notebook's tab as its outputs see it. */
export interface OutputNotebook {
  readonly content: { readonly rendermime: RenderMime };
  readonly sessionContext: SessionContext;
}

/** Of the application. */
export interface WithDocuments {
  readonly docRegistry: {
    /** `createNew` is called with each new tab, before anything is drawn in it. */
    addWidgetExtension(
      factory: "Notebook",
      extension: { createNew(panel: OutputNotebook): void },
    ): unknown;
  };
}
