import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Module, Shelf } from "../../src/core/shelf";
import { until } from "../core/until";
import { FORM, freshPage, GRID, LATER, LOADING, PICKER, SHARED, told, Widget } from "./page";

let shelf: Shelf;

beforeEach(() => {
  shelf = freshPage();
  vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const shows = (widget: Widget, text: string) =>
  until(
    () => widget.text === text,
    () => `${widget.el.innerHTML}\n${widget.asked}`,
  );
const asks = (widget: Widget, op: string) =>
  until(
    () => widget.asked.includes(op),
    () => String(widget.asked),
  );

async function pulled(widget: Widget): Promise<void> {
  await asks(widget, "ping");
  widget.answer("ping");
  await asks(widget, "front_end");
}

describe("a widget of a page that has no module", () => {
  it("shows its saved form, and then the live widget of the kernel's module", async () => {
    const widget = new Widget(GRID);
    await shows(widget, "Base 1,000");
    await pulled(widget);
    expect(widget.messages.at(-1)?.args).toEqual({ module: GRID[0], have: [] });
    widget.send(SHARED, GRID);
    await shows(widget, "live grid");
    expect(told).toEqual(["shared", "grid"]);
    expect(console.error).not.toHaveBeenCalled();
  });

  it("asks for what its module loads later, of a widget that is still there", async () => {
    const [gone, widget] = [new Widget(LOADING), new Widget(LOADING)];
    await pulled(widget);
    widget.send(LOADING);
    await shows(widget, "live");
    gone.answer("ping");
    await shows(gone, "live");
    gone.end();
    (widget.el.firstElementChild as HTMLElement).click();
    await until(
      () => widget.messages.at(-1)?.args?.module === LATER[0],
      () => String(widget.asked),
    );
    widget.send(LATER);
    await shows(widget, "and more");
  });

  it("keeps the form visible until the live widget is drawn", async () => {
    let drawn = () => {};
    Object.assign(globalThis, { drawing: new Promise<void>((done) => (drawn = done)) });
    const widget = new Widget(GRID);
    await shows(widget, "Base 1,000");
    await pulled(widget);
    widget.send(SHARED, GRID);
    await shows(widget, "Base 1,000live grid");
    const [form, live] = widget.el.children as unknown as HTMLElement[];
    expect([form?.style.visibility, live?.style.visibility]).toEqual(["", "hidden"]);
    drawn();
    await shows(widget, "live grid");
    expect(live?.style.visibility).toBe("");
  });

  it("asks for what another widget did not bring, and evaluates each module once", async () => {
    const [grid, picker, again] = [new Widget(GRID), new Widget(PICKER), new Widget(GRID)];
    for (const widget of [grid, picker, again]) {
      await asks(widget, "ping");
      widget.answer("ping");
    }
    await asks(grid, "front_end");
    grid.send(SHARED, GRID);
    await asks(picker, "front_end");
    expect(picker.messages.at(-1)?.args?.have).toEqual([SHARED[0], GRID[0]].sort());
    picker.send(PICKER);
    await shows(picker, "live picker");
    await shows(again, "live grid");
    expect(again.asked).toEqual(["ping"]);
    expect(told).toEqual(["shared", "grid", "picker"]);
  });

  it("does not wait for a kernel that leaves another widget without an answer", async () => {
    const [stuck, other] = [new Widget(GRID), new Widget(GRID)];
    await pulled(stuck);
    await pulled(other);
    other.send(SHARED, GRID);
    await shows(other, "live grid");
    stuck.send(SHARED, GRID);
    await shows(stuck, "live grid");
    expect(told).toEqual(["shared", "grid"]);
  });

  it("is drawn in a shadow root", async () => {
    const widget = new Widget(GRID);
    const host = document.body.appendChild(document.createElement("div"));
    host.attachShadow({ mode: "open" }).append(widget.el);
    await pulled(widget);
    widget.send(SHARED, GRID);
    await shows(widget, "live grid");
  });
});

describe("a page that has the module", () => {
  const live: Module = {
    default: {
      render: async ({ el }) => {
        el.textContent = "live at once";
      },
    },
  };

  it("draws the live widget without the form, and asks nothing", async () => {
    shelf.modules.set(GRID[0], Promise.resolve(live));
    const widget = new Widget(GRID);
    await shows(widget, "live at once");
    expect(widget.asked).toEqual([]);
  });

  it("takes it from JupyterLab's extension", async () => {
    shelf.offer = (name) => (name === GRID[0] ? Promise.resolve(live) : undefined);
    const widget = new Widget(GRID);
    await shows(widget, "live at once");
    expect(widget.asked).toEqual([]);
    expect(shelf.modules.has(GRID[0])).toBe(true);
  });

  it("asks the kernel if the extension's file is gone", async () => {
    shelf.offer = () => Promise.reject(new Error("404"));
    const widget = new Widget(GRID);
    await pulled(widget);
    widget.send(SHARED, GRID);
    await shows(widget, "live grid");
  });

  it("still waits for a kernel that no front end reports as alive", async () => {
    shelf.modules.set(GRID[0], Promise.resolve(live));
    const widget = new Widget(GRID, { live: null });
    await shows(widget, "Base 1,000");
    await asks(widget, "ping");
    widget.answer("ping");
    await shows(widget, "live at once");
  });
});

describe("the saved form stays", () => {
  it("where no kernel is behind the channel, and nothing is said or asked", async () => {
    for (const options of [{ live: false }, { find: () => Promise.reject(new Error("none")) }]) {
      const widget = new Widget(GRID, options);
      await shows(widget, "Base 1,000");
      expect(widget.asked).toEqual([]);
    }
    const never = new Widget(GRID, { find: () => new Promise(() => {}) });
    await shows(never, "Base 1,000");
  });

  it("where the host knows no other model and throws", async () => {
    const find = () => {
      throw new TypeError("Cannot read properties of undefined (reading 'get')");
    };
    await shows(new Widget(GRID, { find }), "Base 1,000");
  });

  it("where a module is not what its name says", async () => {
    const widget = new Widget(GRID);
    await pulled(widget);
    widget.send(SHARED, [GRID[0], `${GRID[1]}globalThis.told.push("evil")`]);
    await until(
      () => vi.mocked(console.error).mock.calls.length > 0,
      () => "no error",
    );
    await shows(widget, "Base 1,000");
    expect(told).toEqual([]);
    expect(shelf.modules.size).toBe(0);
  });

  it("where the kernel has no such module, or leaves one out", async () => {
    const [unknown, part] = [new Widget(GRID), new Widget(GRID)];
    await pulled(unknown);
    unknown.refuse("front_end", "There is no module");
    await pulled(part);
    part.send(GRID);
    await until(
      () => vi.mocked(console.error).mock.calls.length === 2,
      () => "no errors",
    );
    for (const widget of [unknown, part]) await shows(widget, "Base 1,000");
  });

  it("where the kernel dies while the page asks, without a sentence about it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const widget = new Widget(GRID);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(widget.text).toContain("Waiting for the kernel.");
    widget.channel.comm_live = false;
    widget.channel.trigger("comm_live_update");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(widget.text).not.toContain("Waiting");
    expect(console.error).not.toHaveBeenCalled();
    expect(widget.channel.listeners).toBe(0);
  });
});

describe("a busy kernel", () => {
  it("is asked again, ever less often, and is named after three seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const widget = new Widget(GRID);
    await vi.advanceTimersByTimeAsync(2_900);
    expect(widget.text).not.toContain("Waiting");
    expect(widget.asked).toEqual(["ping", "ping", "ping"]);
    expect(new Set(widget.messages.map(({ id }) => id)).size).toBe(1);
    expect(widget.messages.map(({ again = false }) => again)).toEqual([false, true, true]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(widget.text).toContain("Waiting for the kernel.");
    expect(widget.asked.length).toBeLessThan(13);
    vi.useRealTimers();
    widget.answer("ping");
    await asks(widget, "front_end");
    widget.send(SHARED, GRID);
    await shows(widget, "live grid");
  });

  it("is not named where nobody knows whether there is one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const widget = new Widget(GRID, { live: null });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(widget.text).not.toContain("Waiting");
  });
});

