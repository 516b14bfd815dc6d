import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDragging } from "../../src/lab/dragging";
import type { DropAction, NewCell } from "../../src/lab/jupyter";
import type { Snippet, Snippets } from "../../src/lab/snippets";
import type { ConnectionRecord } from "../../src/protocol";

const snippet: Snippet = {
  kind: "question",
  label: "<b>Age</b>",
  connection: { name: "demo", code: "al.connect()" } as ConnectionRecord,
};

interface Started {
  cells: NewCell[];
  image: HTMLElement;
  at: [number, number];
}

const started: Started[] = [];
const filled: string[] = [];
const told: string[] = [];
let action: DropAction;
let code: () => Promise<string>;
let ended: AbortController;
let root: HTMLElement;

class MimeData {
  readonly held = new Map<string, unknown>();
  setData(type: string, data: unknown) {
    this.held.set(type, data);
  }
}

class Drag {
  constructor(private readonly options: { mimeData: object; dragImage: HTMLElement }) {}
  async start(x: number, y: number) {
    const { held } = this.options.mimeData as MimeData;
    const cells = held.get("application/vnd.jupyter.cells") as NewCell[];
    started.push({ cells, image: this.options.dragImage, at: [x, y] });
    return action;
  }
}

beforeEach(() => {
  for (const list of [started, filled, told]) list.length = 0;
  action = "copy";
  code = async () => "1";
  ended = new AbortController();
  root = document.createElement("div");
  root.innerHTML = '<p class="snippet"></p><p class="other"></p>';
  document.body.replaceChildren(root);
  const snippets = {
    codeOf: () => code(),
    async fill(id: string, written: Promise<string>) {
      filled.push(`${id} ${await written}`);
      return false;
    },
  } as unknown as Snippets;
  const lumino = { MimeData, Drag, UUID: { uuid4: () => "id" } };
  createDragging({ lumino, snippets }).from(root, {
    pieceAt: (target) => (target.matches(".snippet") ? snippet : null),
    onDropped: ({ label }) => void told.push(`dropped ${label}`),
    onFailed: ({ message }) => void told.push(`failed ${message}`),
    lifetime: ended.signal,
  });
});

afterEach(() => ended.abort());

function point(type: string, target: EventTarget, x: number, more: PointerEventInit = {}) {
  target.dispatchEvent(
    new PointerEvent(type, { bubbles: true, button: 0, clientX: x, clientY: 0, ...more }),
  );
}

const at = (name: string) => root.querySelector(`.${name}`) as Element;
const settled = () => new Promise((done) => setTimeout(done, 5));

describe("dragging a snippet", () => {
  it("begins when the pointer has moved, and carries an empty cell that is filled after the drop", async () => {
    point("pointerdown", at("snippet"), 0);
    point("pointermove", document, 3);
    expect(started).toEqual([]);
    point("pointermove", document, 9);
    await settled();
    const [drag] = started;
    expect(drag?.cells).toEqual([
      { id: "id", cell_type: "code", source: "", metadata: { trusted: true } },
    ]);
    expect(drag?.at).toEqual([9, 0]);
    expect(drag?.image.textContent).toBe("<b>Age</b>");
    expect(drag?.image.childElementCount).toBe(0);
    expect(filled).toEqual(["id 1"]);
    expect(told).toEqual(["dropped <b>Age</b>"]);
  });

  it("does not start without a move, with another button, or without a snippet", () => {
    point("pointerdown", at("snippet"), 0);
    point("pointerup", document, 0);
    point("pointermove", document, 50);
    point("pointerdown", at("snippet"), 0, { button: 2 });
    point("pointermove", document, 50);
    point("pointerdown", at("other"), 0);
    point("pointermove", document, 50);
    expect(started).toEqual([]);
  });

  it("is not a click where it ends where it began, and the next click counts again", async () => {
    const clicks: Event[] = [];
    root.addEventListener("click", (event) => void clicks.push(event));
    point("pointerdown", at("snippet"), 0);
    point("pointermove", document, 9);
    point("pointerup", document, 0);
    at("snippet").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(clicks).toEqual([]);
    await settled();
    at("snippet").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(clicks).toHaveLength(1);
  });

  it("leaves nothing without a drop target, and reports missing code", async () => {
    action = "none";
    point("pointerdown", at("snippet"), 0);
    point("pointermove", document, 9);
    await settled();
    expect([...filled, ...told]).toEqual([]);
    action = "copy";
    code = () => Promise.reject(new Error("locked"));
    point("pointerdown", at("snippet"), 0);
    point("pointermove", document, 9);
    await settled();
    expect(told).toEqual(["failed locked"]);
  });

  it("ends with its lifetime", () => {
    ended.abort();
    point("pointerdown", at("snippet"), 0);
    point("pointermove", document, 9);
    expect(started).toEqual([]);
  });
});
