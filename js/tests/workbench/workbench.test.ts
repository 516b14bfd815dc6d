import axe from "axe-core";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { CHARTS, type ChartsDetail } from "../../src/core/notebook";
import { Page } from "./page";

const pages: Page[] = [];

function open(options?: ConstructorParameters<typeof Page>[0]): Promise<Page> {
  const page = new Page(options);
  pages.push(page);
  return page.ready();
}

afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

const USUAL = { kind: "", title: "", sort: "asked", palette: "standard", labels: true };
const GENDER = { question: "q2", datapoints: ["q2_1"], suffixes: [] };

function svg(): DataView {
  return new DataView(new TextEncoder().encode("<svg>#&</svg>").buffer);
}

describe("the panes", () => {
  it("are the widgets themselves, with models of their own", async () => {
    const page = await open();
    for (const [part, inside] of [
      ["questions", ".al-picker"],
      ["audience", ".al-editor"],
      ["table", ".al-grid"],
    ] as const) {
      expect(page.part(part).querySelector(inside), part).not.toBeNull();
    }
  });

  it("are removed with all their listeners", async () => {
    const page = await open();
    page.close();
    expect(page.element.childElementCount).toBe(0);
    for (const [name, model] of page.models) expect(model.listeners, name).toBe(0);
  });

  it("that no longer exist are reported", async () => {
    const page = new Page({ parts: ["picker", "grid"] });
    pages.push(page);
    await page.until(() => page.text.includes("has ended. Run the cell again"));
  });

  it("report once that the kernel is gone", async () => {
    const page = await open();
    for (const [name, model] of page.models) {
      if (name.endsWith("channel")) model.trigger("comm:close");
    }
    await page.until(() => page.text.includes("The kernel was restarted"));
    expect(page.text.split("The kernel was restarted")).toHaveLength(2);
  });
});

describe("the layout", () => {
  it.each([
    [600, ["table"]],
    [1_000, ["table"]],
    [1_200, ["table"]],
    [1_600, ["table", "chart"]],
    [1_900, ["questions", "table", "chart"]],
  ])("shows at %i pixels %j", async (width, panes) => {
    const page = await open({ width });
    expect(page.inSight).toEqual(panes);
  });

  it("changes by tabs, and each tab controls its pane", async () => {
    const page = await open({ width: 600 });
    const tab = page.button("Audience");
    tab.click();
    await page.until(() => page.inSight.includes("audience"));
    expect(page.inSight).toEqual(["audience"]);
    expect(tab.getAttribute("aria-selected")).toBe("true");
    expect(tab.getAttribute("aria-controls")).toBe(page.part("audience").id);
    expect(page.part("audience").getAttribute("aria-labelledby")).toBe(tab.id);
  });

  it("collapses by button and by Enter, and expands by the names", async () => {
    const page = await open({ width: 1_600, closed: [] });
    page.button("Collapse questions and audience").click();
    await page.until(() => !page.inSight.includes("questions"));
    expect(page.bench.get("panes")).toMatchObject({ closed: ["rail"] });
    await page.until(() => document.activeElement?.textContent === "Questions");
    const [chart] = page.all('[role="separator"]');
    chart?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    await page.until(() => !page.inSight.includes("chart"));
    page.button("Audience").click();
    await page.until(() => page.inSight.includes("audience"));
    expect(page.bench.get("panes")).toMatchObject({ closed: ["chart"] });
  });

  it("is resized by keys, and Python stores it", async () => {
    const page = await open({ width: 1_200, closed: [] });
    const [rail] = page.all('[role="separator"]');
    expect(rail?.getAttribute("aria-orientation")).toBe("vertical");
    rail?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await page.until(() => rail?.getAttribute("aria-valuenow") === "376");
    expect(page.bench.get("panes")).toMatchObject({ rail: 376, height: 640 });
  });

  it("keeps the chosen sizes in a smaller window", async () => {
    const page = await open({ width: 800 });
    const sizes = { rail: 500, chart: 700, height: 640, kind: "", closed: [] };
    page.bench.set("panes", sizes);
    await page.until(() => page.all('[aria-valuenow="360"]').length === 1);
    const kind = await page.until(() => page.part("chart").querySelector("select"));
    kind.value = "bar";
    kind.dispatchEvent(new Event("change", { bubbles: true }));
    expect(page.bench.get("panes")).toEqual({ ...sizes, kind: "bar" });
  });

  it("has no violations in any shape", async () => {
    for (const width of [600, 1_000, 1_600]) {
      const page = await open({ width });
      // The panes' own tests check them.
      const { violations } = await axe.run({ include: page.element, exclude: ".al-part" });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      page.close();
    }
  });
});

