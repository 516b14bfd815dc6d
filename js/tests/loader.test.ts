import type { AnyModel } from "@anywidget/types";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import loader from "../src/loader";

const WORDS = "Run this cell again to see the widget.";

/** Shows a widget with this front end. */
async function shown(frontEnd: Promise<unknown>, signal = new AbortController().signal) {
  const el = document.createElement("div");
  const model = {
    get: () => "IPY_MODEL",
    widget_manager: { get_model: () => frontEnd },
  } as unknown as AnyModel;
  await loader.render({ model, el, signal } as unknown as Parameters<typeof loader.render>[0]);
  return el.textContent;
}

const holding = (content: unknown) => Promise.resolve({ get: () => content });

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe("a widget without its front end", () => {
  it("shows what to do when a notebook was saved with its state, but without binary traits", async () => {
    expect(await shown(holding({}))).toBe(WORDS);
    expect(await shown(holding(undefined))).toBe(WORDS);
    expect(await shown(holding(new ArrayBuffer(0)))).toBe(WORDS);
  });

  it("shows it too where the kernel has no front end, and logs the cause", async () => {
    const why = new Error("widget model not found");
    expect(await shown(Promise.reject(why))).toBe(WORDS);
    expect(console.error).toHaveBeenCalledWith(why);
  });

  it("shows nothing in a view that was removed meanwhile", async () => {
    expect(await shown(holding({}), AbortSignal.abort())).toBe("");
  });
});
