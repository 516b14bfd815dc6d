import axe from "axe-core";
import { describe, expect, it, vi } from "vitest";
import { counted, Page, type Plane, pointer, ready } from "./page";

interface TileArgs {
  rows: { start: number; stop: number };
  columns: { start: number; stop: number };
}

describe("the table", () => {
  it("shows names, both bases on both axes, and the metric", async () => {
    const page = await ready(counted(4, 3));
    const line = (row: number) => [0, 1, 2, 3, 4, 5].map((column) => page.words(row, column));
    expect(line(0)).toEqual([
      "Index",
      "Weighted base",
      "Base (n)",
      "Column 1",
      "Column 2",
      "Column 3",
    ]);
    expect(line(1)).toEqual([
      "Base: Everybodyweighted / n",
      "10.0K",
      "5,000",
      "200100",
      "400200",
      "600300",
    ]);
    expect(line(3)).toEqual(["Row 2", "200", "100", "100.0", "100.0", "100.0"]);
  });

  it("is named after its visible rows and columns", async () => {
    const page = await ready(counted(4, 3));
    expect(page.grid.getAttribute("aria-label")).toBe("Crosstab of 4 rows and 3 columns");
    page.model.set("transposed", true);
    await page.until(() => page.words(2, 0) === "Column 1");
    expect(page.grid.getAttribute("aria-label")).toBe("Crosstab of 3 rows and 4 columns");
  });

  it("has ARIA counts and indices that include cells out of view", async () => {
    const page = await ready(counted(5000, 300));
    expect(page.grid.getAttribute("aria-rowcount")).toBe("5002");
    expect(page.grid.getAttribute("aria-colcount")).toBe("303");
    const drawn = page.all('[role="gridcell"]').length;
    expect(drawn).toBeLessThan(1000);
    page.scroll(92 * 299, 24 * 4999);
    const last = await page.until(() => page.at({ row: 5001, column: 302 }));
    await page.until(() => last.textContent !== "");
    expect(page.words(5001, 0)).toBe("Row 5000");
    expect(page.words(0, 302)).toBe("Column 300");
    expect(page.all('[role="gridcell"]').length).toBeLessThan(1000);
  });

  it("stays at its far corner while names arrive and make it wider", async () => {
    const page = new Page(largeTable());
    page.busy = true;
    const corner = () => {
      const { width, height } = page.one(".al-grid-canvas").style;
      return [Number.parseInt(width, 10) - 900, Number.parseInt(height, 10) - 400] as const;
    };
    await page.until(() => page.at({ row: 0, column: 3 }));
    const before = corner();
    page.scroll(...before);
    await page.until(() => page.at({ row: 5001, column: 302 }));
    page.release();
    await page.until(() => page.words(5001, 302) === "100.0");
    expect(page.words(0, 302)).toBe("Hospitalised 300");
    expect(corner()[0]).toBeGreaterThan(before[0]);
    // A browser stops at the end.
    expect(page.grid.scrollLeft).toBeGreaterThanOrEqual(corner()[0]);
    expect(page.grid.scrollTop).toBeGreaterThanOrEqual(corner()[1]);
  });

  it("pushes the pinned name of a group away where the next begins", async () => {
    const rowGroups = { runs: [[["First"], 10] as const, [["Second"], 30] as const], nets: [] };
    const page = new Page({ ...counted(40, 3), banners: { rows: rowGroups } });
    await page.until(() => page.words(3, 3) === "100.0");
    const pin = page.one(".al-grid-pinned");
    const rows = 24 * 11;
    page.scroll(0, rows - 60);
    await page.until(() => pin.textContent === "First" && !pin.hidden);
    expect(pin.style.transform).toBe("translateY(0px)");
    page.scroll(0, rows - 4);
    await page.until(() => pin.style.transform === "translateY(-20px)");
    page.scroll(0, rows + 1);
    await page.until(
      () => pin.textContent === "Second" && pin.style.transform === "translateY(0px)",
    );
  });

  it("keeps what is in view while names arrive and make columns wider", async () => {
    const page = new Page(largeTable());
    page.busy = true;
    await page.until(() => page.at({ row: 0, column: 3 }));
    page.scroll(100 * (leftOf(page, 4) - leftOf(page, 3)), 0);
    await page.until(() => page.at({ row: 0, column: 103 }));
    page.release();
    await page.until(() => page.words(2, 103) === "100.0");
    const lead = ["--name", "--size", "--sample"]
      .map((part) => Number.parseInt(page.grid.style.getPropertyValue(part), 10))
      .reduce((sum, each) => sum + each, 0);
    expect(leftOf(page, 103) - page.grid.scrollLeft).toBe(lead);
  });

  it("starts below headers that are as high as their names need", async () => {
    const table = counted(3, 2);
    const short = await ready(table);
    const long = await ready({
      ...table,
      columns: ["Anybody", "Somebody who reads the news daily"],
    });
    const [low, high] = [short, long].map((page) => {
      const { style } = page.grid;
      const below =
        Number.parseInt(style.getPropertyValue("--head"), 10) +
        Number.parseInt(style.getPropertyValue("--base"), 10);
      const line = page.at({ row: 2, column: 0 })?.closest<HTMLElement>("[role=row]");
      expect(line?.style.top).toBe(`${below}px`);
      return below;
    });
    expect(high).toBeGreaterThan(low as number);
  });

  it("loads only visible cells", async () => {
    const page = await ready(counted(5000, 300));
    const cells = page.requests("tile").map(({ args }) => args as unknown as TileArgs);
    expect(cells.length).toBeLessThan(5);
    expect(Math.max(...cells.map(({ rows }) => rows.stop))).toBeLessThanOrEqual(128);
  });

  it("colours by index whatever the metric, with a sign as well", async () => {
    const table = counted(3, 3, (i, j) => ([10, 2, 1][j] as number) * (i + 1));
    const page = await ready(table);
    page.model.set("significance", "none");
    // A row of the sample has fewer respondents than the usual limit.
    page.model.set("stars", [0, 0]);
    await page.until(() => page.at({ row: 2, column: 3 })?.className.includes("is-over"));
    const look = (column: number) => page.at({ row: 2, column })?.className ?? "";
    expect(look(3)).toContain("is-hot");
    expect(look(3)).toContain("is-over");
    expect(look(5)).toContain("is-cold");
    expect(look(5)).toContain("is-under");
    page.button("Weighted count").click();
    await page.until(() => page.words(0, 0) === "Weighted count");
    expect(look(3)).toContain("is-hot");
  });

  it("marks low bases by the denominator", async () => {
    const page = await ready(counted(3, 3));
    // Row 1 has 50 respondents, column 1 has 100.
    expect(page.at({ row: 2, column: 3 })?.className).toContain("is-low");
    page.button("Column %").click();
    await page.until(() => page.words(0, 0) === "Column %");
    expect(page.at({ row: 2, column: 3 })?.className).not.toContain("is-low");
    expect(page.at({ row: 2, column: 2 })?.className).toContain("is-low");
  });

  it("shows a dash and the reason where there is no value", async () => {
    const table = counted(2, 2);
    const figure = table.figure;
    table.figure = (plane, row, column) =>
      column === 1 && !plane.startsWith("row") && !plane.startsWith("base")
        ? 0
        : figure(plane, row, column);
    const page = await ready(table);
    const cell = page.at({ row: 2, column: 4 });
    expect(cell?.textContent).toBe("–");
    expect(cell?.title).toBe("No respondents in this column");
  });

  it("shows malicious names as text", async () => {
    const table = counted(1, 1);
    table.rows = ["<img src=x onerror=alert(1)>"];
    const page = await ready(table);
    expect(page.words(2, 0)).toBe(table.rows[0]);
    expect(page.all("img")).toEqual([]);
  });
});

