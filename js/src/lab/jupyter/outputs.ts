/** Outputs of a notebook, their renderers, and the kernel behind them. */
import type { LuminoSignal, LuminoWidget } from "./lumino";
import type { MimeExtension, MimeModel, Renderer } from "./mime";

/** A Lumino widget in an output, with its parents and children. */
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
  /** The preferred MIME type by rank; "ensure" considers safe renderers only. */
  preferredMimeType(data: MimeModel["data"], safe: "any" | "prefer" | "ensure"): string | undefined;
}

export interface Kernel {
  /** Whether this page has the comm open. */
  hasComm(id: string): boolean;
  requestCommInfo(content: { target_name: string }): Promise<{
    content: { readonly status: string; readonly comms?: Readonly<Record<string, unknown>> };
  }>;
}

export interface SessionContext {
  readonly session: { readonly kernel: Kernel | null } | null;
  /** Resolves when there is a kernel, or when it is known that there is none. */
  readonly ready: Promise<void>;
  readonly kernelChanged: LuminoSignal<unknown, unknown>;
}

/** A notebook's tab as its outputs see it. */
export interface OutputNotebook {
  readonly content: {
    readonly rendermime: RenderMime;
    readonly model: { getMetadata(key: string): unknown } | null;
  };
  readonly sessionContext: SessionContext;
}

/** Of the application. */
export interface WithDocuments {
  readonly docRegistry: {
    /** `createNew` is called for each new tab, before anything is rendered in it. */
    addWidgetExtension(
      factory: "Notebook",
      extension: { createNew(panel: OutputNotebook): void },
    ): unknown;
  };
}
