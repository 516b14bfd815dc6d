import axe from "axe-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { DeckEntry } from "../../src/crosstab/export/deck";
import { counted, Page } from "./page";

afterEach(() => {
  vi.restoreAllMocks();
});

const entry = (number: number, name: string, headline = ""): DeckEntry => ({
  number,
  kind: number % 2 ? "table" : "bar",
  name,
  headline,
});

async function ready(items: DeckEntry[] = []): Promise<Page> {
  const page = new Page(counted(4, 3));
  page.model.set("_deck", { items, template: "", undo: null, writing: null });
  page.answers.deck = () => [null];
  page.answers.templates = () => [{ names: ["house.pptx"] }];
  await page.until(() => page.shows);
  return page;
}

const THREE = [entry(1, "Pets by Age"), entry(2, "Brands", "More <b>women</b>"), entry(3, "News")];

const file = (name: string, skipped: object[] = []) => ({
  number: 1,
  name,
  type: "application/x",
  bytes: 1,
  beside: false,
  skipped,
});

const key = (target: Element | undefined, init: KeyboardEventInit) =>
  target?.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }));

describe("the deck", () => {
  it("takes the table with one click, and its file with a second", async () => {
    const page = await ready();
    page.answers.deck = () => {
      page.model.set("_deck", { items: [entry(1, "A by B")], template: "", undo: "add" });
      return [null];
    };
    page.answers.write_deck = () => [file("deck.pptx"), [new DataView(new ArrayBuffer(1))]];
    const saved: string[] = [];
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:1");
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push(this.download);
    });
    page.button("Add to deck").click();
    await page.until(() => page.has("Save deck") && !page.button("Save deck").disabled);
    expect(page.requests("deck").map(({ args }) => args)).toEqual([{ do: "add", generation: 1 }]);
    page.button("Save deck").click();
    await page.until(() => saved[0] === "deck.pptx");
    expect(page.requests("write_deck")[0]?.args).toEqual({ beside: false });
  });

  it("adds only what is selected", async () => {
    const page = await ready();
    page.at({ row: 2, column: 3 })?.focus();
    page.press("ArrowDown", { shiftKey: true });
    await page.until(() => page.has("Copy 2 cells"));
    page.button("Add to deck").click();
    await page.until(() => page.requests("deck")[0]);
    expect(page.requests("deck")[0]?.args).toMatchObject({ rows: [0, 1], columns: [0] });
  });

  it("is a list with headlines that keys reorder, rename and empty", async () => {
    const page = await ready(THREE);
    page.button("Deck of 3 slides").click();
    const names = await page.until(() => {
      const found = page.all(".al-deck-name");
      return found.length === 3 && found;
    });
    expect(names.map((each) => each.textContent)).toEqual([
      "Pets by Age",
      "More <b>women</b>Brands",
      "News",
    ]);
    expect((await axe.run(page.element)).violations).toEqual([]);
    key(names[0], { key: "ArrowDown", altKey: true });
    key(names[0], { key: "ArrowUp", altKey: true });
    key(names[2], { key: "Delete" });
    names[1]?.click();
    await page.until(() => page.requests("deck").length === 3);
    expect(page.requests("deck").map(({ args }) => args)).toEqual([
      { do: "move", number: 1, to: 1 },
      { do: "remove", number: 3 },
      { do: "show", number: 2 },
    ]);
    key(names[0], { key: "F2" });
    const field = await page.until(() => page.all(".al-deck-headline")[0] as HTMLInputElement);
    field.value = "Cats win";
    key(field, { key: "Enter" });
    await page.until(() => page.requests("deck").length === 4);
    expect(page.requests("deck")[3]?.args).toEqual({
      do: "rename",
      number: 1,
      headline: "Cats win",
    });
  });

  it("is reordered by dragging", async () => {
    const page = await ready(THREE);
    page.button("Deck of 3 slides").click();
    const lines = await page.until(() => {
      const found = page.all(".al-deck-list > li");
      return found.length === 3 && found;
    });
    const drag = (at: number, type: string) =>
      lines[at]?.dispatchEvent(
        Object.assign(new Event(type, { bubbles: true, cancelable: true }), { clientY: -1 }),
      );
    drag(2, "dragstart");
    drag(0, "dragover");
    drag(0, "drop");
    await page.until(() => page.requests("deck").length === 1);
    expect(page.requests("deck")[0]?.args).toEqual({ do: "move", number: 3, to: 0 });
  });

  it("shows its progress, can be stopped, and says what it left out", async () => {
    const page = await ready(THREE);
    page.busy = true;
    page.button("Deck of 3 slides").click();
    (await page.until(() => page.has("Save deck") && page.button("Save deck"))).click();
    page.model.set("_deck", { items: THREE, template: "", undo: null, writing: 1 });
    await page.until(() => page.text.includes("Counting 2 of 3 …"));
    page.button("Stop").click();
    await page.until(() => page.asked.some(({ cancel }) => cancel));
    page.busy = false;
    page.model.set("_deck", { items: THREE, template: "", undo: null, writing: null });
    page.answers.write_deck = () => [
      file("deck.pptx", [{ name: "News", why: "q9 is not a question." }]),
      [new DataView(new ArrayBuffer(1))],
    ];
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:1");
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
    page.button("Save deck").click();
    await page.until(() => page.text.includes("Left out: News. q9 is not a question."));
  });

  it("has a template of the folder", async () => {
    const page = await ready(THREE);
    page.button("Deck of 3 slides").click();
    const list = await page.until(
      () => page.all(".al-deck-template")[0] as HTMLSelectElement | undefined,
    );
    await page.until(() => list.textContent?.includes("house.pptx"));
    list.value = "house.pptx";
    list.dispatchEvent(new Event("change", { bubbles: true }));
    await page.until(() => page.requests("deck")[0]);
    expect(page.requests("deck")[0]?.args).toEqual({ do: "template", name: "house.pptx" });
  });
});
