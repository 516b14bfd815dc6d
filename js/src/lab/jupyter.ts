/**
 * What of JupyterLab the extension touches, as types: JupyterLab brings the code itself while it
 * runs, and its packages, 300 MB of them, are not needed to build ours. Each name is JupyterLab's
 * own, and no more is declared than is used. Not for the widgets, which know of no host.
 */

/** What Lumino, JupyterLab's tool box, wants of a thing that has a place on the page. */
export interface LuminoWidget {
  readonly node: HTMLElement;
  readonly isDisposed: boolean;
  dispose(): void;
}

/** `@lumino/widgets` */
export interface Lumino {
  Widget: new (options?: { node?: HTMLElement }) => LuminoWidget;
}

/** Asks for a service of the application; compared by identity, so always the host's own. */
export type Token = object;

export interface Application {
  readonly name: string;
}

export interface Plugin {
  /** The name of the extension, a colon, and a name within it. */
  id: string;
  description: string;
  autoStart: boolean;
  requires?: Token[];
  optional?: Token[];
  activate(app: Application, ...services: never[]): void;
}

export interface NewCell {
  cell_type: "code";
  source: string;
  metadata: Record<string, unknown>;
}

/** A notebook as it is on the page. */
export interface Notebook {
  readonly node: HTMLElement;
  readonly widgets: readonly LuminoWidget[];
  readonly model: {
    readonly readOnly: boolean;
    readonly sharedModel: { insertCell(index: number, cell: NewCell): unknown };
  } | null;
  activeCellIndex: number;
  mode: "command" | "edit";
  deselectAll(): void;
  activate(): void;
  scrollToItem(index: number, align?: "auto"): Promise<void>;
}

/** A notebook's tab: the notebook and its kernel. */
export interface NotebookPanel {
  readonly content: Notebook;
  readonly sessionContext: object;
}

export interface NotebookTracker {
  find(test: (panel: NotebookPanel) => boolean): NotebookPanel | undefined;
}

/** `@jupyterlab/notebook` */
export interface NotebookPackage {
  INotebookTracker: Token;
  NotebookActions: { run(notebook: Notebook, session: object): Promise<boolean> };
}

/** One output: data by MIME type. */
export interface MimeModel {
  /** False for outputs of a notebook that its reader has not run. */
  readonly trusted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A place on the page that draws outputs of its type. */
export interface Renderer extends LuminoWidget {
  renderModel(model: MimeModel): Promise<void>;
}

/** Turns the address of a file beside the notebook into one that can be fetched. */
export interface Resolver {
  resolveUrl(address: string): Promise<string>;
  getDownloadUrl(path: string): Promise<string>;
  isLocal?(address: string): boolean;
}

export interface MimeExtension {
  id: string;
  description: string;
  dataType: "json";
  rendererFactory: {
    /** Whether it may draw what comes from others and has not been trusted. */
    safe: boolean;
    mimeTypes: readonly string[];
    createRenderer(options: { mimeType: string; resolver?: Resolver | null }): Renderer;
  };
  /** The lowest of those that can draw an output draws it; images have 90, HTML has 50. */
  rank: number;
}
