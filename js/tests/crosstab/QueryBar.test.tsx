import axe from "axe-core";
import { afterEach, describe, expect, it } from "vitest";
import { QueryBar } from "../../src/crosstab/query/QueryBar";
import type { QuerySummary } from "../../src/protocol";
import { mount } from "../../src/ui/host";
import { smallCatalogue } from "../catalogue/catalogue";
import { FakeModel, type Message } from "../core/fakes";
import { until } from "../core/until";

const TOLD: QuerySummary = {
  rows: { question: "", count: 8, names: ["Gender", "Age"], more: 0 },
  columns: { question: "", count: 0, names: [], more: 0 },
  bases: [],
  base_count: 0,
  side_by_side: false,
  who_counts: { chosen: "everyone", usual: "everyone", fixed: false },
  waves: null,
  locations: null,
  weight: null,
  undo: "rows",
  redo: null,
  statistics: [],
  scored: [],
  wave_columns: false,
  single: [],
};

const WAVES = ["q1_2024", "q2_2024", "q3_2024", "q4_2024", "q1_2025"];

/** A query bar alone, whose kernel answers at once. */
class Bar {
  readonly el = document.createElement("div");
  readonly channel = new FakeModel({});
  readonly model: FakeModel;
  readonly edits: Record<string, unknown>[] = [];
  readonly steps: string[] = [];
  /** Error messages for the next edits. */
  refusal: string | null = null;
  readonly close: () => void;

  constructor(summary: Partial<QuerySummary> = {}) {
    const traits = { _channel: "c", _table: { generation: 7 } };
    this.model = new FakeModel({ ...traits, _question: { ...TOLD, ...summary } }, this.channel);
    document.body.append(this.el);
    this.channel.send = (content) => queueMicrotask(() => this.answer(content as Message));
    this.close = mount(QueryBar, { model: this.model.asModel, el: this.el, label: "Bar" });
  }

  private answer({ id, op, args = {} }: Message): void {
    if (op === "edit" && this.refusal) {
      const error = { type: "QuestionError", message: this.refusal, faults: [] };
      this.channel.trigger("msg:custom", { id, ok: false, error }, []);
      return;
    }
    if (op === "edit") this.edits.push(args);
    if (op === "undo" || op === "redo") this.steps.push(op);
    const buffers = op === "catalogue" ? [catalogue()] : [];
    this.channel.trigger("msg:custom", { id, ok: true, data: answers[op ?? ""] }, buffers);
  }

  button(name: string | RegExp): HTMLButtonElement {
    const found = [...this.el.querySelectorAll("button")].find((each) => {
      const label = each.getAttribute("aria-label") ?? each.textContent ?? "";
      return typeof name === "string" ? label === name : name.test(label);
    });
    if (!found) throw new Error(`no button ${name} in: ${this.el.textContent}`);
    return found;
  }

  /** Clicks a button once it exists and is enabled. */
  async press(name: string | RegExp): Promise<void> {
    const found = await this.until(() => {
      const button = this.button(name);
      return button.disabled ? null : button;
    });
    found.click();
  }

  async check(text: string): Promise<void> {
    const label = await this.until(() =>
      [...this.el.querySelectorAll("label")].find((each) => each.textContent?.trim() === text),
    );
    label.querySelector("input")?.click();
  }

  /** Ticks an answer in the tree. */
  async tick(answer: string): Promise<void> {
    const search = await this.until(() =>
      this.el.querySelector<HTMLInputElement>(".al-picker-search input"),
    );
    search.value = answer;
    search.dispatchEvent(new Event("input", { bubbles: true }));
    const row = await this.until(() =>
      [...this.el.querySelectorAll<HTMLElement>('[role="treeitem"]')].find((each) =>
        each.querySelector(".al-picker-name")?.textContent?.startsWith(answer),
      ),
    );
    row.querySelector<HTMLElement>(".al-picker-box")?.click();
  }

  until<T>(found: () => T | null | undefined | false): Promise<T> {
    const patient = () => {
      try {
        return found();
      } catch {
        return null;
      }
    };
    return until(patient, () => this.el.textContent ?? "");
  }

  get dialog(): Element | null {
    return this.el.querySelector('[role="dialog"]');
  }
}

const answers: Record<string, unknown> = {
  choices: {
    waves: {
      all: WAVES.map((code) => ({ code, name: code.toUpperCase() })),
      chosen: null,
      default: WAVES.slice(-4),
      window: "",
    },
    locations: {
      all: [{ code: "s2_1", name: "Northland" }],
      chosen: ["s2_1"],
      default: [],
      window: "",
    },
  },
  blocks: {
    blocks: [
      { name: "Gender", start: 0, count: 2, is_group: true, is_net: false },
      { name: "Age", start: 2, count: 5, is_group: true, is_net: false },
      { name: "<img src=x onerror=alert(1)>", start: 7, count: 1, is_group: false, is_net: true },
    ],
    more: 0,
  },
  saved_audiences: { audiences: [{ id: "a1", name: "Young women", expression: null }] },
};

