/** Questions in several forms: rows of means among shares, the switch of a group, and its menu. */
import { describe, expect, it } from "vitest";
import { edgesIn } from "../../src/crosstab/query/BinsPanel";
import { formsAt } from "../../src/crosstab/query/forms";
import type { QuestionForms, StatisticLine } from "../../src/protocol";
import { counted, Page } from "./page";

const TRUST: QuestionForms = {
  ...{ axis: "rows", question: "trust", name: "Trust", start: -1, count: 2, statistic: 0 },
  ...{ form: "mean", forms: ["distribution", "top_box", "mean"], edges: null },
};
const AGE: QuestionForms = {
  ...{ axis: "rows", question: "age", name: "Age", start: 0, count: 2, statistic: -1 },
  ...{ form: "distribution", forms: ["distribution", "mean"], edges: [18, 35] },
};

function line(name: string, cells: string[]): StatisticLine {
  return { name, base: "3.10", cells, size: 100, samples: [90, 45, 20], unchanged: [] };
}

async function shown(press = ["3.20 ▲", "2.90"]): Promise<Page> {
  const scale = ": mean (1 no … 5 yes)";
  const placed = (name: string) => ({ name: name + scale, short: name, groups: ["Trust"] });
  const page = new Page({
    ...counted(4, 2),
    banners: {
      rows: {
        runs: [
          [["Age"], 2],
          [["Sex"], 2],
        ],
        nets: [],
      },
    },
    statistics: [
      { ...placed("Press"), before: 2 },
      { ...placed("Radio"), before: 2 },
    ],
    lines: [line("Press", press), line("Radio", ["·", "1.50"])],
    forms: [AGE, TRUST],
  });
  await page.until(() => page.element.textContent?.includes("3.20") || null);
  return page;
}

const indexOf = (row: Element) => Number(row.getAttribute("aria-rowindex"));

const headOf = (page: Page, name: string) =>
  [...page.element.querySelectorAll(".al-grid-section-name")].find(({ firstChild }) => {
    return firstChild?.textContent === name;
  });

describe("a question in another form", () => {
  it("is a row of its own among shares, in its own unit and with those who gave an amount", async () => {
    const page = await shown();
    const rows = [...page.element.querySelectorAll(".al-grid-line-row:not([hidden])")];
    const names = rows
      .sort((one, other) => indexOf(one) - indexOf(other))
      .map((row) => row.querySelector('[role="rowheader"]')?.firstChild?.textContent);
    expect(names).toEqual([
      "Age",
      "Row 1",
      "Row 2",
      "Trust",
      "Press",
      "Radio",
      "Sex",
      "Row 3",
      "Row 4",
    ]);
    const cells = [...page.element.querySelectorAll(".al-grid-cell.is-statistic")];
    expect(cells.map(({ textContent }) => textContent)).toEqual(["3.20", "2.90", "·", "1.50"]);
    expect(cells[0]?.className).toContain("is-higher");
    // 20 respondents are few.
    expect(cells[1]?.className).toContain("is-verylow");
    expect(cells[0]?.getAttribute("title")).toBe("n = 45 who gave an amount");
    expect(headOf(page, "Trust")?.textContent).toContain("mean (1 no … 5 yes)");
  });

  it("has all letters of a mean: beside it where they fit, else on lines of its row", async () => {
    const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const page = await shown([`3.20 ${[...all].join(" ")}`, "2.90 A"]);
    const [many, one] = page.element.querySelectorAll<HTMLElement>(".al-grid-cell.is-statistic");
    expect(many?.textContent).toBe("3.20");
    expect(many?.className).toContain("is-under");
    const lines = many?.dataset.letters?.split("\n") ?? [];
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join("")).toBe(all);
    expect(one?.dataset.letters).toBe("A");
    expect(one?.className).not.toContain("is-under");
    // A row of one line has 24 pixels.
    expect(many?.parentElement?.style.getPropertyValue("--row")).toBe(
      `${24 + 16 * lines.length}px`,
    );
    const row = many?.parentElement?.classList;
    expect(row?.contains("has-letters") && row.contains("is-wrapped")).toBe(true);
  });

  it("is chosen by the switch of its group", async () => {
    const page = await shown();
    const buttons = [...(headOf(page, "Trust")?.querySelectorAll("button") ?? [])];
    expect(
      buttons.map((button) => [button.textContent, button.getAttribute("aria-pressed")]),
    ).toEqual([
      ["Distribution", "false"],
      ["Top 2", "false"],
      ["Mean", "true"],
    ]);
    buttons[1]?.click();
    const asked = await page.until(() => page.requests("edit")[0]?.args ?? null);
    expect(asked).toEqual({ do: "show_as", axis: "rows", question: "trust", form: "top_box" });
    expect(headOf(page, "Age")?.textContent).toContain("18, 35 …");
  });
});

describe("the form of a group", () => {
  const target = { side: "rows" as const, level: 0, lines: [0, 1] };

  it("is that of the innermost group that has all rows of the question", () => {
    expect(formsAt([AGE, TRUST], { ...target, first: 0, total: 2 })).toBe(AGE);
    expect(formsAt([AGE, TRUST], { ...target, first: 0, total: 1 })).toBeNull();
    expect(formsAt([AGE, TRUST], { ...target, lines: [], first: ~0, total: 2 })).toBe(TRUST);
    expect(formsAt([AGE, TRUST], { ...target, side: "columns", first: 0, total: 2 })).toBeNull();
    expect(formsAt([AGE], { side: "rows", lines: [1] })).toBe(AGE);
  });
});

describe("edges of bins", () => {
  it("are rising numbers, however they are separated", () => {
    expect(edgesIn("18, 35;55 70")).toEqual([18, 35, 55, 70]);
    expect(edgesIn("7.5, 15")).toEqual([7.5, 15]);
    expect([edgesIn(""), edgesIn("35, 18"), edgesIn("18, old")]).toEqual([null, null, null]);
  });
});
