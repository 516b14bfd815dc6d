import { describe, expect, it, vi } from "vitest";
import { COVERAGE, smallCatalogue } from "../catalogue/catalogue";
import { freshPages, Page } from "./page";

freshPages();

describe("a picker while the catalogue loads", () => {
  it("shows placeholder rows, and requests part after part", async () => {
    const page = new Page();
    await page.drawn();
    expect(page.el.querySelectorAll(".al-skeleton").length).toBeGreaterThan(3);
    await page.load();
    expect(page.names()).toEqual([
      "Demographics",
      "Gender",
      "Age",
      "Income",
      "Media",
      "Social media",
      "Income",
      "Remarks",
    ]);
  });

  it("shows why it could not be loaded, and retries", async () => {
    const page = new Page();
    await page.drawn();
    const [request] = page.asked("catalogue");
    const error = { type: "ServiceFailure", message: "The service is down.", faults: [] };
    page.channel.trigger("msg:custom", { id: request?.id, ok: false, error }, []);
    await page.drawn();
    expect(page.el.textContent).toContain("The service is down.");
    (page.el.querySelector(".al-link") as HTMLElement).click();
    await page.drawn();
    await page.load();
    expect(page.names()).toContain("Gender");
  });
});

describe("a picker with its catalogue", () => {
  it("searches, ticks, and updates the model", async () => {
    const page = new Page();
    await page.load();
    await page.type("chirp");
    expect(page.names()).toEqual(["Media", "Social media", "Social platforms used", "Chirper"]);
    expect(page.el.querySelector("mark")?.textContent).toBe("Chirp");
    page.rows().at(-1)?.click();
    await page.drawn();
    expect(page.model.get("selection")).toEqual([
      { question: "q20", datapoints: ["q20_2"], suffixes: [] },
    ]);
    expect(page.rows().at(-1)?.getAttribute("aria-checked")).toBe("true");
    expect(page.rows().at(-2)?.getAttribute("aria-checked")).toBe("mixed");
    expect(page.el.querySelector(".al-chip")?.textContent).toContain("Chirper");
  });

  it("shows what similar words match, and suggests them", async () => {
    const page = new Page();
    await page.load();
    await page.type("chriper");
    expect(page.names()).toContain("Chirper");
    expect(page.el.textContent).toContain("Nothing matches “chriper” exactly.");
    const suggestion = [...page.el.querySelectorAll("button")].find(({ textContent }) =>
      textContent?.includes("Did you mean “chirper”?"),
    );
    suggestion?.click();
    await page.drawn();
    expect(page.box.value).toBe("chirper");
    expect(page.el.textContent).not.toContain("Did you mean");
  });

  it("picks a category by its box, expands it by its name, and announces how much is picked", async () => {
    const page = new Page();
    await page.load();
    const [category] = page.rows();
    expect(category?.getAttribute("aria-checked")).toBe("false");
    category?.querySelector<HTMLElement>(".al-picker-box")?.click();
    await page.drawn();
    expect(page.picked()).toEqual(["q2", "q4"]);
    expect(page.rows()[0]?.getAttribute("aria-checked")).toBe("true");
    expect(page.el.textContent).toContain("Demographics picked. 5 answers in total.");
    page.rows()[0]?.click();
    await page.drawn();
    expect(page.rows()[0]?.getAttribute("aria-expanded")).toBe("false");
    expect(page.picked()).toEqual(["q2", "q4"]);
    await page.click("Undo");
    expect(page.picked()).toEqual([]);
  });

  it("follows a selection that Python sets, also with unknown codes", async () => {
    const page = new Page();
    await page.load();
    page.model.set("selection", [
      { question: "core.q4", datapoints: [], suffixes: [] },
      { question: "q404", datapoints: ["q404_1"], suffixes: [] },
    ]);
    await page.drawn();
    const chips = [...page.el.querySelectorAll(".al-chip")].map((chip) => chip.textContent);
    expect(chips[0]).toContain("all 3 answers");
    expect(chips[1]).toContain("not in this catalogue");
  });

  it("points the search box at the active row", async () => {
    const page = new Page();
    await page.load();
    await page.press("ArrowDown");
    const id = page.box.getAttribute("aria-activedescendant");
    expect(document.getElementById(id ?? "")?.textContent).toContain("Demographics");
    expect(document.getElementById(page.box.getAttribute("aria-controls") ?? "")).not.toBeNull();
  });

  it("uses unique ids beside another picker", async () => {
    const pages = [new Page(), new Page()];
    for (const page of pages) await page.load();
    const ids = pages.flatMap(({ el }) => [...el.querySelectorAll("[id]")].map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { el, box } of pages) {
      const tree = document.getElementById(box.getAttribute("aria-controls") ?? "");
      expect(el.contains(tree)).toBe(true);
    }
  });

  it("loads details only when they are visible, and only for the latest question", async () => {
    const page = new Page();
    await page.load();
    await page.press("ArrowDown");
    await page.press("ArrowDown");
    expect(page.asked("question")).toEqual([]);
    (page.el.querySelector('[aria-label="Details"]') as HTMLElement).click();
    await page.drawn();
    await page.press("ArrowDown");
    const asked = page.asked("question");
    expect(asked.map(({ args }) => args.question)).toEqual(["core.q2", "core.q4"]);
    const details = { description: "How old are you?", datasets: ["Lives"] };
    page.answer(asked[0], { ...details, description: "late" });
    page.answer(asked[1], details);
    await page.drawn();
    const pane = page.el.querySelector(".al-picker-details")?.textContent;
    expect(pane).toContain("How old are you?");
    expect(pane).not.toContain("late");
  });

  it("counts a question after a pause, and shows base, waves and shares", async () => {
    const page = new Page();
    await page.load();
    await page.click("Details");
    await page.press("ArrowDown");
    await page.press("ArrowDown");
    await page.press("ArrowDown");
    expect(page.asked("figures")).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    const asked = page.asked("figures");
    expect(asked.map(({ args }) => args.question)).toEqual(["core.q4"]);
    page.answer(asked[0], {
      base: "those who answered Age",
      size: 1_234_567.4,
      sample: 890,
      least_sample: 300,
      waves: ["Spring"],
      wave_count: 2,
      shares: [
        { datapoint: "q4_2", percentage: 60.06 },
        { datapoint: "q4_1", percentage: 30.03, offered: ["Spring", "Fall"] },
        { datapoint: "q4_3", percentage: null, offered: [] },
      ],
      more: 1,
      items: [],
    });
    await page.drawn();
    const pane = page.named("Details").closest(".al-picker")?.querySelector("section");
    expect(pane?.textContent).toContain(
      "those who answered Age: 1,234,567 people, 300 to 890 respondents",
    );
    expect(pane?.textContent).toContain("Spring");
    const bars = [...(pane?.querySelectorAll("li") ?? [])];
    expect(bars.map((bar) => bar.textContent)).toEqual([
      "18 to 2460.1%",
      "16 to 1730.0%offered in Spring, Fall only",
      "25 to 34–not offered",
    ]);
    const widths = bars.map((bar) => bar.querySelector<HTMLElement>("[style]")?.style.width);
    expect(widths).toEqual(["100%", "50%", "0%"]);
    expect(pane?.textContent).toContain("1 answer with smaller shares");
  });

  it("does not count a locked question", async () => {
    const page = new Page();
    await page.load();
    await page.type("income");
    page.rows()[1]?.click();
    await page.drawn();
    await vi.advanceTimersByTimeAsync(500);
    expect(page.asked("question")).toHaveLength(1);
    expect(page.asked("figures")).toEqual([]);
  });

  it("shows which part of a description matches", async () => {
    const page = new Page();
    await page.load();
    await page.type("birthday");
    const why = page.el.querySelector(".al-picker-why");
    expect(why?.textContent).toContain("on your last birthday?");
    expect(why?.querySelector("mark")?.textContent).toBe("birthday");
    await page.type("age");
    expect(page.el.querySelector(".al-picker-why")).toBeNull();
  });

  it("picks all matches, and undoes it", async () => {
    const page = new Page();
    await page.load();
    await page.type("to");
    (page.el.querySelector(".al-picker-found .al-link") as HTMLElement).click();
    await page.drawn();
    expect(page.picked()).toEqual(["q4", "q20"]);
    await page.click("Undo");
    expect(page.picked()).toEqual([]);
    await page.click("Redo");
    expect(page.picked()).toEqual(["q4", "q20"]);
  });

  it("shows malicious labels as text", async () => {
    const page = new Page();
    await page.load();
    await page.type("onerror");
    expect(page.el.querySelector("img")).toBeNull();
    expect(page.names()).toContain("<img onerror=alert(1)>");
    page.rows().at(-1)?.click();
    await page.drawn();
    expect(page.el.querySelector("img")).toBeNull();
  });

  it("draws only the visible rows of 50,000 answers", async () => {
    const [question] = smallCatalogue().questions;
    if (!question) throw new Error("no question");
    const codes = Array.from({ length: 50_000 }, (_, at) => `q2_${at}`);
    const page = new Page();
    await page.load([{ ...question, datapoints: { codes, names: codes } }]);
    await page.type("gender q2_");
    expect(Number(page.rows()[3]?.getAttribute("aria-setsize"))).toBe(50_000);
    expect(page.rows().length).toBeLessThan(60);
    await page.press("ArrowDown");
    await page.press("End");
    expect(page.names().at(-1)).toBe("q2_49999");
    expect(page.rows().length).toBeLessThan(60);
  });

  it.each<[string, (page: Page) => Promise<void>]>([
    ["as it opens", async () => {}],
    [
      "searched, picked and read about",
      async (page) => {
        await page.type("soc");
        page.rows().at(-1)?.click();
        await page.click("Details");
      },
    ],
    ["with its filters", (page) => page.click("Filter")],
    ["with its keys", (page) => page.click("Keys")],
    ["with nothing found", (page) => page.type("zebra")],
  ])("has no violation that axe can find, %s", async (_, reach) => {
    vi.useRealTimers();
    const page = new Page();
    page.drawn = async () => new Promise((resolve) => setTimeout(resolve, 30));
    await page.load();
    await reach(page);
    expect(await page.violations()).toEqual([]);
  });

  it("reports that nothing matches", async () => {
    const page = new Page();
    await page.load();
    await page.type("zebra");
    expect(page.el.textContent).toContain("Nothing matches “zebra”");
  });
});

