/** Inserts code cells into a notebook, as one step of its undo history, and runs them. */
import type { NewCell, Notebook, NotebookPackage, NotebookPanel } from "./jupyter";

export type Actions = NotebookPackage["NotebookActions"];

/** Whether the notebook accepts new cells. */
export function isWritable({ content }: NotebookPanel): boolean {
  return content.model !== null && !content.model.readOnly;
}

/** A code cell with trusted outputs, because the user has just requested it. */
export function codeCell(source: string): NewCell {
  return { cell_type: "code", source, metadata: { trusted: true } };
}

/** The new cell is active and focused: Shift+Enter runs it, as after JupyterLab's own `b`. */
export function insertCell(notebook: Notebook, index: number, source: string): void {
  notebook.model?.sharedModel.insertCell(index, codeCell(source));
  showCell(notebook, index);
}

/** Selects one cell only, and scrolls to it. */
export function showCell(notebook: Notebook, index: number): void {
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  notebook.mode = "command";
  notebook.activate();
  void notebook.scrollToItem(index, "auto");
}

/** The sources of the code cells above a position, from the top. */
export function codeAbove(notebook: Notebook, index: number): string[] {
  return (notebook.model?.sharedModel.cells ?? [])
    .slice(0, index)
    .filter(({ cell_type }) => cell_type === "code")
    .map((cell) => cell.getSource());
}
