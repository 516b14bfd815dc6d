/** The popovers beside a row: its menu, its answers, new conditions. */
import { describe, expect, it } from "vitest";
import { open, Page, ready } from "./page";
import { documentOf, leaf, NESTED } from "./samples";

describe("the menu", () => {
  it("offers commands, and runs them", async () => {
    const page = await ready(NESTED);
    page.press(page.row("n2"), "F10", { shiftKey: true });
    const menu = await page.until(() => page.all('[role="menu"]')[0]);
    expect(page.button(/^Move up/, menu).getAttribute("aria-disabled")).toBe("true");
    expect(page.button(/^Move down/, menu).getAttribute("aria-disabled")).toBe("false");
    page.button(/^Put in a group/, menu).click();
    expect(page.document.root.children[0]).toMatchObject({ kind: "group", operator: "or" });
    await page.until(() => page.all('[role="menu"]').length === 0);
  });
});

describe("the focus of a popover", () => {
  /** Longer than any render is deferred. */
  const later = () => new Promise((done) => setTimeout(done, 150));

  it("is in the menu before the next key, and is not taken back", async () => {
    const page = await ready(NESTED);
    page.press(page.row("n2"), "F10", { shiftKey: true });
    const menu = await page.until(() => page.all('[role="menu"]')[0]);
    const [first, second] = menu.querySelectorAll<HTMLButtonElement>("button:not(:disabled)");
    expect(document.activeElement).toBe(first);
    page.press(document.activeElement as Element, "ArrowDown");
    expect(document.activeElement).toBe(second);
    await later();
    expect(document.activeElement).toBe(second);
  });

  it("remains where it moved to from the search of the answers", async () => {
    const page = await ready(documentOf([leaf("n2")]));
    page.press(page.row("n2"), "Enter");
    const box = await page.until(() => page.all('[role="combobox"]')[0]);
    expect(document.activeElement).toBe(box);
    const every = page.all("input[type=checkbox]")[0];
    every?.focus();
    await later();
    expect(document.activeElement).toBe(every);
  });

  it.each([
    ["conditions", "n1", "+"],
    ["answers", "n2", "Enter"],
  ])("starts in the search of %s when the questions load later", async (_, row, key) => {
    const page = new Page(documentOf([leaf("n2")]));
    page.isLate = true;
    page.row(row).focus();
    page.press(page.row(row), key);
    const panel = await page.until(() => page.all('[role="dialog"]')[0]);
    expect(panel.textContent).toContain("Loading");
    expect(panel.contains(document.activeElement)).toBe(true);
    await page.until(() => page.held.length > 0);
    for (const answer of page.held) answer();
    await page.until(() => document.activeElement?.getAttribute("role") === "combobox");
    expect(panel.contains(document.activeElement)).toBe(true);
  });
});

describe("choosing answers", () => {
  it("uses unique ids beside another editor", async () => {
    const lists: string[] = [];
    for (const page of [
      await ready(documentOf([leaf("n2")])),
      await ready(documentOf([leaf("n2")])),
    ]) {
      page.press(page.row("n2"), "Enter");
      const box = await page.until(() => page.all('[role="combobox"]')[0]);
      lists.push(box.getAttribute("aria-controls") ?? "");
      expect(page.all('[role="listbox"]')[0]?.id).toBe(lists.at(-1));
    }
    expect(lists[0]).not.toBe(lists[1]);
  });

  it("searches, ticks and unticks by keyboard, each tick an edit", async () => {
    const page = await ready(documentOf([leaf("n2")]));
    page.press(page.row("n2"), "Enter");
    const box = await page.until(() => page.all<HTMLInputElement>('[role="combobox"]')[0]);
    await page.until(() => document.activeElement === box);
    box.value = "band 3";
    box.dispatchEvent(new Event("input", { bubbles: true }));
    await page.until(() => page.all('[role="option"]').length === 1);
    page.press(box, "Enter");
    expect(page.document.root.children[0]).toMatchObject({ datapoints: ["q4_2", "q4_3"] });
    page.press(box, "Enter");
    expect(page.document.root.children[0]).toMatchObject({ datapoints: ["q4_2"] });
    page.press(box, "Escape");
    await page.until(() => page.all('[role="combobox"]').length === 0);
  });

  it("can select any answer", async () => {
    const page = await open(documentOf([leaf("n2", { question: "core.q20", datapoints: [] })]));
    await page.until(() => page.text.includes("Apps used"));
    page.button("Choose answers of Apps used").click();
    const every = await page.until(() =>
      page
        .all<HTMLInputElement>("input[type=checkbox]")
        .find((box) => box.parentElement?.textContent?.includes("Any answer")),
    );
    every.click();
    expect(page.document.root.children[0]).toMatchObject({ datapoints: null });
    const often = page
      .all<HTMLInputElement>("input[type=checkbox]")
      .find((box) => box.parentElement?.textContent === "Level 1");
    often?.click();
    expect(page.document.root.children[0]).toMatchObject({ suffixes: ["1"] });
  });
});
