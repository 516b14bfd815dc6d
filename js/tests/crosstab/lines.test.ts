// Long because each test drives the whole widget on one page.
import "../searchWords";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import type { Arrangement } from "../../src/crosstab/arrangement/plan";
import type { ShownItems } from "../../src/protocol";
import { type Counted, counted, Page, pointer } from "./page";

async function ready(table: Counted): Promise<Page> {
  const page = new Page(table);
  const row = table.banners?.rows ? 3 : 2;
  await page.until(() => page.at({ row: page.bands + row, column: 3 })?.textContent);
  return page;
}

/** Rows 1 and 2 are in Gender, 3 to 5 in Age; columns 1 and 2 are in Use, 2 in Daily too. */
function headed(): Counted {
  return {
    ...counted(5, 3, (i, j) => ([5, 9, 2, 8, 4][i] as number) + j),
    banners: {
      rows: {
        runs: [
          [["Gender"], 2],
          [["Age"], 3],
        ],
        nets: [4],
      },
      columns: {
        runs: [
          [["Use"], 1],
          [["Use", "Daily"], 1],
          [[], 1],
        ],
        nets: [],
      },
    },
  };
}

const rows = (page: Page) =>
  page
    .all('[role="rowheader"]')
    .filter((cell) => !cell.closest("[hidden]"))
    .map(
      (cell) =>
        [
          Number.parseInt(cell.closest<HTMLElement>("[role=row]")?.style.top || "0", 10),
          cell.textContent,
        ] as const,
    )
    .sort((a, b) => a[0] - b[0])
    .map(([, name]) => name)
    .slice(1);

const arrangement = (page: Page) => page.model.get("_arrangement") as Arrangement;

