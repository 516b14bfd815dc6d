import axe from "axe-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mount } from "../../src/shared/host";
import type { QuestionRecord } from "../../src/widgets/picker/catalogue";
import { Picker } from "../../src/widgets/picker/Picker";
import type { Selection } from "../../src/widgets/picker/selection";
import { FakeModel, settle } from "../shared/fakes";
import { smallCatalogue } from "./catalogue";

interface Sent {
  id: number;
  op: string;
  args: { start?: number; question?: string };
}

/** A mounted picker whose kernel the test plays. */
class Page {
  readonly el = document.createElement("div");
  readonly channel = new FakeModel({});
  readonly model: FakeModel;
  readonly close: () => void;

  constructor(selection: Selection = [], mode = "datapoints") {
    this.model = new FakeModel({ _channel: "c", kind: "picker", mode, selection }, this.channel);
    document.body.append(this.el);
    this.close = mount(Picker, {
      model: this.model.asModel,
      el: this.el,
      label: "Question picker",
    });
  }

  asked(op: string): Sent[] {
    return this.channel.sent.map(({ content }) => content as Sent).filter((sent) => sent.op === op);
  }

  answer(request: Sent | undefined, data: unknown, json?: unknown) {
    const buffers = json === undefined ? [] : [new TextEncoder().encode(JSON.stringify(json))];
    this.channel.trigger("msg:custom", { id: request?.id, ok: true, data }, buffers);
  }

  /** Plays a kernel that sends these questions, each in a part of its own. */
  async load(questions: readonly QuestionRecord[] = smallCatalogue().questions) {
    for (let at = 0; at < questions.length; at++) {
      await settle();
      const request = this.asked("catalogue").at(-1);
      expect(request?.args.start).toBe(at);
      const head = at === 0 ? { categories: smallCatalogue().categories } : {};
      const next = at + 1 < questions.length ? at + 1 : null;
      this.answer(request, null, {
        ...head,
        questions: [questions[at]],
        total: questions.length,
        next,
      });
    }
    await this.drawn();
  }

  async drawn() {
    await settle();
    await vi.advanceTimersByTimeAsync(50);
    await settle();
  }

  get box(): HTMLInputElement {
    return this.el.querySelector("input") as HTMLInputElement;
  }

  async type(text: string) {
    this.box.value = text;
    this.box.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await this.drawn();
  }

  async press(key: string) {
    this.box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await this.drawn();
  }

  rows(): HTMLElement[] {
    const rows = [...this.el.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const top = (row: HTMLElement) => Number(/translateY\((\d+)px/.exec(row.style.transform)?.[1]);
    return rows.sort((a, b) => top(a) - top(b));
  }

  names(): (string | null | undefined)[] {
    return this.rows().map((row) => row.querySelector(".al-picker-name")?.textContent);
  }

  async violations() {
    const { violations } = await axe.run(this.el, {
      // happy-dom lays nothing out; colours are judged in a real browser.
      rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe("a picker while the catalogue comes", () => {
  it("shows rows to come, and asks for part after part", async () => {
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

  it("says when it could not be loaded, and tries again", async () => {
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
  it("finds, ticks, and tells the model", async () => {
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

  it("follows a selection that Python sets, and one that it does not know", async () => {
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

  it("asks for details only when somebody looks, and only for the latest question", async () => {
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
    const details = {
      description: "How old are you?",
      datasets: [],
      waves: ["Q1 2024"],
      wave_count: 4,
    };
    page.answer(asked[0], { ...details, description: "late" });
    page.answer(asked[1], details);
    await page.drawn();
    const pane = page.el.querySelector(".al-picker-details")?.textContent;
    expect(pane).toContain("How old are you?");
    expect(pane).toContain("Q1 2024");
    expect(pane).not.toContain("late");
  });

  it("shows hostile labels as text", async () => {
    const page = new Page();
    await page.load();
    await page.type("onerror");
    expect(page.el.querySelector("img")).toBeNull();
    expect(page.names()).toContain("<img onerror=alert(1)>");
    page.rows().at(-1)?.click();
    await page.drawn();
    expect(page.el.querySelector("img")).toBeNull();
  });

  it("draws only what is in sight of 50,000 answers", async () => {
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

  it("has no fault that axe can find, empty, searched, picked and with nothing found", async () => {
    vi.useRealTimers();
    const page = new Page();
    page.drawn = async () => new Promise((resolve) => setTimeout(resolve, 30));
    await page.load();
    expect(await page.violations()).toEqual([]);
    await page.type("soc");
    page.rows().at(-1)?.click();
    (page.el.querySelector('[aria-label="Details"]') as HTMLElement).click();
    await page.drawn();
    expect(await page.violations()).toEqual([]);
    await page.type("zebra");
    expect(page.el.textContent).toContain("Nothing matches “zebra”");
    expect(await page.violations()).toEqual([]);
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
