/** Density and margin columns: settings of the table that change its layout. */
import { describe, expect, it } from "vitest";
import { counted, ready } from "./page";

describe("the margin columns", () => {
  it("are hidden one by one, and the keyboard passes over them", async () => {
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
