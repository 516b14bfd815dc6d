import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { VIEW, viewPlugin, WIDGET } from "../../../src/lab/saved/view";
import { until } from "../../core/until";

/** The parts of Lumino and JupyterLab that the plugin uses; the browser tests use the real ones. */
class Widget {
  readonly node = document.createElement("div");
  isDisposed = false;
  readonly disposed = { connect: () => true, disconnect: () => true };
  show() {
    this.node.hidden = false;
  }
  hide() {
    this.node.hidden = true;
  }
  dispose() {
    this.isDisposed = true;
    this.node.remove();
  }
}

class Panel extends Widget {
  addWidget(widget: Widget) {
    this.node.append(widget.node);
  }
}

type Factory = { createRenderer(): Panel & { renderModel(model: object): Promise<void> } };

let factory: Factory;
let drawnBy: string[];
let asked: number;
let kernel: { here: string[]; alive: string[] } | null;
/** Until then the kernel does not answer. */
let busy: Promise<void>;
/** Whether the host's widget manager can load the widget. */
let manages: boolean;
/** The metadata of the notebook in which the state of widgets is saved. */
let widgets: object | undefined;

beforeEach(() => {
  widgets = undefined;
  busy = Promise.resolve();
  drawnBy = [];
  asked = 0;
  kernel = { here: [], alive: [] };
  manages = true;
  const rendermime = {
    addFactory: (made: Factory) => {
      factory = made;
    },
    preferredMimeType: (data: object, safe: string) =>
      Object.keys(data).find((type) => safe === "any" || type !== "text/unsafe"),
    createRenderer: (type: string) => {
      const drawn = new Widget();
      return Object.assign(drawn, {
        async renderModel() {
          drawnBy.push(type);
          if (type === WIDGET && !manages) drawn.node.textContent = "Error: model not found";
          else drawn.node.innerHTML = type === WIDGET ? LIVE : "<table></table>";
        },
      });
    },
  };
  const session = {
    get kernel() {
      const known = kernel;
      return (
        known && {
          hasComm: (id: string) => known.here.includes(id),
          requestCommInfo: async () => {
            asked += 1;
            await busy;
            return { content: { comms: Object.fromEntries(known.alive.map((id) => [id, {}])) } };
          },
        }
      );
    },
  };
  const notebook = {
    content: {
      rendermime,
      model: { getMetadata: (key: string) => (key === "widgets" ? widgets : undefined) },
    },
    sessionContext: {
      session,
      ready: Promise.resolve(),
      kernelChanged: { connect: () => true, disconnect: () => true },
    },
  };
  viewPlugin({ Panel, Widget } as never).activate({
    docRegistry: {
      addWidgetExtension: (_: string, { createNew }: { createNew(panel: object): void }) =>
        createNew(notebook),
    },
  } as never);
});

function output({ trusted = true } = {}) {
  const renderer = factory.createRenderer();
  const data = { [VIEW]: {}, [WIDGET]: { model_id: "one" }, "text/unsafe": "", "text/html": "" };
  const ready = renderer.renderModel({ trusted, data, metadata: {} });
  return { node: renderer.node, ready, data };
}

const state = (node: HTMLElement) => node.dataset.audiencelabView;
const becomes = (node: HTMLElement, wanted: string) =>
  until(
    () => state(node) === wanted,
    () => node.outerHTML,
  );

/** The live widget beside the saved form, while it is not drawn yet. */
const LIVE =
  '<section><div data-audiencelab-part="form"></div><div class="audiencelab"></div></section>';

describe("the output of a widget", () => {
  it("is the widget at once where the page has it", async () => {
    kernel = { here: ["one"], alive: ["one"] };
    const { node, ready } = output();
    await ready;
    expect(drawnBy).toEqual([WIDGET]);
    expect(state(node)).toBe("live");
    expect(node.textContent).toBe("");
  });

  it("is the saved form until the kernel reports that it has the widget", async () => {
    kernel = { here: [], alive: ["one"] };
    const { node, ready, data } = output();
    await ready;
    expect(node.querySelector("table")).not.toBeNull();
    await until(
      () => node.querySelector("section"),
      () => node.outerHTML,
    );
    // The loader's own form does not replace that of the notebook.
    node.querySelector("section")?.append(document.createElement("p"));
    expect(node.querySelector("table")).not.toBeNull();
    node.querySelector("[data-audiencelab-part=form]")?.remove();
    await becomes(node, "live");
    expect(node.querySelector("section")).not.toBeNull();
    expect(node.querySelector("table")).toBeNull();
    // A renderer may write to its data, and not to the notebook.
    expect(data[WIDGET]).toEqual({ model_id: "one" });
  });

  it("remains the saved form, with a note, where the kernel no longer has it", async () => {
    const { node } = output();
    await becomes(node, "saved");
    expect(drawnBy).toEqual(["text/unsafe"]);
    expect(node.textContent).toContain("Run this cell");
  });

  it("says that it waits for a busy kernel, and not that it is saved", async () => {
    let answer = () => {};
    busy = new Promise((resolve) => {
      answer = resolve;
    });
    vi.useFakeTimers();
    const { node, ready } = output();
    await ready;
    expect(node.textContent).toBe("");
    await vi.advanceTimersByTimeAsync(3_000);
    vi.useRealTimers();
    expect(node.textContent).toBe("Waiting for the kernel …");
    answer();
    await becomes(node, "saved");
    expect(node.textContent).not.toContain("Waiting");
    expect(node.textContent).toContain("Run this cell");
  });

  it("remains the saved form without a kernel", async () => {
    kernel = null;
    const { node } = output();
    await becomes(node, "saved");
    expect(asked).toBe(0);
  });

  it("remains the saved form where the host cannot load it", async () => {
    kernel = { here: [], alive: ["one"] };
    manages = false;
    const { node } = output();
    await becomes(node, "lost");
    expect(node.querySelector("table")).not.toBeNull();
    expect(node.textContent).toContain("Run this cell");
  });

  it.each([true, false])("is that of the widget's state in the notebook (%s)", async (trusted) => {
    const saved = gzipSync("<p>as it was<script>no()</script></p>").toString("base64");
    const type = "application/vnd.jupyter.widget-state+json";
    widgets = { [type]: { state: { one: { state: { _saved: saved } } } } };
    const { node } = output({ trusted });
    await becomes(node, "saved");
    await until(
      () => node.textContent?.includes("as it was"),
      () => node.outerHTML,
    );
    expect(node.querySelector("script")).toBeNull();
    expect(node.textContent).toContain("Run this cell");
    expect(drawnBy).toEqual([]);
  });

  it("asks no kernel and renders nothing unsafe until the notebook is trusted", async () => {
    kernel = { here: ["one"], alive: ["one"] };
    const { node } = output({ trusted: false });
    await becomes(node, "saved");
    expect(drawnBy).toEqual(["text/html"]);
    expect(asked).toBe(0);
  });
});