describe("the transfer bars", () => {
  it("add the picks in the chosen way", async () => {
    const page = await open();
    page.answers.add = () => [{ lines: 1 }];
    const rows = page.button("Add to rows");
    rows.click();
    expect(rows.getAttribute("aria-disabled")).toBe("true");
    page.picker.set("selection", [GENDER]);
    await page.until(() => rows.getAttribute("aria-disabled") === "false");
    const how = page.part("questions").querySelector("select");
    if (!how) throw new Error("nothing says how");
    how.value = "or";
    how.dispatchEvent(new Event("change", { bubbles: true }));
    await page.until(() => how.value === "or");
    rows.click();
    await page.until(() => page.text.includes("1 row added"));
    expect(page.requests("add")).toEqual([{ side: "rows", how: "or", selection: [GENDER] }]);
    // Added picks are removed from the picker.
    expect(page.picker.get("selection")).toEqual([]);
    page.picker.set("selection", [GENDER]);
    await page.until(() => rows.getAttribute("aria-disabled") === "false");
    page.button("Add to the audience").click();
    await page.until(() => page.text.includes("Added to the audience"));
    expect(page.requests("condition")).toEqual([{ selection: [GENDER] }]);
  });

  it("use the audience as base or item, and report errors", async () => {
    const page = await open();
    page.answers.base = () => {
      throw new Error("The audience is unfinished.");
    };
    page.button("Use as base").click();
    await page.until(() => page.text.includes("The audience is unfinished."));
    page.answers.base = () => [{ everyone: false }];
    page.button("Use as base").click();
    await page.until(() => page.text.includes("Now the base of the table"));
    expect(page.text).not.toContain("The audience is unfinished.");
  });

  it("open the selected cells in the editor, which is shown", async () => {
    const page = await open();
    page.grid.set("_selected_cells", { rows: [0], columns: [1] });
    const edit = page.button("Open cell as audience");
    await page.until(() => edit.getAttribute("aria-disabled") === "false");
    edit.click();
    await page.until(() => page.inSight.includes("audience"));
    expect(page.requests("edit")).toHaveLength(1);
    page.grid.set("_selected_cells", { rows: [0, 1], columns: [1] });
    await page.until(() => edit.textContent === "Open cells as audience");
  });
});