describe("groups over the rows", () => {
  it("have a row each, which collapses", async () => {
    const page = await ready(headed());
    expect(rows(page)).toEqual(["Gender", "Row 1", "Row 2", "Age", "Row 3", "Row 4", "Row 5"]);
    const head = () => page.at({ row: page.bands + 5, column: 0 });
    expect(head()?.textContent).toBe("Age");
    expect(head()?.getAttribute("aria-expanded")).toBe("true");
    head()?.click();
    await page.until(() => rows(page).length === 4);
    expect(rows(page)).toEqual(["Gender", "Row 1", "Row 2", "Age"]);
    expect(head()?.getAttribute("aria-expanded")).toBe("false");
    expect(page.grid.getAttribute("aria-rowcount")).toBe("8");
    expect(arrangement(page).rows?.folded).toEqual([["Age"]]);
  });

  it("keep their items together when these are sorted, and nets in position", async () => {
    const page = await ready(headed());
    page.button("Weighted count").click();
    page.sort({ row: page.bands, column: 3 });
    await page.until(() => rows(page)[1] === "Row 2");
    expect(rows(page)).toEqual(["Gender", "Row 2", "Row 1", "Age", "Row 4", "Row 3", "Row 5"]);
    expect(page.at({ row: page.bands + 8, column: 0 })?.className).toContain("is-net");
  });

  it("collapse and expand by keyboard, and the focus stays", async () => {
    const page = await ready(headed());
    page.at({ row: page.bands + 2, column: 0 })?.focus();
    page.at({ row: page.bands + 2, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowLeft");
    await page.until(() => rows(page)[1] === "Age");
    page.press("ArrowRight");
    await page.until(() => rows(page)[1] === "Row 1");
    page.press("Enter");
    await page.until(() => rows(page)[1] === "Age");
    expect(document.activeElement?.textContent).toBe("Gender");
  });
});

describe("groups over the columns", () => {
  it("are above the names, a row for each level, and span their columns", async () => {
    const page = await ready(headed());
    expect(page.bands).toBe(2);
    const use = page.at({ row: 0, column: 3 });
    expect(use?.textContent).toBe("Use");
    expect(use?.getAttribute("aria-colspan")).toBe("2");
    expect(page.at({ row: 1, column: 4 })?.textContent).toBe("Daily");
    expect(page.words(2, 3)).toBe("Column 1");
  });

  it("are reached by keyboard, group by group", async () => {
    const page = await ready(headed());
    page.at({ row: 2, column: 3 })?.focus();
    page.at({ row: 2, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowUp");
    page.press("ArrowUp");
    await page.until(() => document.activeElement?.textContent === "Use");
    page.press("ArrowDown");
    page.press("ArrowDown");
    await page.until(() => document.activeElement?.textContent === "Column 1");
    const { violations } = await axe.run(page.element, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });
});

describe("a row of groups of which none is visible", () => {
  it("has no row role, and has it again when they are visible", async () => {
    const banners = {
      columns: {
        runs: [[["Use"], 2] as [string[], number], [[], 58] as [string[], number]],
        nets: [],
      },
    };
    const page = await ready({ ...counted(3, 60), banners });
    const roles = () => page.all(".al-grid-band").map((row) => row.getAttribute("role"));
    expect(roles()).toEqual(["row"]);
    page.scroll(92 * 55, 0);
    await page.until(() => roles()[0] === "presentation");
    page.scroll(0, 0);
    await page.until(() => roles()[0] === "row");
  });
});

describe("several levels of sorting", () => {
  it("are added with Shift, numbered, and listed in the panel", async () => {
    const page = await ready(
      counted(4, 2, (i, j) => (j === 0 ? [1, 2, 1, 2] : [3, 4, 5, 6])[i] as number),
    );
    page.button("Weighted count").click();
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 2");
    page.sort({ row: 0, column: 4 }, { shiftKey: true });
    await page.until(() => page.words(2, 0) === "Row 4");
    expect(page.column(0, 4)).toEqual(["Row 4", "Row 2", "Row 3", "Row 1"]);
    const header = (column: number) => page.at({ row: 0, column });
    expect([3, 4].map((column) => header(column)?.dataset.level)).toEqual(["1", "2"]);
    expect([3, 4].map((column) => header(column)?.getAttribute("aria-sort"))).toEqual([
      "descending",
      "none",
    ]);
    page.button("Rows & columns").click();
    await page.until(() => page.text.includes("Rows by Column 2 (descending)"));
    page.button("Remove sort: Rows by Column 1 (descending)").click();
    await page.until(() => page.words(3, 0) === "Row 3");
    expect(arrangement(page).rows?.sort).toEqual([{ by: 1, direction: "descending" }]);
  });
});

describe("the selection", () => {
  it("is sent again when other items come to its positions", async () => {
    const page = await ready(counted(4, 3));
    page.at({ row: 2, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowDown", { shiftKey: true });
    const picked = () => page.model.get("_selected_cells");
    await page.until(() => JSON.stringify(picked()) === '{"rows":[0,1],"columns":[0]}');
    const sort = [{ by: "size", direction: "descending" }];
    page.model.set("_arrangement", { generation: 1, rows: { sort } });
    await page.until(() => page.words(2, 0) === "Row 4");
    await page.until(() => JSON.stringify(picked()) === '{"rows":[3,2],"columns":[0]}');
  });

  it("stays in the view in which it was made", async () => {
    const page = await ready(counted(4, 3));
    page.at({ row: 2, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => JSON.stringify(page.model.get("_selected_cells")).includes("[0]"));
    const elsewhere = { rows: [1], columns: [2] };
    page.model.set("_selected_cells", elsewhere);
    page.model.set("_arrangement", { generation: 1, rows: { hidden: [0] } });
    await page.until(() => page.words(2, 0) === "Row 2");
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(page.model.get("_selected_cells")).toBe(elsewhere);
  });
});

describe("hiding", () => {
  it("hides an item by key, and the panel shows it again", async () => {
    const page = await ready(counted(4, 3));
    page.at({ row: 3, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    page.press("h");
    await page.until(() => page.words(3, 0) === "Row 3");
    expect(page.words(3, 1)).toBe("300");
    expect(page.grid.getAttribute("aria-rowcount")).toBe("5");
    page.at({ row: 0, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.press("h");
    await page.until(() => page.words(0, 3) === "Column 2");
    expect(page.words(2, 3)).toBe("100.0");
    page.button("Rows & columns").click();
    await page.until(() => hasButton(page, "Show Row 2"));
    page.button("Show Row 2").click();
    await page.until(() => page.words(3, 0) === "Row 2");
    page.button("Reset").click();
    await page.until(() => page.words(0, 3) === "Column 1");
    expect(Object.keys(arrangement(page))).toEqual(["generation"]);
  });

  it("is the same in a second view and after a reload", async () => {
    const page = await ready(counted(4, 3));
    page.model.set("_arrangement", {
      generation: 1,
      rows: { hidden: [0], sort: [{ by: "size", direction: "descending" }] },
    });
    await page.until(() => page.words(2, 0) === "Row 4");
    expect(page.column(0, 3)).toEqual(["Row 4", "Row 3", "Row 2"]);
    page.model.set("_arrangement", { generation: 7, rows: { hidden: [1] } });
    await page.until(() => page.words(2, 0) === "Row 1");
  });
});

describe("what Python is told", () => {
  const told = (page: Page) => page.model.get("_shown_items") as ShownItems | undefined;
  const sort = [{ by: "size", direction: "descending" }] as const;

  it("is what is shown, in one message with its arrangement", async () => {
    const page = await ready(counted(4, 3));
    expect(told(page)).toBeUndefined();
    page.at({ row: 3, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    const before = page.model.saved.length;
    page.press("h");
    await page.until(() => page.words(3, 0) === "Row 3");
    expect(told(page)).toEqual({
      arrangement: { generation: 1, rows: { hidden: [1] }, columns: {} },
      metric: "index",
      transposed: false,
      rows: [0, 2, 3],
      columns: [0, 1, 2],
    });
    const sent = page.model.saved.slice(before).map((each) => JSON.parse(each));
    const first = sent.find(({ _arrangement }) => _arrangement.rows);
    expect(first._shown_items).toEqual(told(page));
  });

  it("follows another metric, and rows and columns that are swapped", async () => {
    const page = await ready(headed());
    const rows = { sort: [{ by: 0, direction: "descending" }] };
    page.model.set("_arrangement", { generation: 1, rows: { ...rows, folded: [["Age"]] } });
    await page.until(() => told(page)?.rows);
    const byIndex = told(page)?.rows;
    page.model.set("metrics", ["size"]);
    await page.until(() => told(page)?.metric === "size");
    expect([byIndex, told(page)?.rows]).toEqual([
      [0, 1],
      [1, 0],
    ]);
    page.model.set("transposed", true);
    await page.until(() => told(page)?.transposed);
    expect(told(page)?.rows).toEqual([1, 0, 3, 2, 4]);
  });

  it("is nothing before the table is complete, and before its order is known", async () => {
    const page = new Page(counted(300, 3), { phase: "running" });
    await page.until(() => page.at({ row: 2, column: 3 })?.textContent);
    page.model.set("_arrangement", { generation: 1, rows: { sort, hidden: [299] } });
    await page.until(() => page.words(2, 0) === "Row 299");
    expect(told(page)).toBeUndefined();
    page.busy = true;
    page.report({ phase: "done", version: 2 });
    expect(told(page)).toBeUndefined();
    page.release();
    const shown = await page.until(() => told(page)?.rows);
    expect(shown.slice(0, 2)).toEqual([298, 297]);
  });
});

describe("moving", () => {
  it("works by keyboard, and the focus follows the item", async () => {
    const page = await ready(counted(4, 3));
    page.at({ row: 2, column: 0 })?.focus();
    page.at({ row: 2, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowDown", { altKey: true });
    await page.until(() => page.words(3, 0) === "Row 1");
    page.press("ArrowDown", { altKey: true });
    await page.until(() => page.words(4, 0) === "Row 1");
    await page.until(() => document.activeElement?.textContent === "Row 1");
    expect(arrangement(page).rows?.moves).toEqual([{ line: 0, before: 3 }]);
    page.at({ row: 0, column: 5 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowLeft", { altKey: true });
    await page.until(() => page.words(0, 4) === "Column 3");
  });

  it("does not leave a group", async () => {
    const page = await ready(headed());
    page.at({ row: page.bands + 4, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowDown", { altKey: true });
    expect(arrangement(page)).toEqual({});
    page.at({ row: page.bands + 2, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowDown", { altKey: true });
    await page.until(() => rows(page)[0] === "Age");
    expect(rows(page)).toEqual(["Age", "Row 3", "Row 4", "Row 5", "Gender", "Row 1", "Row 2"]);
  });
});

describe("widths", () => {
  it("change by keyboard and stay with the column", async () => {
    const page = await ready(counted(3, 3));
    page.at({ row: 0, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowRight", { shiftKey: true, altKey: true });
    await page.until(() => page.at({ row: 0, column: 3 })?.style.width !== "");
    const width = Number.parseInt(page.at({ row: 0, column: 3 })?.style.width ?? "", 10);
    expect(arrangement(page).columns?.widths).toEqual([[0, width]]);
    expect(page.at({ row: 2, column: 3 })?.style.width).toBe(`${width}px`);
    expect(page.at({ row: 2, column: 4 })?.style.width).toBe("");
    page.press("ArrowRight", { altKey: true });
    await page.until(() => page.words(0, 4) === "Column 1");
    expect(page.at({ row: 0, column: 4 })?.style.width).toBe(`${width}px`);
  });

  it("include the width of the names", async () => {
    const page = await ready(counted(3, 3));
    const before = Number.parseInt(page.grid.style.getPropertyValue("--name"), 10);
    page.at({ row: 0, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowRight", { shiftKey: true, altKey: true });
    await page.until(() => page.grid.style.getPropertyValue("--name") === `${before + 16}px`);
  });
});

describe("filtering", () => {
  it("asks the kernel for missing values, and shows items that pass", async () => {
    const page = await ready(
      counted(500, 4, (i, j) => 2 * (i + 1) * (j + 1) * (i === 400 ? 3 : 1)),
    );
    page.button("Rows & columns").click();
    await page.until(() => hasButton(page, "Add filter"));
    page.button("Add filter").click();
    await page.until(() => page.words(2, 0) === "Row 401");
    expect(page.grid.getAttribute("aria-rowcount")).toBe("3");
    expect(page.requests("measure")[0]?.args).toMatchObject({ of: "largest", metric: "index" });
    page.button("Remove filter: Rows with Index ≥ 120 in any cell").click();
    await page.until(() => page.words(2, 0) === "Row 1");
  });
});

describe("finding", () => {
  async function found(typed: string): Promise<(string | null)[]> {
    const table = { ...headed(), rows: ["Female", "18 to 24", "Élan", "Row 4", "Row 5"] };
    const page = await ready(table);
    page.press("f", { ctrlKey: true });
    const field = await page.until(() => page.all('[role="combobox"]')[0] as HTMLInputElement);
    field.value = typed;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await page.until(() => page.all('[role="option"]').length > 0);
    return page.all('[role="option"] .al-clip').map((each) => each.textContent);
  }

  it.each([
    ["gender fem", "Female"],
    ["AGE 4", "Row 4"],
    ["elan", "Élan"],
    ["women", "Female"],
    ["18-24", "18 to 24"],
    ["femael", "Female"],
  ])("requires every word of %s, in names and groups", async (typed, name) => {
    expect(await found(typed)).toEqual([expect.stringContaining(name)]);
  });

  it("leads to rows and columns by keyboard", async () => {
    const page = await ready(counted(500, 300));
    page.at({ row: 2, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.press("f", { ctrlKey: true });
    const field = await page.until(() => page.all('[role="combobox"]')[0] as HTMLInputElement);
    field.value = "400";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await page.until(() => page.all('[role="option"]').length === 1);
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    await page.until(() => page.words(401, 0) === "Row 400");
    const { violations } = await axe.run(page.element, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });
});

describe("finding hidden items", () => {
  async function searched(page: Page, words: string): Promise<HTMLInputElement> {
    page.press("f", { ctrlKey: true });
    const field = await page.until(() => page.all('[role="combobox"]')[0] as HTMLInputElement);
    field.value = words;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await page.until(() => page.all('[role="option"]').length === 1);
    return field;
  }
  const enter = () => new KeyboardEvent("keydown", { key: "Enter", bubbles: true });

  it("shows a hidden item again", async () => {
    const page = await ready(counted(4, 3));
    page.model.set("_arrangement", { generation: 1, rows: { hidden: [2] } });
    await page.until(() => page.words(4, 0) === "Row 4");
    (await searched(page, "row 3")).dispatchEvent(enter());
    await page.until(() => page.words(4, 0) === "Row 3");
    await page.until(() => page.at({ row: 4, column: 0 })?.tabIndex === 0);
  });

  it("reports that an item is in a collapsed group, and does not move", async () => {
    const page = await ready(headed());
    page.at({ row: page.bands + 3, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.model.set("_arrangement", { generation: 1, rows: { folded: [["Age"]] } });
    await page.until(() => rows(page).length === 4);
    const before = page.all('[tabindex="0"][role="gridcell"]').map((cell) => cell.textContent);
    (await searched(page, "row 3")).dispatchEvent(enter());
    await page.until(() =>
      page.text.includes("Age › Row 3 is hidden by a filter or a collapsed group"),
    );
    expect(page.all('[tabindex="0"][role="gridcell"]').map((cell) => cell.textContent)).toEqual(
      before,
    );
    expect(arrangement(page).rows).toEqual({ folded: [["Age"]] });
  });
});

describe("names", () => {
  const names = (page: Page) =>
    page.all('[role="rowheader"][aria-selected="true"]').map((name) => name.textContent);
  const press = (page: Page, row: number, keys: object = {}) =>
    page.at({ row, column: 0 })?.dispatchEvent(pointer("pointerdown", keys));

  it("are selected by a click, as a range with Shift, one by one with Ctrl", async () => {
    const page = await ready(counted(6, 2));
    const picked = () => JSON.stringify(page.model.get("_selected_cells"));
    press(page, 3);
    page.at({ row: 3, column: 0 })?.click();
    await page.until(() => names(page).join() === "Row 2");
    expect(arrangement(page)).toEqual({});
    expect(page.at({ row: 3, column: 4 })?.getAttribute("aria-selected")).toBe("true");
    await page.until(() => picked() === '{"rows":[1],"columns":[0,1]}');
    press(page, 5, { shiftKey: true });
    await page.until(() => names(page).join() === "Row 2,Row 3,Row 4");
    press(page, 4, { ctrlKey: true });
    await page.until(() => names(page).join() === "Row 2,Row 4");
    await page.until(() => picked() === '{"rows":[1,3],"columns":[0,1]}');
    page.press("Escape");
    await page.until(() => names(page).length === 0);
  });

  it("stay selected when the table is sorted, and can be selected by keyboard", async () => {
    const page = await ready(counted(4, 2, (i) => i + 1));
    page.button("Weighted count").click();
    press(page, 2);
    page.at({ row: 2, column: 0 })?.focus();
    page.press("ArrowDown", { shiftKey: true });
    await page.until(() => names(page).join() === "Row 1,Row 2");
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 4");
    expect(new Set(names(page))).toEqual(new Set(["Row 1", "Row 2"]));
    page.at({ row: 0, column: 4 })?.dispatchEvent(pointer("pointerdown"));
    page.press("ArrowLeft");
    page.press(" ");
    await page.until(
      () => page.at({ row: 0, column: 3 })?.getAttribute("aria-selected") === "true",
    );
    expect(page.at({ row: 0, column: 4 })?.getAttribute("aria-selected")).toBe("false");
    expect(names(page)).toEqual([]);
  });
});

describe("the menu of an item", () => {
  it("opens by key and by right click, sorts, and returns the focus", async () => {
    const page = await ready(counted(3, 2, (i) => i + 1));
    page.button("Weighted count").click();
    page.at({ row: 0, column: 3 })?.focus();
    page.at({ row: 0, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    page.press("F2");
    const menu = await page.until(() => page.all('[role="menu"]')[0]);
    expect(menu.getAttribute("aria-label")).toBe("Menu of Column 1");
    const { violations } = await axe.run(page.element, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    page.one('[role="menuitem"]').click();
    await page.until(() => page.words(2, 0) === "Row 3");
    expect(page.all('[role="menu"]')).toEqual([]);
    await page.until(() => document.activeElement?.textContent === "Column 1");
    page
      .at({ row: 2, column: 0 })
      ?.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
    await page.until(() => page.all('[aria-label="Menu of Row 3"]')[0]);
  });

  it("applies to the selection if its item is selected, and only then", async () => {
    const page = await ready(counted(5, 3));
    const menuAt = (row: number) =>
      page
        .at({ row, column: 0 })
        ?.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
    const picked = () => JSON.stringify(page.model.get("_selected_cells"));
    page.at({ row: 2, column: 4 })?.dispatchEvent(pointer("pointerdown"));
    page.at({ row: 4, column: 4 })?.dispatchEvent(pointer("pointerdown", { shiftKey: true }));
    await page.until(() => picked() === '{"rows":[0,1,2],"columns":[1]}');
    menuAt(3);
    await page.until(() => page.all('[aria-label="Menu of Row 2"]')[0]);
    expect(page.all(".is-selected").length).toBeGreaterThan(1);
    menuAt(5);
    await page.until(() => picked() === '{"rows":[],"columns":[]}');
    expect(page.has("Copy table")).toBe(true);
  });
});

describe("fewer items than before", () => {
  it("keep the cursor among them, and request no missing names", async () => {
    const page = await ready(headed());
    page.at({ row: page.bands + 8, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => page.details.includes("Row 5"));
    page.model.set("_arrangement", { generation: 1, rows: { hidden: [1, 2, 3, 4] } });
    await page.until(() => rows(page).length === 2);
    await page.until(() => page.details.includes("Row 1"));
    const names = page.requests("names").map(({ args }) => args as { start: number });
    expect(names.every(({ start }) => start >= 0)).toBe(true);
  });

  it("drop the message about the earlier query", async () => {
    const page = await ready(counted(100, 3));
    const alerts = () => page.all('[role="alert"]').length;
    page.fails = "The kernel could not count these.";
    page.scroll(0, 3_000);
    await page.until(() => alerts() === 1);
    page.fails = null;
    page.scroll(0, 2_990);
    await page.until(() => alerts() === 0);
  });
});

describe("largest differences", () => {
  it("lists cells, and goes to one that was hidden", async () => {
    const page = await ready({
      ...counted(3, 2),
      apart: [
        { row: 1, column: 0, names: ["Row 2", "Column 1"], index: 160, difference: 12, z: 5.1 },
      ],
    });
    page.model.set("_arrangement", { generation: 1, rows: { hidden: [1] } });
    await page.until(() => page.words(3, 0) === "Row 3");
    page.button("Rows & columns").click();
    await page.until(() => hasButton(page, "Largest differences"));
    page.button("Largest differences").click();
    const item = await page.until(() => page.all(".al-grid-apart-list button")[0]);
    expect(item.textContent).toContain("Row 2 × Column 1");
    item.click();
    await page.until(() => page.words(3, 0) === "Row 2");
    await page.until(() => page.focused === "4,4");
  });

  it("reports that a cell is in a collapsed group, and stays open", async () => {
    const page = await ready({
      ...headed(),
      apart: [
        { row: 2, column: 0, names: ["Row 3", "Column 1"], index: 160, difference: 12, z: 5.1 },
      ],
    });
    page.model.set("_arrangement", { generation: 1, rows: { folded: [["Age"]] } });
    await page.until(() => rows(page).length === 4);
    page.button("Rows & columns").click();
    await page.until(() => hasButton(page, "Largest differences"));
    page.button("Largest differences").click();
    (await page.until(() => page.all(".al-grid-apart-list button")[0])).click();
    await page.until(() =>
      page.text.includes("Row 3 × Column 1 is hidden by a filter or a collapsed group"),
    );
    expect(arrangement(page).rows).toEqual({ folded: [["Age"]] });
  });

  it("are those of adjusted columns for the questions that are chosen", async () => {
    const cell = { row: 1, column: 0, names: ["Row 2", "Column 1"] as [string, string] };
    const page = await ready({
      ...counted(3, 2),
      apart: [{ ...cell, index: 160, difference: 12, z: 5.1 }],
      adjustable: [
        { code: "q2", name: "Gender" },
        { code: "q4", name: "Age" },
      ],
      adjusted: [{ ...cell, index: 104, difference: 1, z: 2.1 }],
    });
    page.button("Rows & columns").click();
    await page.until(() => hasButton(page, "Largest differences"));
    page.button("Largest differences").click();
    const select = () =>
      page.all("select").find((each) => each.closest("label")?.textContent?.includes("Adjust for"));
    const list = (await page.until(select)) as unknown as HTMLSelectElement;
    await page.until(() => page.text.includes("160"));
    list.value = "q4";
    list.dispatchEvent(new Event("change", { bubbles: true }));
    await page.until(() => page.text.includes("Adjusted for q4."));
    expect(page.all(".al-grid-apart-list button")[0]?.textContent).toContain("104");
    expect([...list.options].map((each) => each.textContent)).not.toContain("Age");
    page.button("Do not adjust for Age").click();
    await page.until(() => page.text.includes("160"));
  });
});

function hasButton(page: Page, name: string): boolean {
  return page
    .all("button")
    .some((button) => (button.getAttribute("aria-label") ?? button.textContent) === name);
}
