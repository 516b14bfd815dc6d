/** The menu of what the cells show, by mouse and by keyboard. */
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { counted, Page } from "./page";

async function opened(): Promise<Page> {
  const page = new Page(counted(4, 3));
  await page.until(() => page.shows);
  page.button("Display").click();
  await page.until(() => page.all(".al-grid-display").length > 0);
  return page;
}

const figures = (page: Page) => page.all(".al-grid-metric");
const box = (page: Page, label: string) => {
  const line = figures(page).find((figure) =>
    figure.querySelector("label")?.textContent?.startsWith(label),
  );
  if (!line) throw new Error(`no figure ${label}`);
  return line.querySelector("input") as HTMLInputElement;
};
const field = (page: Page, label: string) => {
  const look = page.all(".al-field").find((each) => each.textContent?.startsWith(label));
  return look?.querySelector("input, select") as HTMLInputElement;
};
const chosen = (page: Page) => page.model.get("metrics") as string[];

function type(input: HTMLInputElement, value: string, event = "input"): void {
  input.value = value;
  input.dispatchEvent(new Event(event, { bubbles: true }));
}

describe("the figures of a cell", () => {
  it("are stacked in the order in which they are chosen, four at most and one at least", async () => {
    const page = await opened();
    expect(box(page, "Index").disabled).toBe(true);
    for (const label of ["Weighted count", "Column %", "Count (n)"]) {
      box(page, label).click();
      await page.until(() => box(page, label).checked);
    }
    expect(chosen(page)).toEqual(["index", "size", "column_percentage", "sample"]);
    await page.until(() => page.words(2, 3) === "100.0\n2\n1.0%\n1");
    expect(page.words(0, 0)).toBe("Index\nWeighted count\nColumn %\nCount (n)");
    expect(page.grid.dataset.lines).toBe("4");
    expect(box(page, "Row %").disabled).toBe(true);
    expect(page.at({ row: 2, column: 3 })?.dataset.marks).toBe("*\n\n\n");
    box(page, "Index").click();
    await page.until(() => chosen(page).length === 3);
    expect(chosen(page)[0]).toBe("size");
    await page.until(() => !box(page, "Row %").disabled);
  });

  it("change places by button and by Alt and an arrow, and the keyboard stays where it is", async () => {
    const page = await opened();
    box(page, "Weighted count").click();
    await page.until(() => chosen(page).length === 2);
    await page.until(() => document.activeElement === box(page, "Weighted count"));
    box(page, "Weighted count").dispatchEvent(
      new KeyboardEvent("keydown", { key: "ArrowUp", altKey: true, bubbles: true }),
    );
    await page.until(() => chosen(page)[0] === "size");
    await page.until(() => document.activeElement === box(page, "Weighted count"));
    const said = () => page.all("[role=status]").map((each) => each.textContent);
    await page.until(() => said().includes("Weighted count is metric 1"));
    page.button("Move Weighted count down").click();
    await page.until(() => chosen(page)[0] === "index");
    expect(page.button("Move Weighted count down").getAttribute("aria-disabled")).toBe("true");
  });

  it("keep the others when the switch changes the first", async () => {
    const page = await opened();
    box(page, "Weighted count").click();
    await page.until(() => chosen(page).length === 2);
    page.button("Column %").click();
    expect(chosen(page)).toEqual(["column_percentage", "size"]);
    page.button("Weighted count").click();
    expect(chosen(page)).toEqual(["size", "column_percentage"]);
  });

  it("have their place in the switch where one is first that it has not", async () => {
    const page = await opened();
    page.model.set("metrics", ["z", "index"]);
    const radios = await page.until(() => {
      const found = page.all('[role="radio"]');
      return found.length === 7 && found;
    });
    expect(radios.at(-1)?.textContent).toBe("z-score");
    expect(radios.filter((radio) => radio.tabIndex === 0).length).toBe(1);
  });
});

