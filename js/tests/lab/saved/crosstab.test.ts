import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drawSaved } from "../../../src/lab/saved/crosstab";
import { until } from "../../core/until";
import sample from "./crosstab.json";

let end: AbortController;
let place: HTMLElement;

beforeEach(() => {
  end = new AbortController();
  place = document.createElement("div");
  document.body.replaceChildren(place);
  // happy-dom has no layout, so the scroller reports a fixed width and height.
  const { prototype } = HTMLElement;
  Object.defineProperty(prototype, "clientWidth", { configurable: true, get: () => 900 });
  Object.defineProperty(prototype, "clientHeight", { configurable: true, get: () => 400 });
});

afterEach(() => end.abort());

const all = (selector: string) => [...place.querySelectorAll<HTMLElement>(selector)];

const rowOf = (line: HTMLElement) => Number(line.getAttribute("aria-rowindex"));

/** The text of the cells, row by row. */
function body(): string[][] {
  return all(".al-grid-line-row:not([hidden], .al-grid-section)")
    .sort((a, b) => rowOf(a) - rowOf(b))
    .map((line) =>
      [...line.querySelectorAll<HTMLElement>('[role="rowheader"], .al-grid-cell')]
        .filter((cell) => !cell.hidden)
        .map((cell) => cell.textContent ?? ""),
    );
}

async function drawn(told: unknown = sample): Promise<void> {
  drawSaved(place, told, end.signal);
  await until(
    () => all('[role="columnheader"]').some(({ textContent }) => textContent === "Tea"),
    () => place.textContent ?? "",
  );
}

describe("a saved crosstab on the page", () => {
  it("shows its values as a grid does, with names as text", async () => {
    await drawn();
    // Almost no one who drinks tea is a man: 40 of 1,250,065.625.
    await until(
      () => body()[0]?.at(-3)?.includes("<0.1"),
      () => place.innerHTML,
    );
    expect(place.textContent?.replaceAll("\u00ad", "")).toContain("<script>alert(1)</script>");
    expect(all("script")).toEqual([]);
    expect(place.textContent).toContain("waves: latest 4 · everywhere");
    expect(all('[role="grid"]')[0]?.getAttribute("aria-label")).toBe(
      "Crosstab of 3 rows and 3 columns",
    );
  });

  it("shows the source line of the output's metadata, as text", async () => {
    const line = "Source: demo <b>survey</b>, counted 2026-01-01 with audiencelab 3.0.0";
    drawSaved(place, sample, end.signal, { audiencelab: { line, survey: 3 } });
    await until(
      () => place.textContent?.includes(line) ?? false,
      () => place.textContent ?? "",
    );
    expect(place.innerHTML).not.toContain("<b>survey");
  });

  it("sorts by a column within its groups, and announces it", async () => {
    await drawn();
    const names = () => body().map(([name]) => name);
    const before = names();
    expect(before).toEqual(["Men", "Women", "All of them"]);
    const head = () => all('[role="columnheader"]').find((each) => each.textContent === "Tea");
    const sort = () => {
      head()?.dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
      head()?.querySelector<HTMLElement>('[data-does="sort"]')?.click();
    };
    sort();
    await until(
      () => head()?.getAttribute("aria-sort") === "descending",
      () => place.innerHTML,
    );
    expect(names()).toEqual(["Men", "Women", "All of them"]);
    sort();
    await until(
      () => head()?.getAttribute("aria-sort") === "ascending",
      () => place.innerHTML,
    );
    expect(names()).toEqual(["Women", "Men", "All of them"]);
  });

  it("switches the metric, except to letters", async () => {
    await drawn();
    const button = (name: string) => all("button").find((each) => each.textContent === name);
    button("Count (n)")?.click();
    await until(
      () => body()[2]?.at(-3)?.startsWith("25,001"),
      () => place.innerHTML,
    );
    button("Display")?.click();
    await until(
      () => all(".al-grid-metrics").length > 0,
      () => place.innerHTML,
    );
    expect(all(".al-grid-metrics label").map(({ textContent }) => textContent)).not.toContain(
      "Letters",
    );
  });

  it("shows how much of a larger table it has", async () => {
    const told = structuredClone(sample);
    told.rows.count = 400;
    await drawn(told);
    expect(all(".al-saved-part")[0]?.textContent).toContain("3 of 400 rows and all 3 columns");
  });

  it("shows why data is not a saved table", () => {
    drawSaved(place, { version: 3, rows: "<img src=x>" }, end.signal);
    expect(place.textContent).toBe(
      "This saved table cannot be read: its version is 3. Run the cell again.",
    );
  });

  it("removes everything", async () => {
    await drawn();
    end.abort();
    expect(place.childElementCount).toBe(0);
  });
});
