import { describe, expect, it } from "vitest";
import {
  gridKey,
  keysFor,
  leaveComposition,
  listKey,
  Typeahead,
  undoKey,
} from "../../src/ui/keyboard";

describe("keys in a list", () => {
  it("move by one, by a page, and to the ends, and stop there", () => {
    const at = (key: string, index: number) => listKey(key, { index, count: 20, page: 8 });
    expect(at("ArrowDown", 3)).toBe(4);
    expect(at("ArrowDown", 19)).toBe(19);
    expect(at("ArrowUp", 0)).toBe(0);
    expect(at("PageDown", 15)).toBe(19);
    expect(at("PageUp", 15)).toBe(7);
    expect(at("Home", 9)).toBe(0);
    expect(at("End", 9)).toBe(19);
  });

  it("enter the list from outside it", () => {
    expect(listKey("ArrowDown", { index: -1, count: 5 })).toBe(0);
    expect(listKey("ArrowUp", { index: -1, count: 5 })).toBe(4);
  });

  it("are ignored in an empty list, and so are other keys", () => {
    expect(listKey("ArrowDown", { index: -1, count: 0 })).toBeNull();
    expect(listKey("a", { index: 0, count: 5 })).toBeNull();
  });
});

describe("keys in a grid", () => {
  const at = { row: 5, column: 3, rows: 100, columns: 10, page: 20 };
  const press = (key: string, ctrlKey = false) => gridKey({ key, ctrlKey, metaKey: false }, at);

  it("move along both axes", () => {
    expect(press("ArrowRight")).toEqual({ row: 5, column: 4 });
    expect(press("ArrowUp")).toEqual({ row: 4, column: 3 });
    expect(press("PageDown")).toEqual({ row: 25, column: 3 });
  });

  it("go to the ends of a row, and with Ctrl to the ends of everything", () => {
    expect(press("Home")).toEqual({ row: 5, column: 0 });
    expect(press("End", true)).toEqual({ row: 99, column: 9 });
    expect(press("ArrowDown", true)).toEqual({ row: 99, column: 3 });
  });

  it("are null for unknown keys", () => {
    expect(press("Enter")).toBeNull();
  });
});

it.each([
  ["Ctrl+Z, Ctrl+Shift+Z", "⌘Z, ⇧⌘Z"],
  ["Alt+↑ ↓ → ←", "⌥↑ ↓ → ←"],
  ["Shift + Alt + ← →", "⌥⇧← →"],
  ["Space, Shift+↑ ↓, Ctrl+A", "Space, ⇧↑ ↓, ⌘A"],
  ["Move; with Ctrl to the end", "Move; with ⌘ to the end"],
  ["Alternative", "Alternative"],
])("%s is written %s on a Mac", (keys, mac) => {
  expect(keysFor(keys, true)).toBe(mac);
  expect(keysFor(keys, false)).toBe(keys);
});

describe("typeahead", () => {
  const labels = ["Age", "Area", "Brands", "Behaviour"];
  const label = (index: number) => labels[index] ?? "";

  it("cycles through labels with one letter", () => {
    let now = 0;
    const typed = new Typeahead(() => now);
    expect(typed.find("a", 0, 4, label)).toBe(1);
    now += 2_000;
    expect(typed.find("a", 1, 4, label)).toBe(0);
  });

  it("joins letters typed in quick succession", () => {
    const typed = new Typeahead(() => 0);
    expect(typed.find("b", 0, 4, label)).toBe(2);
    expect(typed.find("e", 2, 4, label)).toBe(3);
    expect(typed.find("x", 3, 4, label)).toBe(-1);
  });
});

describe("keys of an input method", () => {
  const heard: string[] = [];
  const root = document.createElement("div");
  const field = root.appendChild(document.createElement("input"));
  leaveComposition(root, new AbortController().signal);
  field.addEventListener("keydown", ({ key }) => heard.push(key));
  root.addEventListener("keydown", ({ key }) => heard.push(`${key} outside`));

  it("do not reach the field, nor its ancestors", () => {
    for (const special of [{ isComposing: true }, { keyCode: 229 }]) {
      const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
      for (const [name, value] of Object.entries(special))
        Object.defineProperty(event, name, { value });
      field.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(false);
    }
    expect(heard).toEqual([]);
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(heard).toEqual(["Enter", "Enter outside"]);
  });
});

describe("the keys of undo", () => {
  const press = (key: string, init: KeyboardEventInit = {}, field?: HTMLElement) => {
    const target = field ?? document.createElement("div");
    document.body.append(target);
    const event = new KeyboardEvent("keydown", { key, ctrlKey: true, bubbles: true, ...init });
    target.dispatchEvent(event);
    target.remove();
    return undoKey(event);
  };
  const written = (text: string, mark?: string) => {
    const field = document.createElement("input");
    field.value = text;
    if (mark) field.setAttribute(mark, "");
    return field;
  };

  it.each([
    ["z", {}, "undo"],
    ["Z", { shiftKey: true }, "redo"],
    ["y", {}, "redo"],
    ["z", { ctrlKey: false, metaKey: true }, "undo"],
    ["z", { ctrlKey: false }, null],
    ["z", { altKey: true }, null],
    ["a", {}, null],
  ])("%s with %o", (key, init, meaning) => {
    expect(press(key, init)).toBe(meaning);
  });

  it("are the browser's own in a field, and ours in an empty search box or a marked field", () => {
    expect(press("z", {}, written("wom"))).toBeNull();
    expect(press("z", {}, written(""))).toBeNull();
    expect(press("z", {}, written("wom", "data-undo"))).toBe("undo");
    for (const [text, meaning] of [
      ["wom", null],
      ["", "undo"],
    ] as const) {
      const box = written(text);
      box.setAttribute("role", "combobox");
      expect(press("z", {}, box)).toBe(meaning);
    }
  });
});
