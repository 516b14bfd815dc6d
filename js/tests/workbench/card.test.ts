import axe from "axe-core";
import { afterEach, describe, expect, it } from "vitest";
import type { CardGuess, SurveyCard } from "../../src/protocol";
import { Page } from "./page";

const pages: Page[] = [];

afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

const HOSTILE = "<img src=x onerror=alert(1)>";

function guess(id: string, changes: Partial<CardGuess> = {}): CardGuess {
  return {
    id,
    subject: "scale",
    name: `Question ${id}`,
    said: "'often' is the top",
    severity: 2,
    choices: [
      { label: "'often' is the top", code: 'client.edit("q1", top="last")', present: true },
      { label: HOSTILE, code: 'client.edit("q1", top="first")', present: false },
    ],
    code: "",
    refusal: "",
    changed: false,
    ...changes,
  };
}

function card(guesses: CardGuess[], changes: Partial<SurveyCard> = {}): SurveyCard {
  const facts = [
    { text: "400 respondents", worst: false },
    { text: "no weight", worst: true },
  ];
  return { facts, first: "Rows: Pets.", guesses, gone: [], ...changes };
}

async function open(guesses: CardGuess[]): Promise<Page> {
  const page = new Page({ card: true });
  pages.push(page);
  page.answers.card = () => [card(guesses)];
  await page.ready();
  await page.until(() => page.text.includes("400 respondents"));
  return page;
}

const radios = (page: Page) => [...page.element.querySelectorAll<HTMLInputElement>("[type=radio]")];

describe("the card", () => {
  it("is there on demand", async () => {
    const page = new Page();
    pages.push(page);
    page.answers.card = () => [card([])];
    await page.ready();
    expect(page.requests("card")).toEqual([]);
    page.button("About this survey").click();
    await page.until(() => page.text.includes("400 respondents"));
    page.button("Close").click();
    await page.until(() => !page.text.includes("400 respondents"));
  });

  it("shows names as text, and nothing that axe objects to", async () => {
    const page = await open([guess("a", { severity: 0, name: HOSTILE }), guess("b")]);
    expect(page.text).toContain(HOSTILE);
    expect(page.element.querySelector("img")).toBeNull();
    const about = page.element.querySelector<HTMLElement>(".al-card");
    const found = await axe.run(about as HTMLElement, { rules: { region: { enabled: false } } });
    expect(found.violations).toEqual([]);
  });

  it("makes a choice, says what is gone, and takes it back", async () => {
    const page = await open([guess("a", { severity: 1 })]);
    page.answers.settle = () => [card([], { gone: ["A", "B", "C", "D"] })];
    page.answers.card = () => [card([guess("a", { severity: 1, changed: true })])];
    radios(page)[1]?.click();
    await page.until(() => page.text.includes("No longer in the table: A, B, C and 1 more"));
    expect(page.requests("settle")).toEqual([{ guess: "a", choice: 1 }]);
    page.bench.set("_revision", 1);
    page.bench.trigger("change:_revision");
    await page.until(() => page.text.includes("Undo"));
    page.answers.unsettle = () => [card([])];
    page.button("Undo").click();
    await page.until(() => page.requests("unsettle").length === 1);
    expect(page.requests("unsettle")).toEqual([{ guess: "a" }]);
  });

  it("keeps the choice where another cannot be made, and says why", async () => {
    const page = await open([guess("a", { severity: 1 })]);
    page.answers.settle = () => {
      throw new Error("The file is gone.");
    };
    radios(page)[1]?.click();
    await page.until(() => page.text.includes("The file is gone."));
    await page.until(() => radios(page)[0]?.checked === true);
    expect(radios(page)[1]?.checked).toBe(false);
  });

  it("unfolds the rest in place, with a search among many", async () => {
    const many = Array.from({ length: 44 }, (_, at) => guess(`g${at}`));
    const page = await open(many);
    expect(page.element.querySelectorAll("fieldset")).toHaveLength(3);
    page.button("41 more").click();
    await page.until(() => page.element.querySelectorAll("fieldset").length === 44);
    const search = page.element.querySelector<HTMLInputElement>(".al-card [type=search]");
    expect(search).not.toBeNull();
    (search as HTMLInputElement).value = "question g17";
    search?.dispatchEvent(new Event("input", { bubbles: true }));
    await page.until(() => page.element.querySelectorAll("fieldset").length === 1);
  });
});
