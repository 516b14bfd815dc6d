/** Density and base columns: settings that change the table's layout. */
import { describe, expect, it } from "vitest";
import { counted, ready } from "./page";

describe("the base columns", () => {
  it("are hidden one by one, and the keyboard skips them", async () => {
    const page = await ready(counted(4, 3));
    expect(page.words(2, 1)).toBe("100");
    page.model.set("show_bases", ["unweighted"]);
    await page.until(() => page.at({ row: 2, column: 1 }) === null);
    expect(page.words(2, 2)).toBe("50");
    page.at({ row: 2, column: 3 })?.focus();
    page.press("ArrowLeft");
    page.press("ArrowLeft");
    await page.until(() => page.focused === "3,1");
    page.model.set("show_bases", ["weighted", "unweighted"]);
    await page.until(() => page.words(2, 1) === "100");
  });
});

describe("a compact table", () => {
  it("has lower rows", async () => {
    const page = await ready(counted(4, 3));
    const height = () => page.grid.style.getPropertyValue("--row");
    expect(height()).toBe("24px");
    page.model.set("density", "compact");
    await page.until(() => height() === "20px");
  });
});

describe("rows and cells in the page", () => {
  it("are in the order of the table after scrolling, and the focus stays", async () => {
    const page = await ready(counted(60, 3));
    page.at({ row: 12, column: 4 })?.focus();
    page.press("PageDown");
    page.press("PageDown");
    const indexes = () =>
      [...page.grid.querySelectorAll<HTMLElement>(".al-grid-line-row:not([hidden])")].map((row) =>
        Number(row.getAttribute("aria-rowindex")),
      );
    await page.until(() => (indexes()[0] ?? 0) > 3 || indexes().some((at) => at > 40));
    const { focused } = page;
    await page.until(() => indexes().every((at, i, all) => i === 0 || at > (all[i - 1] ?? 0)));
    expect(page.focused).toBe(focused);
  });
});
