/** Documents in tabs, and the kernels of these tabs. */
import type { LuminoDisposable, LuminoSignal, LuminoWidget, OpenLuminoWidget } from "./lumino";

/** A message of a comm as the kernel sends it. */
export interface CommMessage {
  readonly content: { readonly comm_id?: string; readonly data: Readonly<Record<string, unknown>> };
  readonly buffers?: (ArrayBuffer | ArrayBufferView)[];
}

export interface Comm {
  readonly commId: string;
  readonly isDisposed: boolean;
  onMsg: (message: CommMessage) => void;
  onClose: (message: CommMessage) => void;
  send(data: object, metadata?: object, buffers?: ArrayBuffer[]): unknown;
}

export interface ExecuteReply {
  readonly content: {
    readonly status: string;
    readonly ename?: string;
    readonly evalue?: string;
    readonly user_expressions?: Readonly<
      Record<string, { status: string; data?: Readonly<Record<string, unknown>> }>
    >;
  };
}

/** A running kernel, and the comms of widgets. */
export interface CommKernel {
  interrupt(): Promise<void>;
  registerCommTarget(name: string, opened: (comm: Comm, message: CommMessage) => void): void;
  removeCommTarget(name: string, opened: (comm: Comm, message: CommMessage) => void): void;
  createComm(target: string, id: string): Comm;
  hasComm(id: string): boolean;
  requestExecute(content: {
    code: string;
    store_history: boolean;
    user_expressions: Record<string, string>;
  }): {
    readonly done: Promise<ExecuteReply>;
    /** Receives what the code publishes. */
    onIOPub: (message: { readonly content: object }) => void;
  };
}

/** The kernel of a tab: the preferred one and the running one. */
export interface DocumentSession {
  kernelPreference: object;
  readonly ready: Promise<void>;
  readonly session: {
    readonly kernel: CommKernel | null;
    setPath(path: string): Promise<void>;
    setName(name: string): Promise<void>;
  } | null;
  readonly kernelChanged: LuminoSignal<unknown, unknown>;
  readonly statusChanged: LuminoSignal<unknown, string>;
}

/** A file that is open in a tab. */
export interface DocumentContext {
  readonly path: string;
  readonly ready: Promise<void>;
  readonly model: {
    toString(): string;
    fromString(text: string): void;
    /** Whether there are unsaved changes. */
    dirty: boolean;
    readonly contentChanged: LuminoSignal<unknown, void>;
  };
  readonly sessionContext: DocumentSession;
  readonly pathChanged: LuminoSignal<unknown, string>;
  save(): Promise<void>;
  /** Copies the file, by default when it is opened. */
  createCheckpoint(): Promise<unknown>;
  listCheckpoints(): Promise<object[]>;
}

export interface DocumentTab extends LuminoWidget {
  readonly context: DocumentContext;
}

export interface DocumentFactory {
  readonly widgetCreated: LuminoSignal<unknown, DocumentTab>;
}

/** Makes the model of a document. fileFormat: null for one that is not read. */
export interface ModelFactory {
  get name(): string;
  get fileFormat(): "text" | "base64" | "json" | null;
}

/** `@jupyterlab/docregistry` */
export interface DocumentPackage {
  ABCWidgetFactory: new (options: {
    name: string;
    label: string;
    fileTypes: readonly string[];
    defaultFor: readonly string[];
    modelName?: string;
    readOnly?: boolean;
    preferKernel?: boolean;
    canStartKernel?: boolean;
    shutdownOnClose?: boolean;
  }) => DocumentFactory & { createNewWidget(context: DocumentContext): DocumentTab };
  TextModelFactory: new () => ModelFactory;
  DocumentWidget: new (options: {
    content: LuminoWidget;
    context: DocumentContext;
  }) => DocumentTab & Pick<OpenLuminoWidget, "id" | "title">;
}

export interface DocumentRegistry {
  addFileType(type: {
    name: string;
    displayName: string;
    extensions: string[];
    fileFormat: "text" | "base64";
    contentType: "file";
    mimeTypes: string[];
    icon: object;
  }): LuminoDisposable;
  addModelFactory(factory: ModelFactory): LuminoDisposable;
  addWidgetFactory(factory: DocumentFactory): LuminoDisposable;
}

/** Open tabs of one kind. */
export interface TabTracker {
  add(tab: DocumentTab): Promise<void>;
  save(tab: DocumentTab): Promise<void>;
}

/** `@jupyterlab/apputils` */
export interface TrackerPackage {
  /** A tab that does not name its file after its title, as that of a document does. */
  MainAreaWidget: new (options: {
    content: LuminoWidget;
  }) => OpenLuminoWidget;
  WidgetTracker: new (options: { namespace: string }) => TabTracker;
}

/** Restores the tabs of a tracker when a page is reloaded. */
export interface TabRestorer {
  restore(
    tracker: TabTracker,
    options: {
      command: string;
      args(tab: DocumentTab): Record<string, string>;
      name(tab: DocumentTab): string;
    },
  ): Promise<unknown>;
}