function catalogue(): DataView {
  const { categories, questions, datasets } = smallCatalogue();
  const part = { categories, datasets, questions, total: questions.length, next: null };
  return new DataView(new TextEncoder().encode(JSON.stringify(part)).buffer);
}

const bars: Bar[] = [];

function open(summary?: Partial<QuerySummary>): Bar {
  const bar = new Bar(summary);
  bars.push(bar);
  return bar;
}

afterEach(() => {
  for (const bar of bars.splice(0)) {
    bar.close();
    bar.el.remove();
  }
});

describe("a kernel that is gone", () => {
  it("is reported in a panel that was open, and no other panel opens", async () => {
    const bar = new Bar();
    await bar.press("Add rows");
    const panel = await bar.until(() => bar.el.querySelector(".al-popover"));
    const gone = "The kernel was restarted. Run the cell again";
    await bar.until(() => {
      bar.channel.trigger("comm:close");
      return bar.el.querySelector(".al-status")?.textContent?.includes(gone);
    });
    const controls = [...panel.querySelectorAll("button:not([data-local]), input, select")];
    expect(controls.length).toBeGreaterThan(0);
    for (const each of controls) expect(each.getAttribute("aria-disabled")).toBe("true");
    await bar.press("Add columns");
    expect(bar.el.querySelectorAll(".al-popover")).toHaveLength(1);
    bar.close();
  });
});

describe("the query bar", () => {
  it("shows each part of the query on a button", () => {
    const bar = open({ waves: { count: 2, names: ["Q1 2025", "Q2 2025"] }, bases: ["Women"] });
    expect(bar.button("Rows: Gender, Age 8. Change")).toBeTruthy();
    expect(bar.button("Columns: none (base only). Change")).toBeTruthy();
    expect(bar.button("Waves: Q1 2025, Q2 2025. Change")).toBeTruthy();
    expect(bar.button("Locations: everywhere. Change")).toBeTruthy();
  });

  it("has short accessible names, however long and many the items are", () => {
    const items = Array.from({ length: 30 }, (_, i) => `I find that statement ${i} is about me`);
    const bar = open({ rows: { ...TOLD.rows, count: 30, names: items, question: "" } });
    const button = bar.button(/^Rows/);
    expect(button.getAttribute("aria-label")).toBe(
      "Rows: I find that statement 0 is about me, I find that statement 1 is about me … 30. Change",
    );
    expect(button.title.length).toBeLessThan(310);
  });

  it("is absent before Python has sent the query", () => {
    const bar = open();
    bar.model.set("_question", undefined);
    return bar.until(() => bar.el.querySelector(".al-query") === null);
  });

  it("leaves parts of the query that it does not know to Python", async () => {
    const bar = open({ undo: "base_of", redo: "base_of" });
    bar.button("Undo: base").click();
    bar.button("Redo: base").click();
    await bar.until(() => bar.steps.length === 2);
    expect(bar.model.saved).toEqual([]);
  });

  it("undoes and redoes, by button and by key", async () => {
    const bar = open({ redo: "base_audience" });
    bar.button("Undo: rows").click();
    bar.button("Redo: base").click();
    await bar.until(() => bar.steps.length === 2);
    const root = bar.el.firstElementChild;
    const press = (init: KeyboardEventInit, target = root) =>
      target?.dispatchEvent(
        new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }),
      );
    expect(press({ key: "z", ctrlKey: true })).toBe(false);
    expect(press({ key: "Z", ctrlKey: true, shiftKey: true })).toBe(false);
    await bar.until(() => bar.steps.length === 4);
    expect(bar.steps).toEqual(["undo", "redo", "undo", "redo"]);
  });

  it("ignores the keys in text fields, and where there is no step", async () => {
    const bar = open({ undo: null });
    const input = document.createElement("input");
    bar.el.firstElementChild?.append(input);
    const event = new KeyboardEvent("keydown", {
      key: "z",
      ctrlKey: true,
      bubbles: true,
      cancelable: true,
    });
    expect(input.dispatchEvent(event)).toBe(true);
    bar.button("Nothing to undo").click();
    expect(bar.steps).toEqual([]);
  });

  it("shows why an edit failed, until it is dismissed", async () => {
    const bar = open();
    bar.refusal = "The survey has no wave 'q9_2077'.";
    await bar.press(/^Waves/);
    await bar.press("All");
    await bar.press("Apply");
    const summary = await bar.until(() => bar.el.querySelector('[role="alert"]'));
    expect(summary.textContent).toContain("no wave 'q9_2077'");
    expect(bar.dialog).toBeTruthy();
    bar.button("Dismiss").click();
    await bar.until(() => bar.el.querySelector('[role="alert"]') === null);
  });
});

