/** Keyboard support of the rows & columns panel. */
import { describe, expect, it } from "vitest";
import { counted, type Page, ready } from "./page";

function hasButton(page: Page, name: string): boolean {
  return page.all("button").some(({ textContent }) => textContent === name);
}

describe("an input method in the search field", () => {
  it("keeps its keys: nothing is selected, and the panel stays open", async () => {
    const page = await ready(counted(5, 3));
    page.button("Rows & columns").click();
    const field = (await page.until(() => page.all('[role="combobox"]')[0])) as HTMLInputElement;
    field.value = "Row 3";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await page.until(() => page.all('[role="option"]').length === 1);
    const before = page.details;
    for (const key of ["Enter", "Escape"]) {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
      Object.defineProperty(event, "isComposing", { value: true });
      field.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(false);
    }
    expect(page.all('[role="dialog"]').length).toBe(1);
    expect(page.details).toBe(before);
  });
});

describe("the rows & columns panel", () => {
  it("keeps the focus on Reset, and closes with Escape", async () => {
    const page = await ready(counted(5, 3));
    page.model.set("_arrangement", { generation: 1, rows: { hidden: [1] } });
    page.button("Rows & columns").click();
    await page.until(() => hasButton(page, "Reset"));
    page.button("Reset").focus();
    page.button("Reset").click();
    await page.until(() => page.button("Reset").getAttribute("aria-disabled") === "true");
    expect(document.activeElement).toBe(page.button("Reset"));
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }),
    );
    await page.until(() => page.all('[role="dialog"]').length === 0);
  });
});