describe("a picker of an audience", () => {
  const picked = [{ question: "q2", datapoints: ["q2_1"], suffixes: [] }];

  it("shows its size, and greys the old one until the new one arrives", async () => {
    const page = new Page(picked, "audience");
    await page.load();
    expect(page.el.textContent).toContain("Counting");
    page.answer(page.asked("size")[0], { size: 1_000, sample: 40, percentage: 12.34 });
    await page.drawn();
    const line = () => page.el.querySelector<HTMLElement>(".al-picker-size");
    expect(line()?.textContent).toBe("1,000 people, 12.3% of all, from 40 respondents");
    await page.type("18");
    page.rows().at(-1)?.click();
    await page.drawn();
    expect(line()?.classList).toContain("al-stale");
    const [, second] = page.asked("size");
    expect(second?.args.selection).toHaveLength(2);
    page.answer(second, { size: 0, sample: 0, percentage: null });
    await page.drawn();
    expect(line()?.textContent).toBe("0 people, from 0 respondents");
    expect(line()?.classList).not.toContain("al-stale");
  });

  it("counts nothing while nothing is picked, and in no other mode", async () => {
    for (const page of [new Page([], "audience"), new Page(picked)]) {
      await page.load();
      expect(page.asked("size")).toEqual([]);
    }
  });
});