describe("the looks", () => {
  it("change at once and are kept in the model", async () => {
    const page = await opened();
    type(field(page, "Significance"), "none", "change");
    await page.until(() => page.text.includes("index 120 or more"));
    type(field(page, "Heat map"), "none", "change");
    await page.until(() => !page.text.includes("index 120 or more"));
    expect(page.model.get("heat")).toBe("none");
    type(field(page, "Decimals"), "3", "change");
    await page.until(() => page.words(2, 3) === "100.000");
    type(field(page, "Weighted counts"), "full", "change");
    await page.until(() => page.words(1, 1) === "10,000");
    type(field(page, "Suppress when n <"), "60");
    await page.until(() => page.words(2, 3) === "·");
    expect(page.at({ row: 2, column: 3 })?.title).toBe(
      "Hidden: fewer than 60 respondents in the denominator",
    );
    expect(page.words(3, 3)).toBe("100.000");
    page.model.set("stars", [5_000, 1_000]);
    const bounds = "fewer than 5,000 respondents in the denominator, ** fewer than 1,000";
    await page.until(() => page.text.includes(bounds));
    page.button("Reset to defaults").click();
    await page.until(() => page.words(2, 3) === "1.0%");
    expect(page.model.get("hide_under")).toBe(0);
    expect(page.model.get("significance")).toBe("arrows");
  });

  it("draw a bar of the first share", async () => {
    const page = await opened();
    field(page, "Bars for percentages").click();
    box(page, "Column %").click();
    // Of 400 people in column 2, 8 are in row 2.
    await page.until(() => page.at({ row: 3, column: 4 })?.style.getPropertyValue("--bar") === "2");
    expect(page.grid.dataset.bar).toBe("2");
    expect(page.text).toContain("bar: Column %, of 100%");
  });

  it("never let the stronger mark begin above the other", async () => {
    const page = await opened();
    type(field(page, "Flag * when n <"), "20");
    expect(page.model.get("stars")).toEqual([20, 20]);
    type(field(page, "Flag ** when n <"), "50");
    expect(page.model.get("stars")).toEqual([50, 50]);
    type(field(page, "Flag ** when n <"), "-5");
    expect(page.model.get("stars")).toEqual([50, 50]);
  });
});

describe("the bases and the density", () => {
  it("are chosen in the menu", async () => {
    const page = await opened();
    const bases = () =>
      page.all(".al-grid-header .al-grid-margin").filter((cell) => !cell.hidden).length;
    expect(bases()).toBe(2);
    field(page, "Unweighted base (n)").click();
    expect(page.model.get("show_bases")).toEqual(["weighted"]);
    field(page, "Weighted base").click();
    expect(page.model.get("show_bases")).toEqual([]);
    type(field(page, "Density"), "compact", "change");
    expect(page.model.get("density")).toBe("compact");
  });
});

describe("letters", () => {
  it("are asked for where they are looked at, and stand by the columns' names", async () => {
    const page = await opened();
    page.model.set("metrics", ["index", "letters"]);
    await page.until(() => page.words(2, 3) === "100.0\nR0 C0");
    await page.until(() => page.words(0, 4) === "B · Column 2");
    expect(page.requests("marks").length).toBeLessThan(3);
    expect(page.text).toContain("A letter says something.");
    expect(page.one(".al-grid-method").title).toBe("The method.");
  });

  it("are beside the values, at the level that is chosen", async () => {
    const page = await opened();
    type(field(page, "Significance"), "letters", "change");
    await page.until(() => page.at({ row: 2, column: 3 })?.dataset.letters === "R0 C0");
    expect(page.words(2, 3)).toBe("100.0");
    await page.until(() => page.words(0, 4) === "B · Column 2");
    expect(page.requests("marks").at(-1)?.args).toMatchObject({ letters: 0.95 });
    type(field(page, "Confidence level"), "0.99", "change");
    await page.until(
      () =>
        (page.requests("marks").at(-1)?.args as { letters?: number } | undefined)?.letters === 0.99,
    );
    expect(page.model.get("level")).toBe(0.99);
  });

  it("name the figures that they compare where the cells show others", async () => {
    const page = await opened();
    page.model.set("metrics", ["row_percentage"]);
    type(field(page, "Significance"), "letters", "change");
    await page.until(() => page.text.includes("letters compare Column %"));
    page.model.set("metrics", ["row_percentage", "column_percentage"]);
    await page.until(() => !page.text.includes("letters compare"));
    page.model.set("metrics", ["row_percentage"]);
    type(field(page, "Significance"), "arrows", "change");
    await page.until(() => page.text.includes("arrows compare Column %"));
    page.model.set("metrics", ["index"]);
    await page.until(() => !page.text.includes("arrows compare"));
  });

  it("are awaited while the table is counted", async () => {
    const page = new Page(counted(2, 2), { phase: "running" });
    page.model.set("metrics", ["letters"]);
    await page.until(() => page.words(2, 3) === "…");
    expect(page.requests("marks")).toEqual([]);
    expect(page.text).toContain("Letters appear when the table is complete");
    page.report({ phase: "done" });
    await page.until(() => page.words(2, 3) === "R0 C0");
  });

  it("turn with the table", async () => {
    const page = await opened();
    page.model.set("metrics", ["letters"]);
    await page.until(() => page.words(3, 3) === "R1 C0");
    page.model.set("transposed", true);
    await page.until(() => page.words(3, 3) === "R0 C1");
    await page.until(() => page.words(3, 0) === "B · Column 2");
  });
});

it("has no accessibility violation with the menu open and figures stacked", async () => {
  const page = await opened();
  page.model.set("metrics", ["index", "column_percentage", "letters"]);
  page.model.set("bars", true);
  await page.until(() => page.grid.dataset.lines === "3");
  const { violations } = await axe.run(page.element, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations).toEqual([]);
});
