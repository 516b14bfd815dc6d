/** What stays of a table when the query changes, and where what was added is shown. */
import { describe, expect, it } from "vitest";
import type { KeptItems, QuerySummary } from "../../src/protocol";
import { type Counted, counted, type Page, pointer, ready } from "./page";

/** Three rows become four: the third is new. */
const NET = {
  since: 1,
  rows: [
    [0, 0, 2],
    [3, 2, 1],
  ],
  columns: [[0, 0, 2]],
  same: true,
} as const;
const BACK = {
  since: 2,
  rows: [
    [0, 0, 2],
    [2, 3, 1],
  ],
  columns: [[0, 0, 2]],
  same: true,
} as const;

const AXIS = { question: "", names: [], more: 0 };
const ASKED = {
  rows: { ...AXIS, count: 3 },
  columns: { ...AXIS, count: 2 },
  undo: "rows",
  bases: [],
  base_count: 0,
  statistics: [],
  scored: [],
  who_counts: { chosen: "everyone", choices: ["everyone"], usual: "everyone" },
} as unknown as QuerySummary;

function withNet(kept: KeptItems): Counted {
  const table = counted(4, 2);
  return { ...table, rows: ["Row 1", "Row 2", "Row 1 or Row 2", "Row 3"], kept };
}

/** The query has changed, and nothing of it is counted. */
function begin(page: Page, table: Counted, phase: "running" | "failed"): void {
  page.table = { ...table, figure: () => Number.NaN };
  page.model.set("_table", page.state(2));
  const error = phase === "failed" ? { type: "Error", message: "No service.", faults: [] } : null;
  page.report({ generation: 2, phase, cells: 0, error });
}

const first = (page: Page) => page.at({ row: 2, column: 3 });

describe("the last figures", () => {
  it("stay where the service fails, in grey, and are not copied", async () => {
    const page = await ready(counted(3, 2));
    const [before, last] = [page.words(2, 3), page.words(4, 3)];
    begin(page, withNet(NET), "failed");
    await page.until(() => page.words(4, 0).includes("Row 1 or Row 2"));
    expect([page.words(2, 3), page.words(5, 3)]).toEqual([before, last]);
    expect(page.grid.dataset.behind).toBe("true");
    expect(first(page)?.className).toContain("is-old");
    expect(page.at({ row: 4, column: 3 })?.className).toContain("is-absent");
    expect(page.text).toContain("Grey figures are the previous ones");
    page.grid.dispatchEvent(new Event("copy", { bubbles: true, cancelable: true }));
    await page.until(() => page.text.includes("Not copied"));
    page.button("Count again").click();
    await page.until(() => page.requests("restart").length === 1);
  });

  it("are those of the query while the same people are counted", async () => {
    const page = await ready(counted(3, 2));
    begin(page, withNet(NET), "running");
    await page.until(() => page.words(4, 0).includes("Row 1 or Row 2"));
    expect(page.grid.dataset.behind).toBeUndefined();
    begin(page, withNet({ ...NET, since: 2, same: false }), "running");
    page.model.set("_table", page.state(3));
    page.report({ generation: 3, phase: "running", cells: 0 });
    await page.until(() => page.grid.dataset.behind === "true");
  });

  it("are not those of a table without these rows and columns", async () => {
    const page = await ready(counted(3, 2));
    begin(page, counted(2, 2), "failed");
    await page.until(() => page.requests("tile").length > 1);
    expect(page.grid.dataset.behind).toBeUndefined();
    await page.until(() => first(page)?.className.includes("is-absent"));
  });
});

describe("what is added", () => {
  it("comes into view with its name to change, and undo leads back", async () => {
    const page = await ready(counted(3, 2));
    page.model.set("_question", ASKED);
    page.answers.edit = () => {
      page.replace(withNet(NET), 2);
      return [null];
    };
    page.answers.undo = () => {
      page.replace({ ...counted(3, 2), kept: BACK }, 3);
      return [null];
    };
    for (const row of [2, 3])
      page
        .at({ row, column: 0 })
        ?.dispatchEvent(pointer("pointerdown", { ctrlKey: row > 2, metaKey: false }));
    await page.until(() => page.text.includes("2 rows"));
    page.button("Net").click();
    const name = await page.until(
      () => page.all('[aria-label="New name"]')[0] as HTMLInputElement | undefined,
    );
    expect(name.value).toBe("Row 1 or Row 2");
    expect(page.at({ row: 4, column: 0 })?.className).toContain("is-new");
    const leave = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
    name.dispatchEvent(leave);
    await page.until(() => page.focused === "5,1");
    page.press("z", { ctrlKey: true });
    await page.until(() => page.focused === "4,1" && page.text.includes("2 rows"));
    expect(page.all(".is-new")).toEqual([]);
  });

  it("leaves the first columns in view where it begins beside them", async () => {
    const page = await ready(counted(2, 2));
    page.model.set("_question", ASKED);
    const kept: KeptItems = { since: 1, rows: [[0, 0, 2]], columns: [[0, 0, 1]], same: true };
    page.answers.undo = () => {
      page.replace({ ...counted(2, 40), kept }, 2);
      return [null];
    };
    page.press("z", { ctrlKey: true });
    await page.until(() => page.focused === "1,5");
    expect(page.grid.scrollLeft).toBe(0);
  });
});
