// @vitest-environment node
import { beforeEach, describe, expect, it } from "vitest";
import type { NewCell, NotebookPanel, NotebookTracker, SharedCell } from "../../src/lab/jupyter";
import type { Preferences } from "../../src/lab/preferences";
import type { Server } from "../../src/lab/server";
import { createPieces, NoPlace, type Snippet } from "../../src/lab/snippets";
import type { ConnectionRecord } from "../../src/protocol";

/** The parts of a notebook that cells are inserted into; the browser tests use the real one. */
class Cell implements SharedCell {
  undoable: boolean[] = [];
  readonly cell_type = "code";
  constructor(
    readonly id: string,
    private source: string,
  ) {}
  getSource = () => this.source;
  setSource = (source: string) => {
    this.source = source;
  };
  transact(change: () => void, undoable = true) {
    this.undoable.push(undoable);
    change();
  }
}

const cells: Cell[] = [];
const ran: unknown[] = [];
const content = {
  activeCellIndex: 0,
  mode: "edit",
  deselectAll() {},
  activate() {},
  async scrollToItem() {},
  model: {
    readOnly: false,
    sharedModel: {
      cells,
      insertCell: (at: number, { source, id = "new" }: NewCell) =>
        cells.splice(at, 0, new Cell(id, source)),
      deleteCell: (at: number) => void cells.splice(at, 1),
    },
  },
};
const panel = { content, sessionContext: {}, isDisposed: false } as unknown as NotebookPanel;
let current: NotebookPanel | null;
let preferences: Preferences;
let answer: () => Promise<unknown>;

const tracker = {
  get currentWidget() {
    return current;
  },
  find: (test: (panel: NotebookPanel) => boolean) => (test(panel) ? panel : undefined),
} as NotebookTracker;

const demo = { name: "demo", code: "al.connect()" } as ConnectionRecord;
const snippet: Snippet = {
  kind: "question",
  label: "Age",
  connection: demo,
  selection: [{ question: "q4", datapoints: [], suffixes: [] }],
};
const asked: unknown[] = [];
const snippets = createPieces({
  server: {
    async ask(name: string, op: string, args: object) {
      asked.push([name, op, args]);
      return { data: await answer(), buffers: [] };
    },
  } as unknown as Server,
  tracker,
  actions: { run: async (which) => ran.push(which) > 0, runAllAbove: async () => true },
  preferences: () => preferences,
});

beforeEach(() => {
  cells.splice(0, cells.length, new Cell("a", "1"), new Cell("b", "2"));
  ran.length = 0;
  asked.length = 0;
  current = panel;
  content.activeCellIndex = 0;
  content.model.readOnly = false;
  answer = async () => ({ code: "client.stats()" });
  preferences = { insertAt: "below", runInserted: false } as Preferences;
});

const sources = () => cells.map((cell) => cell.getSource());
const WHOLE = "import audiencelab as al\nclient = al.connect()\n\nclient.stats()";

describe("an inserted snippet", () => {
  it("is below the selected cell, with what it needs", async () => {
    expect(await snippets.insert(snippet)).toBe(false);
    expect(sources()).toEqual(["1", WHOLE, "2"]);
    expect(asked).toEqual([
      ["demo", "snippet", { kind: "question", selection: snippet.selection }],
    ]);
    expect(content.activeCellIndex).toBe(1);
    expect(ran).toEqual([]);
    await snippets.insert({ kind: "audience", label: "Saved", connection: demo, id: "7" });
    expect(sources()).toEqual(["1", WHOLE, "client.stats()", "2"]);
    expect(asked[1]).toEqual(["demo", "snippet", { kind: "audience", id: "7" }]);
  });

  it("goes to the end, and runs, by setting or on request", async () => {
    preferences = { ...preferences, insertAt: "end" };
    expect(await snippets.insert(snippet, { run: true })).toBe(true);
    expect(sources().at(-1)).toBe(WHOLE);
    preferences = { ...preferences, runInserted: true };
    expect(await snippets.insert(snippet)).toBe(true);
    expect(ran).toHaveLength(2);
  });

  it("needs a writable notebook, and sends no request without one", async () => {
    current = null;
    await expect(snippets.insert(snippet)).rejects.toThrow(NoPlace);
    current = panel;
    content.model.readOnly = true;
    await expect(snippets.insert(snippet)).rejects.toThrow("read-only");
    expect(asked).toEqual([]);
  });
});

describe("a dropped snippet", () => {
  it("fills its cell with what it needs there, and is not an undo step of its own", async () => {
    cells.splice(1, 0, new Cell("dropped", ""));
    await snippets.fill("dropped", snippets.codeOf(snippet), demo);
    expect(sources()).toEqual(["1", WHOLE, "2"]);
    expect(cells[1]?.undoable).toEqual([false]);
    expect(content.activeCellIndex).toBe(1);
  });

  it("removes its cell when there is no code for it", async () => {
    cells.splice(1, 0, new Cell("dropped", ""));
    answer = () => Promise.reject(new Error("locked"));
    await expect(snippets.fill("dropped", snippets.codeOf(snippet), demo)).rejects.toThrow(
      "locked",
    );
    expect(sources()).toEqual(["1", "2"]);
  });

  it("does not fail when its cell is deleted meanwhile", async () => {
    cells.splice(1, 0, new Cell("dropped", ""));
    const filled = snippets.fill("dropped", snippets.codeOf(snippet), demo);
    cells.splice(1, 1);
    expect(await filled).toBe(false);
    expect(sources()).toEqual(["1", "2"]);
  });
});

it("is complete when it is copied", async () => {
  expect(await snippets.alone(snippet)).toBe(WHOLE);
});