describe("the chart", () => {
  async function drawn(width = 1_600): Promise<Page> {
    const page = new Page({ width });
    pages.push(page);
    page.answers.chart = () => [
      { kind: "dots", alt: "dots of <b>", note: "", title: "Age" },
      [svg()],
    ];
    await page.ready();
    return page;
  }
  const picture = (page: Page) =>
    page.part("chart").querySelector<HTMLImageElement>('img[data-current="true"]');

  it("is an image with its own alternative text", async () => {
    const page = await drawn();
    const image = await page.until(() => picture(page));
    expect(image.src).toBe("data:image/svg+xml;charset=utf-8,%3Csvg%3E%23%26%3C%2Fsvg%3E");
    expect(image.alt).toBe("Chart: dots of <b>");
    expect(page.requests("chart")).toEqual([
      { ...USUAL, dark: false, width: 0, rows: [], columns: [] },
    ]);
  });

  it("is rendered by the page where an extension offers to", async () => {
    const specs: object[] = [];
    const offer = (event: Event) => {
      (event as CustomEvent<ChartsDetail>).detail.draw = (place) => (spec) => {
        place.textContent = "drawn here";
        specs.push(spec);
      };
    };
    document.addEventListener(CHARTS, offer);
    onTestFinished(() => document.removeEventListener(CHARTS, offer));
    const page = new Page({ width: 1_600 });
    pages.push(page);
    const spec = { description: "dots", layer: [] };
    const bytes = new TextEncoder().encode(JSON.stringify(spec));
    page.answers.chart = () => [
      { kind: "dots", alt: "dots", note: "" },
      [new DataView(bytes.buffer)],
    ];
    await page.ready();
    await page.until(() => page.part("chart").querySelector('[data-current="true"]'));
    expect(page.part("chart").textContent).toContain("drawn here");
    expect(specs).toEqual([spec]);
    expect(page.requests("chart")).toMatchObject([{ format: "vega" }]);
  });

  it("is rendered again for another selection, metric, kind and theme", async () => {
    const page = await drawn();
    const redrawn = async (change: () => void) => {
      await page.until(() => picture(page));
      const before = page.requests("chart").length;
      change();
      await page.until(() => page.requests("chart").length > before);
      return page.requests("chart").at(-1);
    };
    expect(
      await redrawn(() => page.grid.set("_selected_cells", { rows: [0, 1], columns: [0] })),
    ).toMatchObject({ rows: [0, 1], columns: [0] });
    await redrawn(() => page.grid.set("metrics", ["size"]));
    const kind = page.part("chart").querySelector("select") as HTMLSelectElement;
    const asked = await redrawn(() => {
      kind.value = "bar";
      kind.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(asked).toMatchObject({ kind: "bar" });
    expect(page.bench.get("panes")).toMatchObject({ kind: "bar" });
    const root = page.all(".audiencelab")[0] as HTMLElement;
    const dark = await redrawn(() => {
      document.body.dataset.jpThemeLight = "false";
    });
    expect(dark).toMatchObject({ dark: true });
    expect(root.dataset.theme).toBe("dark");
    delete document.body.dataset.jpThemeLight;
  });

  it("is edited in its panel, and every setting can be undone", async () => {
    const page = await drawn();
    await page.until(() => picture(page));
    page.button("Edit the chart").click();
    const panel = await page.until(() => page.all('[role="dialog"]')[0]);
    const [title, sort, palette, labels] = [...panel.querySelectorAll("input, select")] as [
      HTMLInputElement,
      HTMLSelectElement,
      HTMLSelectElement,
      HTMLInputElement,
    ];
    expect(document.activeElement).toBe(title);
    expect(title.placeholder).toBe("Age");
    for (const typed of ["W", "Wh", "Who"]) {
      title.value = typed;
      title.dispatchEvent(new Event("input", { bubbles: true }));
    }
    for (const [list, value] of [
      [sort, "value"],
      [palette, "blue"],
    ] as const) {
      list.value = value;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }
    labels.click();
    const chosen = { title: "Who", sort: "value", palette: "blue", labels: false };
    expect(page.bench.get("panes")).toMatchObject(chosen);
    await page.until(() => page.requests("chart").length === 2);
    expect(page.requests("chart").at(-1)).toMatchObject(chosen);
    const undone = [
      { labels: true },
      { palette: "standard" },
      { sort: "asked" },
      { title: "" },
    ] as const;
    for (const part of undone) {
      const undo = new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true });
      title.dispatchEvent(undo);
      expect(page.bench.get("panes")).toMatchObject(part);
    }
    (await page.until(() => page.all('[aria-label="Redo: title"]')[0])).click();
    expect(page.bench.get("panes")).toMatchObject({ title: "Who", sort: "asked" });
  });

  it("shows the table again when a change is reverted, also while it renders", async () => {
    const page = await drawn();
    await page.until(() => picture(page));
    page.grid.set("transposed", true);
    page.grid.set("transposed", false);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(picture(page)).not.toBeNull();
    expect(page.requests("chart")).toHaveLength(1);
    page.answers.chart = () => {
      page.grid.set("transposed", false);
      return [{ kind: "dots", alt: "the table turned", note: "" }, [svg()]];
    };
    page.grid.set("transposed", true);
    await page.until(() => page.requests("chart").length === 2);
    await page.until(() => picture(page));
    expect(picture(page)?.alt).toBe("Chart: dots of <b>");
  });

  it("waits until the table is complete, and the old one is greyed meanwhile", async () => {
    const page = await drawn();
    await page.until(() => picture(page));
    page.grid.set("_table", { generation: 2, rows: 3, columns: 2, base: "All", scope: "" });
    page.grid.set("_progress", { generation: 2, version: 1, phase: "running", cells: 0 });
    await page.until(() => !picture(page));
    expect(page.part("chart").querySelector("img")).not.toBeNull();
    expect(page.requests("chart")).toHaveLength(1);
    page.grid.set("_progress", { generation: 2, version: 2, phase: "done", cells: 6 });
    await page.until(() => picture(page));
    expect(page.requests("chart")).toHaveLength(2);
  });

  it("is not requested while it is invisible", async () => {
    const page = await drawn(600);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(page.requests("chart")).toEqual([]);
    page.button("Chart").click();
    await page.until(() => picture(page));
  });

  it("shows an error in place of the old one", async () => {
    const page = await drawn();
    await page.until(() => picture(page));
    page.answers.chart = () => {
      throw new Error("Too many cells for one picture.");
    };
    page.grid.set("metrics", ["size"]);
    await page.until(() => page.part("chart").textContent?.includes("Too many cells"));
    expect(page.part("chart").querySelector("img")).toBeNull();
  });
});

