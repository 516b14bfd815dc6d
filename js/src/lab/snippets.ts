/**
 * Pieces of analysis that people take out of the side bar: a question, an audience, a crosstab.
 * A piece becomes a cell, by a click or dragged to its place, or text to paste. The server writes
 * the code; here it gets what it needs to run where it comes to stand.
 */
import type { Selection } from "../catalogue/selection";
import { type Actions, codeAbove, insertCell, isWritable, showCell } from "./cells";
import { runnable } from "./connecting";
import type { Notebook, NotebookPanel, NotebookTracker } from "./jupyter";
import type { Preferences } from "./preferences";
import type { Connection, Server } from "./server";
import { strings } from "./strings";

export type Kind = "question" | "crosstab" | "audience";

export interface Piece {
  kind: Kind;
  /** What it is called while it is dragged. */
  label: string;
  /** The survey that its codes belong to. */
  connection: Connection;
  /** Of what is picked; else `id` says which saved one. */
  selection?: Selection;
  id?: string;
}

/** There is no place for a cell; the message says what to do. */
export class NoPlace extends Error {
  constructor(
    message: string,
    /** Whether a new notebook would be one. */
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

export type Pieces = ReturnType<typeof createPieces>;

export function createPieces({ server, tracker, actions, preferences }: PieceInputs) {
  async function codeOf({ kind, connection, selection, id }: Piece): Promise<string> {
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
    /** Code with all that it needs, wherever it is pasted. */
    alone: async (piece: Piece) => runnable(await codeOf(piece), piece.connection.code, []),
    /** Puts a piece into the notebook in front, and says whether it runs. */
    async insert(piece: Piece, { run: now = false } = {}): Promise<boolean> {
      place();
      const code = await codeOf(piece);
      // Meanwhile another notebook, or another cell, may have come to the front.
      const panel = place();
      const { content } = panel;
      const index = preferences().insertAt === "end" ? lengthOf(content) : below(content);
      insertCell(content, index, runnable(code, piece.connection.code, codeAbove(content, index)));
      const runs = now || preferences().runInserted;
      if (runs) run(panel);
      return runs;
    },
    /**
     * Writes a piece into the cell of this id, which was dropped empty: only now is it known what
     * stands above it. A piece without code takes its cell with it.
     */
    async fill(id: string, code: Promise<string>, { code: connect }: Connection): Promise<boolean> {
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
    // Not a step of its own: undoing takes the cell away.
    write: (source: string) => cell.transact(() => cell.setSource(source), false),
    remove: () => shared?.deleteCell(index),
  };
}