describe("a view that ends", () => {
  it("leaves nothing, whenever it does", async () => {
    for (const moment of ["at once", "asked", "drawn"]) {
      const view = new AbortController();
      const widget = new Widget(GRID, { signal: view.signal });
      if (moment !== "at once") await pulled(widget);
      if (moment === "drawn") {
        widget.send(SHARED, GRID);
        await shows(widget, "live grid");
      }
      view.abort();
      await until(
        () => widget.channel.listeners === 0 && widget.el.childElementCount === 0,
        () => `${moment}: ${widget.el.innerHTML}`,
      );
    }
    expect(told).toEqual(["shared", "grid", "end grid"]);
  });

  it("ends by the returned function in older hosts", async () => {
    const widget = new Widget(GRID);
    await shows(widget, "Base 1,000");
    widget.end();
    expect(widget.el.childElementCount).toBe(0);
  });
});

describe("a hostile form", () => {
  const of = async (html: string) => {
    const { gzipSync } = await import("node:zlib");
    const widget = new Widget(GRID, {
      live: false,
      saved: gzipSync(html + FORM).toString("base64"),
    });
    await until(
      () => widget.text.includes("Base"),
      () => widget.el.innerHTML,
    );
    return widget.el.querySelector("[data-audiencelab-part]") as HTMLElement;
  };

  it.each([
    "<script>told.push('run')</script>",
    "<img src=x onerror=told.push('run')>",
    "<img src='data:image/svg+xml;base64,PHN2Zz4='>",
    "<a href='javascript:told.push(1)'>link</a>",
    "<svg onload='told.push(1)'><g onclick='told.push(1)'></g></svg>",
    "<object data='https://example.com'></object>",
    "<form action='https://example.com'><input autofocus></form>",
    "<style>body { display: none }</style>",
    "<template><img src=x></template>",
    "<math><mi href='https://example.com'>x</mi></math>",
    "<p onclick='told.push(1)' id=top class=jp-Notebook>text</p>",
  ])("leaves out what runs, loads or leads elsewhere: %s", async (html) => {
    const box = await of(html);
    expect(
      box.querySelectorAll("script, a, svg, object, form, input, template, math"),
    ).toHaveLength(0);
    expect([...box.querySelectorAll("style")].map((each) => each.textContent?.slice(0, 6))).toEqual(
      ["@media"],
    );
    for (const each of box.querySelectorAll("*")) {
      for (const { name } of [...each.attributes]) expect(["style"]).toContain(name);
    }
    expect(told).toEqual([]);
  });

  it.each([
    "background:url(https://example.com/x.png)",
    "background:u\\72l(https://example.com)",
    "background:image-set('x.png' 1x)",
    "background:URL(x)",
    "--x:url(x);background:var(--x)",
    "position:fixed;inset:0",
    "behavior:url(x)",
    "color:red;/*;*/background:url(x)",
  ])("leaves out what loads in a style: %s", async (style) => {
    const box = await of(`<p style="${style}">text</p>`);
    const kept = (box.querySelector("p") as HTMLElement).getAttribute("style") ?? "";
    expect(kept).not.toMatch(/url|image|position|--x:|\\/i);
  });

  it("keeps the styles, spans and images of forms", async () => {
    const box = await of(
      "<table style='border-collapse:collapse;border-top:1px solid #8885'><tr><td colspan=2 " +
        "style='background:rgba(1,2,3,.5)'>x<img alt=chart src='data:image/svg+xml,%3Csvg%3E'></table>",
    );
    expect(box.querySelector("table")?.style.borderTop).toContain("1px solid");
    expect(box.querySelector("td")?.getAttribute("colspan")).toBe("2");
    expect(box.querySelector("td")?.style.background).toContain("rgba");
    expect(box.querySelector("img")?.getAttribute("src")).toBe("data:image/svg+xml,%3Csvg%3E");
  });
});
