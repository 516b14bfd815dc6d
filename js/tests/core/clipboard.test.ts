import { afterEach, beforeEach, expect, it } from "vitest";
import { copyRich, copyText } from "../../src/core/clipboard";

/** Copied data by type, from the copy event that works over plain HTTP. */
let taken: Record<string, string>;
let root: HTMLElement;
const before = Object.getOwnPropertyDescriptor(window.navigator, "clipboard");

/** The browser's clipboard; `undefined` is a page that was not served over HTTPS. */
function has(clipboard: object | undefined): void {
  Object.defineProperty(window.navigator, "clipboard", { configurable: true, value: clipboard });
}

beforeEach(() => {
  taken = {};
  root = document.createElement("div");
  document.body.replaceChildren(root);
  document.execCommand = () => {
    const field = root.querySelector("textarea");
    const clipboardData = {
      setData(type: string, data: string) {
        taken[type] = data;
      },
    };
    const event = Object.assign(new Event("copy", { cancelable: true }), { clipboardData });
    if (field?.dispatchEvent(event)) taken["text/plain"] = field.value;
    return field !== null;
  };
});

afterEach(() => {
  if (before) Object.defineProperty(window.navigator, "clipboard", before);
  else Reflect.deleteProperty(window.navigator, "clipboard");
});

it("copies text where the page has no Clipboard API", async () => {
  has(undefined);
  expect(await copyText("words", root)).toBe(true);
  expect(taken).toEqual({ "text/plain": "words" });
  expect(root.childElementCount).toBe(0);
});

it("copies a table in both formats there, too", async () => {
  has(undefined);
  expect(await copyRich({ text: "1\t2", html: "<table></table>" }, root)).toBe(true);
  expect(taken).toEqual({ "text/plain": "1\t2", "text/html": "<table></table>" });
  expect(root.childElementCount).toBe(0);
});

it("falls back where the browser refuses", async () => {
  const refused = () => Promise.reject(new DOMException("no", "NotAllowedError"));
  has({ write: refused, writeText: refused });
  expect(await copyRich({ text: "1", html: "<b>1</b>" }, root)).toBe(true);
  expect(taken["text/plain"]).toBe("1");
});

it("reports failure where no method works", async () => {
  has(undefined);
  document.execCommand = () => false;
  expect(await copyRich({ text: "1", html: "<b>1</b>" }, root)).toBe(false);
});