describe("adding", () => {
  it("adds a row for each ticked answer", async () => {
    const bar = open();
    bar.button("Add rows").click();
    await bar.tick("Female");
    await bar.tick("Male");
    await bar.press("Add 2 rows");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]).toEqual({
      do: "add",
      axis: "rows",
      how: "split",
      picked: [{ question: "q2", datapoints: ["q2_1", "q2_2"], suffixes: [] }],
      saved: [],
    });
    await bar.until(() => bar.dialog === null);
    expect(document.activeElement).toBe(bar.button("Add rows"));
  });

  it("adds one column for all answers, including saved audiences", async () => {
    const bar = open();
    bar.button("Add columns").click();
    await bar.tick("Chirper");
    await bar.press("Saved audiences");
    await bar.check("Young women");
    await bar.check("All (AND)");
    await bar.press("Add 1 column");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]).toMatchObject({ axis: "columns", how: "and", saved: ["a1"] });
    expect(bar.edits[0]?.picked).toHaveLength(1);
  });

  it("chooses how to add in one table without affecting another", async () => {
    const names: string[] = [];
    for (const bar of [open(), open()]) {
      bar.button("Add rows").click();
      const radio = await bar.until(() => bar.el.querySelector<HTMLInputElement>("[type=radio]"));
      names.push(radio.name);
    }
    expect(names[0]).not.toBe(names[1]);
  });

  it("nests the existing items under the selected ones", async () => {
    const bar = open();
    bar.button("Add rows").click();
    await bar.tick("Gender");
    await bar.check("Nest");
    await bar.press("Nest under 2");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]).toMatchObject({ do: "nest", axis: "rows" });
  });

  it("nests two questions within each other", async () => {
    const bar = open();
    bar.button("Add columns").click();
    await bar.tick("Gender");
    await bar.tick("Age");
    await bar.check("Nest");
    await bar.press(/^Add \d+ columns$/);
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]?.picked).toHaveLength(2);
    expect(bar.edits[0]).toMatchObject({ do: "nest", axis: "columns" });
  });
});

