/** What a workbench tab shows: a document, or a data file before anything of it is saved. */
import type { Contents, DocumentContext } from "../jupyter";
import type { Message } from "./messages";

/** How a workbench is opened. */
export interface Plan {
  /** What is opened, for people. */
  title: string;
  /** The Python that names it, as it is shown; "" for none. */
  shown: string;
  /** The Python that makes `workbench`. */
  code: string;
  /** Lines above the workbench. */
  notes?: readonly Message[];
  /** What to do after an error, or after a stop. */
  failed(error: Error): Message;
}

export interface Source {
  /** How to open it now, or what to ask first. */
  plan(): Promise<Plan | Message>;
  /** Takes each document of the workbench. */
  changed(document: object): void;
  save(): Promise<void>;
}

/** What each source needs of JupyterLab. */
export interface TabInputs {
  context: DocumentContext;
  contents: Contents;
  /** Opens a file by its path. */
  open(path: string): void;
  /** Has the user choose a file; null for none. */
  choose: ((folder: string) => Promise<string | null>) | null;
}
