/**
 * The notebook around a widget, where its host can write into it: JupyterLab and Notebook with our
 * extension. Widget and extension do not import each other; they communicate by DOM events, which
 * the extension accepts with `preventDefault`. Where no event is accepted, code is copied instead.
 */

/** "Is this widget in a notebook that accepts new cells?" */
export const HELLO = "audiencelab:hello";
/** "Insert this code into a cell below mine." */
export const INSERT = "audiencelab:insert";

/** "Run my cell again, after those above it." */
export const RERUN = "audiencelab:rerun";

/** "Open a file that was written beside my notebook." */
export const OPEN = "audiencelab:open";

/** "This is my document now", from a widget that fills a tab of its own. */
export const DOCUMENT = "audiencelab:document";
/** "Save the document of my tab." */
export const SAVE = "audiencelab:save";

/** "Does this page render Vega-Lite?" A host that does sets its function in the detail. */
export const CHARTS = "audiencelab:charts";

/**
 * Takes an element of the page; the returned function renders a specification there, and each later
 * one.
 */
export type DrawCharts = (place: HTMLElement, lifetime: AbortSignal) => (spec: object) => void;

export interface ChartsDetail {
  draw?: DrawCharts;
}

/** Marks the element of a tab that holds one widget. */
const TAB = "[data-audiencelab-tab]";

export interface DocumentDetail {
  document: object;
}

export interface RerunDetail {
  /** Whether it is only asked. */
  only: boolean;
}

export interface OpenDetail {
  name: string;
}

export interface InsertDetail {
  code: string;
  /** Whether the new cell is also run. */
  run: boolean;
}

/** Whether a host inserts code for this widget now. */
export function canInsert(root: HTMLElement): boolean {
  return ask(root, HELLO);
}

/** Inserts code into a new cell below the widget's; returns whether a host did. */
export function insertCode(root: HTMLElement, code: string, { run = false } = {}): boolean {
  return ask(root, INSERT, { code, run } satisfies InsertDetail);
}

/** Runs the widget's cell and those above it, or only asks whether a host would. */
export function runAgain(root: HTMLElement, { ask: only = false } = {}): boolean {
  return ask(root, RERUN, { only } satisfies RerunDetail);
}

/** Opens a file in the folder of the widget's notebook; returns whether a host did. */
export function openFile(root: HTMLElement, name: string): boolean {
  return ask(root, OPEN, { name } satisfies OpenDetail);
}

/** The chart renderer of this page; null where the kernel renders images. */
export function chartDrawer(root: HTMLElement): DrawCharts | null {
  const detail: ChartsDetail = {};
  ask(root, CHARTS, detail);
  return detail.draw ?? null;
}

/** Whether the widget fills a tab of its own, which saves its document. */
export function fillsTab(root: HTMLElement): boolean {
  return root.closest(TAB) !== null;
}

/** Passes the widget's document to its tab, which offers to save it. */
export function passDocument(root: HTMLElement, document: object): boolean {
  return ask(root, DOCUMENT, { document } satisfies DocumentDetail);
}

/** Saves the document of the widget's tab. */
export function saveDocument(root: HTMLElement): boolean {
  return ask(root, SAVE);
}

function ask(root: HTMLElement, name: string, detail?: object): boolean {
  const event = new CustomEvent(name, { detail, bubbles: true, cancelable: true, composed: true });
  return !root.dispatchEvent(event);
}