describe("switching the metric", () => {
  it("needs no kernel", async () => {
    const page = await ready(counted(4, 3));
    page.busy = true;
    page.button("Column %").click();
    await page.until(() => page.words(2, 3) === "1.0%");
    expect(page.model.get("metrics")).toEqual(["column_percentage"]);
    page.button("Count (n)").click();
    await page.until(() => page.words(2, 3) === "1");
  });

  it("is a radio group with keyboard support", async () => {
    const page = await ready(counted(2, 2));
    const radios = page.all('[role="radio"]');
    page.button("Column %").click();
    await page.until(() => radios[0]?.tabIndex === 0);
    expect(radios.map((radio) => radio.tabIndex)).toEqual([0, -1, -1, -1, -1, -1]);
    radios[0]?.focus();
    radios[0]?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    await page.until(() => page.model.get("metrics")?.toString() === "sample");
    await page.until(() => document.activeElement === page.all('[role="radio"]')[5]);
  });
});

describe("copying", () => {
  it("writes visible values as they are shown, with both bases", async () => {
    const page = await ready(counted(2, 2, (i, j) => (1000 * (i + 1)) / (j + 3)));
    const written = clipboard();
    page.button("Weighted count").click();
    page.button("Copy table").click();
    await page.until(() => written.length > 0);
    const [table = ""] = written[0]?.split("\n\n") ?? [];
    expect(table.split("\n").map((line) => line.split("\t"))).toEqual([
      ["Weighted count", "Weighted base", "Unweighted base (n)", "Column 1", "Column 2"],
      ["Weighted base: Everybody", "10000", "", "200", "400"],
      ["Unweighted base (n): Everybody", "", "5000", "100", "200"],
      ["Row 1", "100", "50", "333", "250"],
      ["Row 2", "200", "100", "667", "500"],
    ]);
  });

  it("copies only a selection, including cells that were never on the screen", async () => {
    const page = await ready(counted(1000, 3, (i) => i));
    const written = clipboard();
    page.button("Weighted count").click();
    page.at({ row: 2, column: 4 })?.focus();
    page.at({ row: 2, column: 4 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowDown", { ctrlKey: true, shiftKey: true });
    await page.until(() => page.has("Copy 1,000 cells"));
    page.grid.dispatchEvent(new Event("copy", { bubbles: true, cancelable: true }));
    await page.until(() => written.length > 0);
    const lines = written[0]?.split("\n") ?? [];
    expect(lines.length).toBe(1001);
    expect(lines[0]).toBe("Weighted count\tColumn 2");
    expect(lines[1000]).toBe("Row 1000\t999");
  });
});

describe("the cell details", () => {
  it("contain the numbers in the formula", async () => {
    const page = await ready(counted(2, 2, () => 30));
    await page.until(() => page.details.includes("Row 1 × Column 1"));
    expect(page.details).toContain("Index 1,500.0 = 100 × (30 ÷ 200) ÷ (100 ÷ 10.0K)");
    page.button("Row %").click();
    await page.until(() => page.details.includes("Row % 30.0% = 100 × 30 ÷ 100"));
    expect(page.details).toContain("of “Row 1” are in “Column 1”");
  });

  it("name every level of a nested banner, also transposed", async () => {
    const runs: [string[], number][] = [[["Male", "Age"], 2]];
    const banners = { columns: { runs, nets: [] } };
    const page = await ready({ ...counted(2, 2, () => 30), banners, isNested: true });
    const whole = "Male › Age › Column 1";
    await page.until(() => page.details.includes(`Row 1 × ${whole}`));
    expect(page.details).toContain(`${whole} 200 / 100`);
    page.button("Column %").click();
    await page.until(() => page.details.includes(`15.0% of “${whole}” are in “Row 1”`));
    page.model.set("transposed", true);
    await page.until(() => page.details.includes(`${whole} × Row 1`));
    page.model.set("transposed", false);
    await page.until(
      () => page.bands === 2 && page.at({ row: 2, column: 3 })?.textContent === "Column 1",
    );
    page.at({ row: 2, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => page.details.includes(`${whole}: Column 1 in words`));
  });

  it("name the base, with several bases the one over the cell's column", async () => {
    const runs: [string[], number][] = [
      [["Everybody"], 1],
      [["Women"], 1],
    ];
    const banners = { columns: { runs, nets: [] } };
    const page = await ready({ ...counted(2, 2, () => 30), banners, bases: 2 });
    await page.until(() => page.details.includes("Base: Everybody"));
    const second = () => page.at({ row: 3, column: 4 });
    await page.until(second);
    second()?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => page.details.includes("Base: Women"));
    page.model.set("transposed", true);
    await page.until(() => page.details.includes("Base: Everybody"));
  });
});

describe("the details of a header", () => {
  it("describe the audience and its size", async () => {
    const page = await ready(counted(2, 2));
    page.at({ row: 0, column: 4 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => page.details.includes("Column 2 in words"));
    expect(page.details).toContain("400 / 200");
    page.at({ row: 1, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => page.details.includes("Everybody in words"));
    expect(page.details).toContain("10.0K / 5,000");
  });
});

describe("a table that is being counted", () => {
  it("shows what is loaded, then the rest, and can be stopped", async () => {
    let arrived = 2;
    const table = counted(4, 2);
    const { figure } = table;
    table.figure = (plane, row, column) =>
      row < arrived ? figure(plane, row, column) : Number.NaN;
    const page = await ready(table, { phase: "running" });
    page.report({ phase: "running", version: 2, cells: 4 });
    await page.until(() => page.text.includes("4 of 8 cells"));
    expect(page.words(3, 3)).toBe("100.0");
    expect(page.at({ row: 4, column: 3 })?.className).toContain("is-absent");
    page.button("Stop counting").click();
    await page.until(() => page.requests("cancel").length === 1);
    arrived = 4;
    page.report({ version: 3 });
    await page.until(() => page.words(5, 3) === "100.0");
    expect(page.text).not.toContain("of 8 cells");
    await page.until(() =>
      page.one(".al-sr-only").textContent?.includes("Table complete: 8 cells"),
    );
  });

  it("reloads only incomplete blocks", async () => {
    const table = counted(100, 2);
    const { figure } = table;
    table.figure = (plane, row, column) => (row < 64 ? figure(plane, row, column) : Number.NaN);
    const page = await ready(table, { phase: "running" });
    page.scroll(0, 24 * 60);
    await page.until(() => page.requests("tile").length === 2);
    table.figure = figure;
    page.report({ version: 2 });
    await page.until(() => page.words(68, 3) === "100.0");
    const blocks = page
      .requests("tile")
      .map(({ args }) => args as unknown as TileArgs)
      .filter(({ rows, columns }) => "start" in rows && "start" in columns);
    expect(blocks.map(({ rows }) => rows.start)).toEqual([0, 64, 64]);
  });

  it("updates the counts of an item after its last cells", async () => {
    const table = counted(2, 40);
    const { figure } = table;
    const early = (plane: Plane) => plane === "row_own_size" || plane === "column_own_size";
    table.figure = (plane, ...place) => (early(plane) ? 7 : figure(plane, ...place));
    const page = await ready(table, { phase: "running" });
    await page.until(() => page.words(2, 1) === "7");
    table.figure = (plane, ...place) => (early(plane) ? 9 : figure(plane, ...place));
    page.report({ version: 2, phase: "done" });
    await page.until(() => page.words(2, 1) === "9" && page.words(1, 3).startsWith("9"));
  });

  it("does not request counts any more when another table has come", async () => {
    const page = await ready(counted(4, 3), { phase: "running" });
    page.busy = true;
    page.report({ version: 2 });
    const sizes = await page.until(() =>
      page.requests("tile").find(({ args }) => Array.isArray(args?.columns)),
    );
    page.replace(counted(2, 2), 2);
    await page.until(() => page.asked.some(({ cancel, id }) => cancel && id === sizes.id));
  });

  it("shows that it was stopped, and offers to count again", async () => {
    const page = await ready(counted(2, 2), { phase: "cancelled" });
    expect(page.text).toContain("Stopped at 4 of 4 cells");
    page.button("Count again").click();
    await page.until(() => page.requests("restart").length === 1);
  });

  it("shows every error and keeps the table", async () => {
    const page = await ready(counted(2, 2));
    page.report({
      version: 2,
      phase: "failed",
      error: {
        type: "InvalidExpression",
        message: "The service refused the query.",
        faults: [{ pointer: "/rows/0/expression", detail: "Unknown question." }],
      },
    });
    const alert = await page.until(() => page.all('[role="alert"]')[0]);
    expect(alert.textContent).toContain("The service refused the query.");
    expect(alert.textContent).toContain("/rows/0/expression Unknown question.");
    expect(page.words(3, 3)).toBe("100.0");
  });
});

describe("the keyboard help", () => {
  it("returns the focus to the cursor's cell", async () => {
    const page = await ready(counted(6, 4));
    page.at({ row: 2, column: 3 })?.focus();
    page.press("ArrowDown");
    page.press("ArrowRight");
    await page.until(() => page.focused === "4,5");
    page.press("?");
    const list = await page.until(() => page.all(".al-keys")[0]);
    list.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await page.until(() => page.all(".al-keys").length === 0);
    expect(page.focused).toBe("4,5");
  });
});

describe("a busy kernel", () => {
  it("keeps loaded cells readable, and loads the rest afterwards", async () => {
    const page = await ready(counted(1000, 3));
    page.busy = true;
    page.scroll(0, 24 * 500);
    await page.until(() => page.at({ row: 510, column: 3 })?.className.includes("is-absent"));
    await page.until(() => page.text.includes("Waiting for the kernel"));
    page.scroll(0, 0);
    await page.until(() => page.words(2, 3) === "100.0");
    page.scroll(0, 24 * 500);
    page.release();
    await page.until(() => page.words(510, 3) === "100.0");
  });
});

describe("another query", () => {
  it("replaces everything of the old one", async () => {
    const page = await ready(counted(4, 3));
    page.sort({ row: 0, column: 3 });
    page.replace({ ...counted(2, 2), rows: ["New 1", "New 2"] }, 2);
    await page.until(() => page.words(2, 0) === "New 1" && page.words(2, 3) !== "");
    expect(page.grid.getAttribute("aria-rowcount")).toBe("4");
    expect(page.at({ row: 4, column: 3 })).toBeNull();
    expect(page.at({ row: 0, column: 3 })?.getAttribute("aria-sort")).toBe("none");
  });

  it("explains what to do if it is empty", async () => {
    const page = new Page(counted(0, 3));
    await page.until(() => page.text.includes("Add rows and columns above"));
    expect(page.grid.hidden).toBe(true);
  });
});

describe("accessibility", () => {
  const painted = async () => {
    const page = new Page(counted(0, 0));
    await page.until(() => page.words(0, 0) === "Index");
    return page;
  };

  it.each([
    ["a complete table", () => ready(counted(6, 4))],
    ["a running table", () => ready(counted(6, 4), { phase: "running" })],
    ["an empty grid", painted],
  ])("%s has no violations that axe can find", async (_, make) => {
    const page = await make();
    const { violations } = await axe.run(page.element, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it("removes everything when the view is closed", async () => {
    const page = await ready(counted(6, 4));
    const { listeners } = page.model;
    expect(listeners).toBeGreaterThan(0);
    page.close();
    expect(page.model.listeners).toBe(0);
    expect(page.channel.listeners).toBe(0);
    expect(page.all("*")).toEqual([]);
  });
});

function clipboard(): string[] {
  const written: string[] = [];
  vi.stubGlobal("navigator", navigator);
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text: string) => void written.push(text) },
  });
  return written;
}

/** Names that need wider columns than the figures. */
function largeTable() {
  return {
    ...counted(5000, 300),
    columns: Array.from({ length: 300 }, (_, i) => `Hospitalised ${i + 1}`),
  };
}

/** Where a column starts in the canvas. */
function leftOf(page: Page, column: number): number {
  return Number.parseInt(page.at({ row: 0, column })?.style.left ?? "", 10);
}