describe("sending the chart", () => {
  const opened = async () => {
    const page = new Page({ width: 1_600 });
    pages.push(page);
    page.answers.chart = () => [{ kind: "dots", alt: "dots", note: "Of 4 lines" }, [svg()]];
    await page.ready();
    await page.until(() => page.part("chart").querySelector("img"));
    page.listen("grid");
    return page;
  };

  it("asks the crosstab for a file, and shows why there is none", async () => {
    const page = await opened();
    page.answers.export = () => {
      throw new Error("No room for a picture.");
    };
    const bar = page.part("chart");
    const send = [...bar.querySelectorAll("button")].find((each) => each.textContent === "Send");
    send?.click();
    const png = await page.until(() =>
      page.all('[role="menuitem"]').find((each) => each.textContent?.startsWith("Image (PNG)")),
    );
    png.click();
    const said = "That did not work: No room for a picture.";
    await page.until(() => bar.textContent?.includes(said));
    expect(page.requests("export")).toMatchObject([{ format: "chart_png", rows: [], columns: [] }]);
    expect(bar.querySelector("img")).not.toBeNull();
  });

  it("adds it to the deck of the table", async () => {
    const page = await opened();
    page.answers.deck = () => [null];
    page.answers.templates = () => [{ names: [] }];
    const bar = page.part("chart");
    const add = [...bar.querySelectorAll("button")].find((each) =>
      each.textContent?.includes("Add to deck"),
    );
    add?.click();
    await page.until(() => page.all('[role="dialog"]')[0]);
    expect(page.requests("deck")).toMatchObject([{ do: "add", chart: true }]);
  });
});

describe("the history and exports", () => {
  it("restore an earlier query", async () => {
    const page = await open();
    page.bench.set("_shown", ["Now × <i>", "Before × All"]);
    page.button("History").click();
    const before = await page.until(() =>
      page.all('[role="dialog"] button').find((each) => each.textContent === "Before × All"),
    );
    before.click();
    await page.until(() => page.all('[role="dialog"]').length === 0);
    expect(page.requests("show")).toEqual([{ place: 1 }]);
    expect(document.activeElement).toBe(page.button("History"));
  });

  it("report why a query cannot be restored, and allow another", async () => {
    const page = await open();
    page.answers.show = () => {
      throw new Error("The wave is gone.");
    };
    page.bench.set("_shown", ["Now", "Before"]);
    page.button("History").click();
    const panel = await page.until(() => page.all('[role="dialog"]')[0]);
    page.button("Before").click();
    await page.until(() => panel.textContent?.includes("That did not work: The wave is gone."));
    page.answers.show = () => [null];
    page.button("Now").click();
    await page.until(() => page.all('[role="dialog"]').length === 0);
    expect(page.requests("show")).toEqual([{ place: 1 }, { place: 0 }]);
  });

  it("write a document with the given name", async () => {
    const page = await open();
    page.answers.save = ({ name }) => [{ path: `${name}.audiencelab.json` }];
    page.button("Save workbench").click();
    const field = await page.until(
      () => page.all('[role="dialog"] input')[0] as HTMLInputElement | undefined,
    );
    field.value = "study";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    page
      .all('[role="dialog"] form')[0]
      ?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await page.until(() => page.text.includes("Saved as study.audiencelab.json"));
    page.answers.notebook = ({ name }) => [{ path: `${name}.ipynb` }];
    page.button("Export as notebook").click();
    await page.until(() => page.text.includes("Saved as study.ipynb"));
    page.answers.notebook = () => {
      throw new Error("No space left.");
    };
    page.button("Export as notebook").click();
    await page.until(() => page.text.includes("No space left."));
  });
});
