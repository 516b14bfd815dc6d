import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { canInsert, insertCode, runAgain } from "../../src/core/notebook";
import { insertPlugin } from "../../src/lab/insert";
import type { Application, NewCell, NotebookPanel } from "../../src/lab/jupyter";
import { until } from "../core/until";

/** The parts of JupyterLab that the plugin uses; the browser tests use the real one. */
class Notebook {
  readonly node = document.createElement("div");
  readonly widgets: { node: HTMLElement }[] = [];
  readonly inserted: [number, NewCell][] = [];
  readonly model = {
    readOnly: false,
    sharedModel: { insertCell: (at: number, cell: NewCell) => this.inserted.push([at, cell]) },
  };
  activeCellIndex = 0;
  mode = "edit";
  deselectAll() {}
  activate() {}
  async scrollToItem() {}

  constructor() {
    for (let i = 0; i < 3; i += 1) {
      const node = document.createElement("div");
      this.node.append(node);
      this.widgets.push({ node });
    }
  }
}

const ran: unknown[] = [];
const panels: NotebookPanel[] = [];
let notebook: Notebook;

beforeAll(() => {
  const plugin = insertPlugin({
    INotebookTracker: {},
    NotebookActions: {
      run: async (which) => ran.push(which) > 0,
      runAllAbove: async ({ activeCellIndex }) => ran.push(`above ${activeCellIndex}`) > 0,
    },
  });
  const find = (test: (panel: NotebookPanel) => boolean) => panels.find(test);
  plugin.activate({ name: "JupyterLab" } as Application, { find } as never);
});

beforeEach(() => {
  document.body.replaceChildren();
  ran.length = 0;
  notebook = new Notebook();
  document.body.append(notebook.node);
  const panel = { content: notebook, sessionContext: {} } as unknown as NotebookPanel;
  panels.splice(0, panels.length, panel);
});

function widgetIn(parent: HTMLElement | undefined): HTMLElement {
  const root = document.createElement("div");
  parent?.append(root);
  return root;
}

describe("without notebooks", () => {
  it("the plugin activates all the same, as in Voila", () => {
    const plugin = insertPlugin({
      INotebookTracker: {},
      NotebookActions: { run: async () => true, runAllAbove: async () => true },
    });
    expect(plugin.requires ?? []).toEqual([]);
    expect(() => plugin.activate({ name: "Voila" } as Application, null as never)).not.toThrow();
  });
});

describe("code of a widget", () => {
  it("becomes an active cell below the widget's, which is not run", () => {
    const root = widgetIn(notebook.widgets[1]?.node);
    expect(canInsert(root)).toBe(true);
    expect(insertCode(root, "1 + 1")).toBe(true);
    const [[index, cell]] = notebook.inserted as [[number, NewCell]];
    expect(index).toBe(2);
    expect(cell).toMatchObject({ cell_type: "code", source: "1 + 1" });
    expect(notebook.activeCellIndex).toBe(2);
    expect(notebook.mode).toBe("command");
    expect(ran).toEqual([]);
  });

  it("runs on request", () => {
    insertCode(widgetIn(notebook.widgets[0]?.node), "1", { run: true });
    expect(ran).toEqual([notebook]);
  });

  it("is inserted from inside a shadow root", () => {
    const shadow = widgetIn(notebook.widgets[0]?.node).attachShadow({ mode: "open" });
    const root = document.createElement("div");
    shadow.append(root);
    expect(insertCode(root, "1")).toBe(true);
    expect(notebook.inserted[0]?.[0]).toBe(1);
  });

  it("is not accepted outside a notebook, nor by a read-only one", () => {
    expect(canInsert(widgetIn(document.body))).toBe(false);
    expect(canInsert(widgetIn(undefined))).toBe(false);
    const root = widgetIn(notebook.widgets[0]?.node);
    notebook.model.readOnly = true;
    expect(canInsert(root)).toBe(false);
    expect(insertCode(root, "1")).toBe(false);
    expect(notebook.inserted).toEqual([]);
  });
});

describe("the cell of a widget", () => {
  it("runs again after those above it", async () => {
    const root = widgetIn(notebook.widgets[2]?.node);
    expect(runAgain(root, { ask: true })).toBe(true);
    expect(ran).toEqual([]);
    expect(runAgain(root)).toBe(true);
    await until(
      () => ran.length === 2,
      () => String(ran),
    );
    expect(ran).toEqual(["above 2", notebook]);
    expect(notebook.activeCellIndex).toBe(2);
  });

  it("has nothing above it where it is the first", async () => {
    runAgain(widgetIn(notebook.widgets[0]?.node));
    await until(
      () => ran.length === 1,
      () => String(ran),
    );
    expect(ran).toEqual([notebook]);
  });

  it("does not run outside of a notebook", () => {
    expect(runAgain(widgetIn(document.body), { ask: true })).toBe(false);
  });
});
