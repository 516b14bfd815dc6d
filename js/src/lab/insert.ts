/**
 * Inserts code of a widget as a cell below it, and runs its cell again. The widget fires an event
 * on the page (see `core/notebook.ts`); outside of this application's notebooks, the event remains
 * unhandled.
 */
import {
  HELLO,
  INSERT,
  type InsertDetail,
  OPEN,
  type OpenDetail,
  RERUN,
  type RerunDetail,
} from "../core/notebook";
import { insertCell, isWritable } from "./cells";
import type { NotebookPackage, NotebookPanel, NotebookTracker, Plugin } from "./jupyter";
import { strings } from "./strings";

export function insertPlugin({ INotebookTracker, NotebookActions }: NotebookPackage): Plugin {
  return {
    id: "audiencelab:insert",
    description: strings.insertPlugin,
    autoStart: true,
    // Optional: Voila has no notebooks, and would report a missing service as an error.
    optional: [INotebookTracker],
    activate(app, tracker: NotebookTracker | null) {
      if (!tracker) return;
      document.addEventListener(HELLO, (event) => {
        if (placeOf(event, tracker)) event.preventDefault();
      });
      document.addEventListener(INSERT, (event) => {
        const place = placeOf(event, tracker);
        const { code, run } = (event as CustomEvent<InsertDetail>).detail;
        if (!place) return;
        event.preventDefault();
        const { content, sessionContext } = place.panel;
        insertCell(content, place.index + 1, code);
        if (run) void NotebookActions.run(content, sessionContext);
      });
      const rerun = async ({ panel, index }: Place) => {
        const { content, sessionContext } = panel;
        content.activeCellIndex = index;
        content.deselectAll();
        // A new kernel knows nothing of the cells above, such as the client.
        if (index > 0 && !(await NotebookActions.runAllAbove(content, sessionContext))) return;
        content.activeCellIndex = index;
        content.deselectAll();
        await NotebookActions.run(content, sessionContext);
      };
      document.addEventListener(RERUN, (event) => {
        const place = placeOf(event, tracker);
        if (!place) return;
        event.preventDefault();
        if (!(event as CustomEvent<RerunDetail>).detail.only) void rerun(place);
      });
      document.addEventListener(OPEN, (event) => {
        const place = placeOf(event, tracker);
        if (!place) return;
        event.preventDefault();
        const { name } = (event as CustomEvent<OpenDetail>).detail;
        const { path } = place.panel.context;
        // The kernel's working directory is the notebook's folder.
        const folder = path.slice(0, path.lastIndexOf("/") + 1);
        void app.commands.execute("docmanager:open", { path: `${folder}${name}` });
      });
    },
  };
}

interface Place {
  panel: NotebookPanel;
  /** The index of the cell that contains the widget. */
  index: number;
}

function placeOf(event: Event, tracker: NotebookTracker): Place | null {
  // The composed path crosses shadow roots, which `contains` does not.
  const path = event.composedPath();
  const panel = tracker.find(({ content }) => path.includes(content.node));
  if (!panel || !isWritable(panel)) return null;
  const index = panel.content.widgets.findIndex(({ node }) => path.includes(node));
  return index < 0 ? null : { panel, index };
}
