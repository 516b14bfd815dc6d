import { afterEach, describe, expect, it } from "vitest";
import { dragQuestions, droppedQuestions, hasQuestions } from "../../src/catalogue/dragging";

afterEach(() => document.body.replaceChildren());

/** A fake drag event with its data and its drag image. */
function dragging(held: Record<string, string> = {}) {
  const shown: string[] = [];
  const dataTransfer = {
    effectAllowed: "none",
    get types() {
      return Object.keys(held);
    },
    getData: (type: string) => held[type] ?? "",
    setData: (type: string, text: string) => {
      held[type] = text;
    },
    setDragImage: (card: Element) => {
      if (card.isConnected) shown.push(card.textContent ?? "");
    },
  };
  const event = Object.assign(new Event("dragstart"), { dataTransfer }) as unknown as DragEvent;
  document.body.dispatchEvent(event);
  return { event, shown };
}

const women = [{ question: "q2", datapoints: ["q2_1"], suffixes: [] }];

describe("dragging questions", () => {
  it("carries the selection, and shows a card", () => {
    const { event, shown } = dragging();
    dragQuestions(event, women, "Female");
    expect(shown).toEqual(["Female"]);
    expect(hasQuestions(event)).toBe(true);
    expect(droppedQuestions(event)).toEqual(women);
    expect(event.dataTransfer?.getData("text/plain")).toBe("Female");
  });

  it("rejects other data", () => {
    const type = "application/x-audiencelab-questions+json";
    expect(hasQuestions(dragging({ "text/plain": "q2" }).event)).toBe(false);
    for (const text of ["", "{", "[]", "{}", '["q2"]', '[{"question":"q2","datapoints":[1]}]']) {
      expect(droppedQuestions(dragging({ [type]: text }).event)).toBeNull();
    }
  });
});
