/**
 * New code cells in a notebook of the page: where they go, and that they run. Inserting is one
 * step of the notebook's own undo. What is in them is for others to say.
 */
import type { NewCell, Notebook, NotebookPackage, NotebookPanel } from "./jupyter";

export type Actions = NotebookPackage["NotebookActions"];

/** Whether the notebook takes new cells. */
export function isWritable({ content }: NotebookPanel): boolean {
  return content.model !== null && !content.model.readOnly;
}

/** A code cell whose outputs may show themselves: its user has just asked for it. */
export function codeCell(source: string): NewCell {
  return { cell_type: "code", source, metadata: { trusted: true } };
}

/** The new cell is active and has the keyboard: Shift+Enter runs it, as after Lab's own `b`. */
export function insertCell(notebook: Notebook, index: number, source: string): void {
  notebook.model?.sharedModel.insertCell(index, codeCell(source));
  showCell(notebook, index);
}

/** Makes one cell the only one that is chosen, and brings it into sight. */
export function showCell(notebook: Notebook, index: number): void {
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  notebook.mode = "command";
  notebook.activate();
  void notebook.scrollToItem(index, "auto");
}

/** The sources of the code cells above a place, from the top. */
export function codeAbove(notebook: Notebook, index: number): string[] {
  return (notebook.model?.sharedModel.cells ?? [])
    .slice(0, index)
    .filter(({ cell_type }) => cell_type === "code")
    .map((cell) => cell.getSource());
}
