/**
 * The notebook around a widget, where its host can write into it: JupyterLab and Notebook with our
 * extension. Widget and extension do not know each other; they meet in events on the page,
 * which the extension takes by `preventDefault`. Where nobody takes them, code is copied instead.
 */

/** "Is this widget in a notebook that can be written into?" */
export const HELLO = "audiencelab:hello";
/** "Put this code into a cell below mine." */
export const INSERT = "audiencelab:insert";

/** "Open a file that was written beside my notebook." */
export const OPEN = "audiencelab:open";

export interface OpenDetail {
  name: string;
}

export interface InsertDetail {
  code: string;
  /** Whether the new cell also runs. */
  run: boolean;
}

/** Whether a host takes code for this widget now. */
export function canInsert(root: HTMLElement): boolean {
  return ask(root, HELLO);
}

/** Puts code into a new cell below the widget's; returns whether a host did. */
export function insertCode(root: HTMLElement, code: string, { run = false } = {}): boolean {
  return ask(root, INSERT, { code, run } satisfies InsertDetail);
}

/** Opens a file in the folder of the widget's notebook; returns whether a host did. */
export function openFile(root: HTMLElement, name: string): boolean {
  return ask(root, OPEN, { name } satisfies OpenDetail);
}

function ask(root: HTMLElement, name: string, detail?: InsertDetail | OpenDetail): boolean {
  const event = new CustomEvent(name, { detail, bubbles: true, cancelable: true, composed: true });
  return !root.dispatchEvent(event);
}
