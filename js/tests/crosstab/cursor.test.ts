/** Keyboard focus and selection of cells in the table. */
import { describe, expect, it } from "vitest";
import { counted, pointer, ready } from "./page";

describe("the keyboard", () => {
  it("has one tab stop, which follows the arrow keys", async () => {
    const page = await ready(counted(20, 5));
    const stops = () => page.all('[role="grid"] [tabindex="0"]').length;
    expect(stops()).toBe(1);
    page.at({ row: 2, column: 3 })?.focus();
    page.press("ArrowDown");
    await page.until(() => page.focused === "4,4");
    page.press("ArrowRight");
    await page.until(() => page.focused === "4,5");
    page.press("ArrowLeft");
    page.press("ArrowLeft");
    await page.until(() => page.focused === "4,3");
    expect(stops()).toBe(1);
  });

  it("reaches the opposite corner and returns", async () => {
    const page = await ready(counted(1000, 100));
    page.at({ row: 2, column: 3 })?.focus();
    page.press("End", { ctrlKey: true });
    await page.until(() => page.focused === "1002,103");
    await page.until(() => page.words(1001, 102) !== "");
    const { grid } = page;
    expect(Math.min(grid.scrollLeft, grid.scrollTop)).toBeGreaterThan(0);
    page.press("Home", { ctrlKey: true });
    await page.until(() => page.focused === "1,1");
    expect([grid.scrollLeft, grid.scrollTop]).toEqual([0, 0]);
  });

  it("keeps the focus when the cursor is scrolled out of view", async () => {
    const page = await ready(counted(1000, 100));
    page.at({ row: 2, column: 3 })?.focus();
    page.scroll(0, 12_000);
    await page.until(() => document.activeElement === page.grid);
    page.press("ArrowDown");
    await page.until(() => page.focused === "4,4");
    expect(page.grid.scrollTop).toBeLessThan(100);
  });

  it("keeps the focus when the notebook detaches the table for a moment", async () => {
    const page = await ready(counted(4, 4));
    page.at({ row: 2, column: 3 })?.focus();
    page.element.remove();
    expect(document.activeElement).toBe(document.body);
    document.body.append(page.element);
    page.scroll(0, 0);
    await page.until(() => page.focused === "3,4");
    // Not if another element has the focus by then, nor after a blur.
    const other = document.body.appendChild(document.createElement("input"));
    page.element.remove();
    other.focus();
    document.body.append(page.element);
    page.scroll(0, 0);
    await new Promise(requestAnimationFrame);
    expect(document.activeElement).toBe(other);
    other.remove();
  });

  it("leaves unknown keys to the page", async () => {
    const page = await ready(counted(2, 2));
    page.at({ row: 2, column: 3 })?.focus();
    expect(page.press("b").defaultPrevented).toBe(false);
    expect(page.press("Tab").defaultPrevented).toBe(false);
    expect(page.press("ArrowDown").defaultPrevented).toBe(true);
  });
});

describe("selecting", () => {
  it("extends with Shift, notifies Python, and collapses on Escape", async () => {
    const page = await ready(counted(20, 5));
    expect(page.model.get("_selected_cells")).toEqual({});
    page.at({ row: 2, column: 3 })?.focus();
    page.press("ArrowDown", { shiftKey: true });
    page.press("ArrowRight", { shiftKey: true });
    await page.until(() => page.all('[aria-selected="true"]').length === 4);
    await page.until(() => JSON.stringify(page.model.get("_selected_cells")).includes("1"));
    expect(page.model.get("_selected_cells")).toEqual({ rows: [0, 1], columns: [0, 1] });
    expect(page.press("Escape").defaultPrevented).toBe(true);
    await page.until(() => page.all('[aria-selected="true"]').length === 1);
  });

  it("sends cells by their positions in the query, also when sorted or transposed", async () => {
    const page = await ready(counted(3, 2, (i) => i + 1));
    page.button("Weighted count").click();
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 3");
    page.button("Swap rows and columns").click();
    await page.until(() => page.words(0, 3) === "Row 3");
    page.at({ row: 3, column: 3 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => JSON.stringify(page.model.get("_selected_cells")).includes("2"));
    expect(page.model.get("_selected_cells")).toEqual({ rows: [2], columns: [1] });
  });
});
