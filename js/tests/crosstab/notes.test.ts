/** Whom the figures of a table are of, and notes on its bases. */
import { describe, expect, it } from "vitest";
import { counted, ready } from "./page";

describe("notes under a table", () => {
  it("name the base, waves and locations, and what there is to note", async () => {
    const page = await ready(counted(2, 2));
    const notes = ["1", "2", "3", "4", "<b>5</b>"];
    page.report({ base_line: "Base: those who answered, by question", notes });
    const shown = await page.until(() => {
      const found = page.element.querySelector(".al-grid-notes");
      return found?.textContent?.includes("those who answered") ? found : null;
    });
    expect(shown.firstElementChild?.textContent).toBe(
      "Base: those who answered, by question · waves: latest 4",
    );
    expect(shown.lastElementChild?.textContent).toMatch(/^Source: demo survey/);
    const folded = page.element.querySelector(".al-grid-notes details");
    expect(folded?.querySelector("summary")?.textContent).toBe("2 more notes");
    expect(folded?.textContent).toContain("<b>5</b>");
    expect(page.element.querySelector(".al-grid-notes b")).toBeNull();
  });
});