describe("filters", () => {
  it("are selected in a panel, shown as chips, and removed", async () => {
    const page = new Page();
    await page.load();
    await page.click("Filter");
    const choices = [...page.el.querySelectorAll("fieldset")];
    expect(choices.map((each) => each.querySelector("legend")?.textContent)).toContain("Access");
    const locked = [...page.el.querySelectorAll("label")].find((label) =>
      label.textContent?.startsWith("not included"),
    );
    locked?.querySelector("input")?.click();
    await page.drawn();
    expect(page.el.querySelector(".al-picker-facet")?.textContent).toContain("not included");
    expect(page.names()).toEqual(["Demographics", "Income", "Media", "Income"]);
    await page.click("Filter, 1 selected");
    await page.click("Remove filter: not included");
    expect(page.names()).toContain("Gender");
    expect(document.activeElement).toBe(page.box);
  });

  it("load waves on request, and report a failure", async () => {
    const page = new Page();
    await page.load();
    await page.click("Filter");
    expect(page.asked("coverage")).toEqual([]);
    const ask = () =>
      [...page.el.querySelectorAll("button")].find((each) =>
        each.textContent?.includes("Choose waves"),
      );
    ask()?.click();
    await page.drawn();
    const error = { type: "ServiceFailure", message: "The service is down.", faults: [] };
    const failed = { id: page.asked("coverage")[0]?.id, ok: false, error };
    page.channel.trigger("msg:custom", failed, []);
    await page.drawn();
    expect(page.el.textContent).toContain("The service is down.");
    ask()?.focus();
    ask()?.click();
    await page.drawn();
    page.answer(page.asked("coverage")[1], COVERAGE);
    await page.drawn();
    expect(page.el.textContent).toContain("Autumn");
    expect(document.activeElement?.closest("label")?.textContent).toContain("Spring");
  });
});

describe("help", () => {
  it("opens with a question mark, and returns the focus on Escape", async () => {
    const page = new Page();
    await page.load();
    page.box.focus();
    await page.press("?");
    const panel = page.el.querySelector('[role="dialog"]');
    expect(panel?.textContent).toContain("Pick all matches");
    expect(panel?.contains(document.activeElement)).toBe(true);
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }),
    );
    await page.drawn();
    expect(page.el.querySelector('[role="dialog"]')).toBeNull();
    expect(document.activeElement).toBe(page.box);
  });
});

describe("a view that is closed", () => {
  it("leaves no element and no listener behind", async () => {
    const page = new Page();
    await page.load();
    expect(page.model.listeners + page.channel.listeners).toBeGreaterThan(0);
    page.close();
    expect(page.el.childElementCount).toBe(0);
    expect(page.model.listeners + page.channel.listeners).toBe(0);
  });
});
