/** Notebooks on the page. */
import type { LuminoWidget, Token } from "./lumino";

export interface NewCell {
  /** By default JupyterLab generates one. */
  id?: string;
  cell_type: "code";
  source: string;
  metadata: Record<string, unknown>;
}

/** A cell of the shared model, which all collaborators edit. */
export interface SharedCell {
  readonly id: string;
  readonly cell_type: string;
  getSource(): string;
  setSource(source: string): void;
  transact(change: () => void, undoable?: boolean): void;
}

export interface SharedNotebook {
  readonly cells: readonly SharedCell[];
  insertCell(index: number, cell: NewCell): unknown;
  deleteCell(index: number): void;
}

/** A notebook as it is on the page. */
export interface Notebook {
  readonly node: HTMLElement;
  readonly widgets: readonly LuminoWidget[];
  readonly model: {
    readonly readOnly: boolean;
    readonly sharedModel: SharedNotebook;
  } | null;
  activeCellIndex: number;
  mode: "command" | "edit";
  deselectAll(): void;
  activate(): void;
  scrollToItem(index: number, align?: "auto"): Promise<void>;
}

/** A notebook's tab: the notebook and its kernel. */
export interface NotebookPanel extends LuminoWidget {
  readonly content: Notebook;
  readonly sessionContext: object;
  /** The path of its file, relative to the server's root. */
  readonly context: { readonly path: string };
}

export interface NotebookTracker {
  find(test: (panel: NotebookPanel) => boolean): NotebookPanel | undefined;
  /** The active notebook, or the one that was active last. */
  readonly currentWidget: NotebookPanel | null;
}

/** `@jupyterlab/notebook` */
export interface NotebookPackage {
  INotebookTracker: Token;
  NotebookActions: {
    run(notebook: Notebook, session: object): Promise<boolean>;
    /** False where a cell failed, and where there is none above. */
    runAllAbove(notebook: Notebook, session: object): Promise<boolean>;
  };
}
