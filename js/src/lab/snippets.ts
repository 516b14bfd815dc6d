/**
 * Snippets of analysis code for a notebook: a question, an audience, a crosstab. A snippet is
 * inserted as a cell, by a click or by dragging, or copied as text. The server writes the code;
 * this module adds what it needs to run at its position.
 */
import type { Selection } from "../catalogue/selection";
import type { ConnectionRecord } from "../protocol";
import { type Actions, codeAbove, insertCell, isWritable, showCell } from "./cells";
import { runnable } from "./connecting";
import type { Notebook, NotebookPanel, NotebookTracker } from "./jupyter";
import type { Preferences } from "./preferences";
import type { Server } from "./server";
import { strings } from "./strings";

export type Kind = "question" | "crosstab" | "audience";

export interface Snippet {
  kind: Kind;
  /** The label shown while it is dragged. */
  label: string;
  /** The survey that its codes belong to. */
  connection: ConnectionRecord;
  /** Codes of a selection; for a saved audience, `id` is set instead. */
  selection?: Selection;
  id?: string;
}

/** There is no notebook to insert into; the message names the remedy. */
export class NoPlace extends Error {
  constructor(
    message: string,
    /** Whether to offer a new notebook as the remedy. */
    readonly needsNotebook = false,
  ) {
    super(message);
  }
}

interface PieceInputs {
  server: Server;
  tracker: NotebookTracker;
  actions: Actions;
  preferences: () => Preferences;
}

export type Snippets = ReturnType<typeof createPieces>;

export function createPieces({ server, tracker, actions, preferences }: PieceInputs) {
  async function codeOf({ kind, connection, selection, id }: Snippet): Promise<string> {
    const args = { kind, ...(selection && { selection }), ...(id !== undefined && { id }) };
    return (await server.ask(connection.name, "snippet", args)).data.code;
  }

  function place(): NotebookPanel {
    const panel = tracker.currentWidget;
    if (!panel || panel.isDisposed) throw new NoPlace(strings.noNotebook, true);
    if (!isWritable(panel)) throw new NoPlace(strings.readOnly);
    return panel;
  }

  function run(panel: NotebookPanel): void {
    void actions.run(panel.content, panel.sessionContext);
  }

  return {
    codeOf,
    /** Code with the import and the connection, for any position. */
    alone: async (snippet: Snippet) => runnable(await codeOf(snippet), snippet.connection.code, []),
    /** Inserts a snippet into the active notebook; returns whether it runs. */
    async insert(snippet: Snippet, { run: now = false } = {}): Promise<boolean> {
      place();
      const code = await codeOf(snippet);
      // The active notebook or cell may have changed meanwhile.
      const panel = place();
      const { content } = panel;
      const index = preferences().insertAt === "end" ? lengthOf(content) : below(content);
      insertCell(
        content,
        index,
        runnable(code, snippet.connection.code, codeAbove(content, index)),
      );
      const runs = now || preferences().runInserted;
      if (runs) run(panel);
      return runs;
    },
    /**
     * Writes a snippet into the cell with this id, which was dropped empty: only after the drop are
     * the cells above it known. If the code cannot be loaded, the cell is removed.
     */
    async fill(
      id: string,
      code: Promise<string>,
      { code: connect }: ConnectionRecord,
    ): Promise<boolean> {
      const found = cellOf(tracker, id);
      if (!found) throw new NoPlace(strings.notDropped);
      const written = await code.catch((error: Error) => {
        cellOf(tracker, id)?.remove();
        throw error;
      });
      const at = cellOf(tracker, id);
      if (!at) return false;
      const { panel, index } = at;
      at.write(runnable(written, connect, codeAbove(panel.content, index)));
      showCell(panel.content, index);
      if (preferences().runInserted) run(panel);
      return preferences().runInserted;
    },
  };
}

function lengthOf(notebook: Notebook): number {
  return notebook.model?.sharedModel.cells.length ?? 0;
}

function below(notebook: Notebook): number {
  return Math.min(notebook.activeCellIndex + 1, lengthOf(notebook));
}

function cellOf(tracker: NotebookTracker, id: string) {
  const indexIn = ({ content }: NotebookPanel) =>
    content.model?.sharedModel.cells.findIndex((cell) => cell.id === id) ?? -1;
  const panel = tracker.find((each) => indexIn(each) >= 0);
  const shared = panel?.content.model?.sharedModel;
  const index = panel ? indexIn(panel) : -1;
  const cell = shared?.cells[index];
  if (!panel || !cell) return null;
  return {
    panel,
    index,
    // Not a step of its own: undo removes the cell.
    write: (source: string) => cell.transact(() => cell.setSource(source), false),
    remove: () => shared?.deleteCell(index),
  };
}