describe("changing", () => {
  it("removes the base, sets another, or adds one", async () => {
    const bar = open({ bases: ["Women", "Men"], base_count: 2 });
    await bar.press(/^Base/);
    await bar.press("Remove Men");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]).toMatchObject({ do: "bases", keep: [0], picked: [] });
    await bar.tick("Chirper");
    await bar.press("Add as another base");
    await bar.until(() => bar.edits.length === 2);
    expect(bar.edits[1]).toMatchObject({ do: "bases", keep: [0, 1] });
    expect(bar.edits[1]?.picked).toHaveLength(1);
  });

  it("chooses who counts in the base, and says what the choice means", async () => {
    const bar = open({ who_counts: { chosen: "everyone", usual: "valid", fixed: false } });
    await bar.press("Base: All respondents. Change");
    await bar.until(() => bar.dialog);
    expect(bar.dialog?.textContent).toContain("everyone in the base, with an answer or without");
    expect(bar.dialog?.textContent).toContain("The default of this survey is: Those who answered");
    const group = bar.el.querySelector('[aria-labelledby*="who-counts"]');
    const pressed = [...(group?.querySelectorAll("button") ?? [])].map((each) =>
      each.getAttribute("aria-pressed"),
    );
    expect(pressed).toEqual(["false", "true"]);
    bar.button("Everyone").click();
    await bar.press("Those who answered");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits).toEqual([{ do: "who_counts", who: "valid" }]);
    bar.model.set("_question", {
      ...TOLD,
      who_counts: { chosen: "valid", usual: "valid", fixed: false },
    });
    await bar.until(() => bar.button("Base: Those who answered. Change"));
    expect(bar.dialog?.textContent).toContain("an answer to the questions of its row");
    expect(bar.dialog?.textContent).not.toContain("The default");
  });

  it("cannot choose who counts of a service that does not know who answered", async () => {
    const bar = open({ who_counts: { chosen: "everyone", usual: "everyone", fixed: true } });
    await bar.press(/^Base/);
    await bar.until(() => bar.dialog);
    expect(bar.dialog?.textContent).toContain("This service counts everyone in the base");
    const button = bar.button("Those who answered");
    expect(button.getAttribute("aria-disabled")).toBe("true");
    button.click();
    await bar.tick("Chirper");
    await bar.press("Use as base");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]).toMatchObject({ do: "bases" });
  });

  it("selects waves one by one and by year", async () => {
    const bar = open();
    await bar.press(/^Waves/);
    await bar.check("Q1_2024");
    await bar.press("2025");
    await bar.press("Apply");
    await bar.until(() => bar.edits.length === 1);
    const { codes } = bar.edits[0] as { codes: string[] };
    expect(new Set(codes)).toEqual(new Set(WAVES.slice(0, 4)));
  });

  it("restores the time window of the client, which may be all waves", async () => {
    const { choices } = answers;
    const { waves, locations } = choices as { waves: object; locations: object };
    answers.choices = { waves: { ...waves, default: WAVES, window: "all" }, locations };
    const bar = open({ waves: { count: 1, names: ["Q1 2024"] } });
    await bar.press(/^Waves/);
    await bar.until(() => bar.dialog?.textContent?.includes("2024"));
    answers.choices = choices;
    expect(bar.dialog?.textContent).not.toContain("Last four");
    const all = [...(bar.dialog?.querySelectorAll("button") ?? [])].filter(
      ({ textContent }) => textContent === "All",
    );
    expect(all).toHaveLength(1);
  });

  it("restores all locations", async () => {
    const bar = open({ locations: { count: 1, names: ["s2_1"] } });
    await bar.press("Locations: 1 location. Change");
    await bar.press("Everywhere");
    await bar.press("Apply");
    await bar.until(() => bar.edits.length === 1);
    expect(bar.edits[0]).toEqual({ do: "locations", codes: null });
  });

  it("selects a weight, and restores the previous one on failure", async () => {
    expect(open().el.querySelector("select")).toBeNull();
    const bar = open({ weight: { chosen: "wa", all: ["wa", "wb", null] } });
    const select = await bar.until(() => bar.el.querySelector("select"));
    const labels = [...select.options].map(({ textContent }) => textContent);
    expect(labels).toEqual(["wa", "wb", "Unweighted"]);
    expect(select.getAttribute("aria-label")).toBe("Weight");
    const choose = (index: number) => {
      select.selectedIndex = index;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    };
    choose(1);
    choose(2);
    await bar.until(() => bar.edits.length === 2);
    expect(bar.edits.map(({ weight }) => weight)).toEqual(["wb", null]);
    bar.refusal = "The survey has no weight 'wb'.";
    choose(1);
    await bar.until(() => bar.el.querySelector('[role="alert"]'));
    expect(select.selectedIndex).toBe(0);
  });

  it("moves and removes groups", async () => {
    const bar = open();
    await bar.press(/^Rows/);
    await bar.press("Move Age up");
    await bar.press("Remove Age");
    await bar.until(() => bar.edits.length === 2);
    const places = [2, 3, 4, 5, 6];
    expect(bar.edits[0]).toEqual({ table: 7, do: "move", axis: "rows", places, to: 0 });
    expect(bar.edits[1]).toEqual({ table: 7, do: "remove", axis: "rows", places });
    expect(bar.el.querySelector("img")).toBeNull();
  });

  it("adds the mean of a question on the rows, and removes one", async () => {
    const bar = open({ statistics: ["Age: median"], scored: [{ code: "q4", name: "Age" }] });
    await bar.press(/^Rows/);
    await bar.press("Add mean row");
    await bar.press("Remove Age: median");
    await bar.until(() => bar.edits.length === 2);
    expect(bar.edits).toEqual([
      { do: "mean", question: "q4", statistic: "mean" },
      { do: "remove_statistic", name: "Age: median" },
    ]);
  });

  it("keeps the focus in the panel when the focused button is removed", async () => {
    const bar = open({ bases: ["Women"], base_count: 1 });
    await bar.press(/^Base/);
    (await bar.until(() => bar.button("Remove Women"))).focus();
    bar.model.set("_question", { ...TOLD, bases: [], base_count: 0 });
    await bar.until(() => !bar.el.querySelector('[aria-label="Remove Women"]'));
    expect(bar.dialog?.contains(document.activeElement)).toBe(true);
  });
});

describe("accessibility", () => {
  it.each<[string, string | RegExp | null]>([
    ["the bar", null],
    ["adding rows", "Add rows"],
    ["the base", /^Base/],
    ["waves", /^Waves/],
    ["locations", /^Locations/],
    ["the rows", /^Rows/],
  ])("%s has no violations that axe can find", async (_, button) => {
    const weight = { chosen: null, all: ["wa", "wb", null] };
    const bar = open({ bases: ["Women"], base_count: 1, weight });
    if (button) {
      await bar.press(button);
      await bar.until(() => bar.dialog && bar.el.querySelector(".al-skeleton") === null);
    }
    const { violations } = await axe.run(bar.el, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it("removes everything when the view is closed", () => {
    const bar = open();
    bar.close();
    expect(bar.model.listeners).toBe(0);
  });
});
