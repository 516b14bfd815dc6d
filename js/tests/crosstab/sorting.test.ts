/** A table sorted by a click or a key, and turned. */
import { describe, expect, it } from "vitest";
import { counted, ready } from "./page";

describe("sorting", () => {
  const table = () => counted(4, 2, (i, j) => (j === 0 ? [3, 9, 1, 9][i] : i) as number);

  it("puts the highest first, then the lowest, then the query's own order", async () => {
    const page = await ready(table());
    page.button("Weighted count").click();
    await page.until(() => page.words(0, 0) === "Weighted count");
    const header = () => page.at({ row: 0, column: 3 });
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 2");
    expect(page.column(0, 4)).toEqual(["Row 2", "Row 4", "Row 1", "Row 3"]);
    expect(page.column(3, 4)).toEqual(["9", "9", "3", "1"]);
    expect(page.column(1, 4)).toEqual(["200", "400", "100", "300"]);
    expect(header()?.getAttribute("aria-sort")).toBe("descending");
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 3");
    expect(header()?.getAttribute("aria-sort")).toBe("ascending");
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 1");
    expect(header()?.getAttribute("aria-sort")).toBe("none");
  });

  it("sorts columns along a row, and rows by their own size", async () => {
    const page = await ready(counted(2, 3, (_, j) => [5, 7, 6][j] as number));
    page.button("Weighted count").click();
    page.sort({ row: 2, column: 0 });
    await page.until(() => page.words(0, 3) === "Column 2");
    expect([3, 4, 5].map((column) => page.words(0, column))).toEqual([
      "Column 2",
      "Column 3",
      "Column 1",
    ]);
    page.at({ row: 0, column: 1 })?.click();
    await page.until(() => page.words(2, 0) === "Row 2");
    expect(page.words(2, 3)).toBe("7");
  });

  it("needs no kernel for a table that is here whole", async () => {
    const page = await ready(table());
    page.busy = true;
    page.button("Weighted count").click();
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === "Row 2");
    expect(page.column(3, 4)).toEqual(["9", "9", "3", "1"]);
  });

  it("finds the highest of a table that was never pulled whole", async () => {
    const page = await ready(counted(500, 40, (i) => (i * 7919) % 500));
    page.button("Weighted count").click();
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 3) === "499");
    expect(page.column(3, 4)).toEqual(["499", "498", "497", "496"]);
  });

  it("follows the figure that is shown, and works from the keyboard", async () => {
    const page = await ready(counted(3, 1, (i) => [30, 20, 60][i] as number));
    page.at({ row: 0, column: 3 })?.focus();
    page.at({ row: 0, column: 3 })?.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    page.press("ArrowUp");
    page.press("ArrowUp");
    page.press("ArrowUp");
    page.press("Enter");
    // Index: 30/100 > 60/300 > 20/200.
    await page.until(() => page.words(3, 0) === "Row 3");
    expect(page.column(0, 3)).toEqual(["Row 1", "Row 3", "Row 2"]);
    page.button("Weighted count").click();
    await page.until(() => page.words(2, 0) === "Row 3");
    expect(page.column(0, 3)).toEqual(["Row 3", "Row 1", "Row 2"]);
  });

  it.each([
    ["that is here whole", 3],
    ["that was never pulled whole", 500],
  ])("goes by the shares of columns where letters are shown, in a table %s", async (_, rows) => {
    const page = await ready(counted(rows, 40, (i) => (i + 1) % rows));
    page.model.set("metrics", ["letters"]);
    page.sort({ row: 0, column: 3 });
    await page.until(() => page.words(2, 0) === `Row ${rows - 1}`);
    expect(page.words(3, 0)).toBe(`Row ${rows - 2}`);
    for (const { args } of page.requests("measure")) expect(args?.metric).not.toBe("letters");
  });

  it("says what it did", async () => {
    const page = await ready(table());
    page.sort({ row: 0, column: 3 });
    await page.until(() =>
      page.one(".al-sr-only").textContent?.includes("Sorted by Column 1, descending"),
    );
  });
});

describe("transposing", () => {
  it("moves cells and not numbers, and names what is seen", async () => {
    const page = await ready(counted(3, 2, (i, j) => 10 * i + j + 1));
    page.button("Column %").click();
    await page.until(() => page.words(0, 0) === "Column %");
    const before = page.words(4, 3);
    page.button("Swap rows and columns").click();
    await page.until(() => page.words(2, 0) === "Column 1");
    expect(page.words(0, 5)).toBe("Row 3");
    expect(page.words(2, 5)).toBe(before);
    expect(page.words(0, 0)).toBe("Row %");
    expect(page.words(2, 1)).toBe("200");
    expect(page.model.get("metrics")).toEqual(["column_percentage"]);
  });

  it("sorts what is seen", async () => {
    const page = await ready(counted(2, 3, (i, j) => (i === 1 ? ([5, 9, 7][j] as number) : 1)));
    page.button("Weighted count").click();
    page.button("Swap rows and columns").click();
    await page.until(() => page.words(0, 4) === "Row 2");
    page.sort({ row: 0, column: 4 });
    await page.until(() => page.words(2, 0) === "Column 2");
    expect(page.column(0, 3)).toEqual(["Column 2", "Column 3", "Column 1"]);
    expect(page.at({ row: 0, column: 4 })?.getAttribute("aria-sort")).toBe("descending");
  });
});
