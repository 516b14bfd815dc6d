import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { PickerMode, Selection } from "../../src/widgets/picker/selection";
import { createPickerState } from "../../src/widgets/picker/state";
import { smallCatalogue } from "./catalogue";

function opened(mode: PickerMode = "datapoints") {
  const selection = signal<Selection>([]);
  const locked: number[] = [];
  const catalogue = smallCatalogue();
  const state = createPickerState({
    catalogue,
    selection,
    mode,
    onSelect: (next) => {
      selection.value = next;
    },
    onLocked: (question) => locked.push(question),
  });
  const press = (...keys: string[]) =>
    keys.map((key) => state.press(new KeyboardEvent("keydown", { key }), 5)).at(-1);
  const at = () => {
    const row = state.rows.value[state.active.value];
    if (!row) return null;
    if (row.kind === "category") return catalogue.categories[row.category]?.name;
    const question = catalogue.questions[row.question];
    return row.kind === "question" ? question?.name : question?.datapoints.names[row.datapoint];
  };
  return { state, selection, locked, press, at };
}

describe("the keys of the search box", () => {
  it("walk down into the tree and back up into the box", () => {
    const { press, at } = opened();
    expect(at()).toBeNull();
    press("ArrowDown");
    expect(at()).toBe("Demographics");
    press("ArrowDown");
    expect(at()).toBe("Gender");
    press("ArrowUp", "ArrowUp");
    expect(at()).toBeNull();
  });

  it("belong to the text until a row is active", () => {
    const { press } = opened();
    for (const key of ["Home", "End", "ArrowLeft", "ArrowRight", " ", "Enter", "a"]) {
      expect(press(key)).toBe(false);
    }
  });

  it("open, go in, close, and go out", () => {
    const { press, at } = opened();
    press("ArrowDown", "ArrowDown", "ArrowRight");
    expect(at()).toBe("Gender");
    press("ArrowRight");
    expect(at()).toBe("Female");
    press("ArrowLeft");
    expect(at()).toBe("Gender");
    press("ArrowLeft", "ArrowLeft");
    expect(at()).toBe("Demographics");
  });

  it("tick with space and Enter", () => {
    const { press, selection } = opened();
    press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", " ");
    expect(selection.value).toEqual([{ question: "q2", datapoints: ["q2_1"], suffixes: [] }]);
    press("Enter");
    expect(selection.value).toEqual([]);
  });

  it("go to the first thing found on Enter, past the categories", () => {
    const { state, press, at } = opened();
    state.type("chirper");
    press("Enter");
    expect(at()).toBe("Social platforms used");
  });

  it("return to the text when somebody types", () => {
    const { press, at } = opened();
    press("ArrowDown");
    expect(press("x")).toBe(false);
    expect(at()).toBeNull();
  });

  it("empty the search on Escape, and leave Escape alone when it is empty", () => {
    const { state, press } = opened();
    state.type("age");
    expect(press("Escape")).toBe(true);
    expect(state.query.value).toBe("");
    expect(press("Escape")).toBe(false);
  });

  it("are somebody else's with Ctrl", () => {
    const { state } = opened();
    const key = new KeyboardEvent("keydown", { key: "ArrowDown", ctrlKey: true });
    expect(state.press(key, 5)).toBe(false);
  });
});

describe("choosing", () => {
  it("picks the question for any of its rows in question mode", () => {
    const { state, press, selection } = opened("question");
    state.type("female");
    press("Enter", "ArrowDown", " ");
    expect(selection.value).toEqual([{ question: "q2", datapoints: [], suffixes: [] }]);
  });

  it("explains a locked question and picks nothing", () => {
    const { state, press, selection, locked } = opened();
    state.type("income");
    press("Enter", " ");
    expect(locked).toEqual([3]);
    expect(selection.value).toEqual([]);
  });

  it("tells mixed from full", () => {
    const { state, press } = opened();
    state.type("gender female");
    press("Enter", "ArrowDown", " ");
    state.type("gender");
    const row = state.rows.value.find((each) => each.kind === "question");
    expect(row && state.stateOf(row)).toBe("some");
  });
});

describe("the active row", () => {
  it("stays the same thing when rows appear above it", () => {
    const { state, press, at } = opened();
    press("ArrowDown", "ArrowDown", "ArrowDown");
    expect(at()).toBe("Age");
    const gender = state.rows.value.find((row) => row.key === "c0/q0");
    if (gender) state.toggleOpen(gender);
    expect(at()).toBe("Age");
  });

  it("tells which question the details are about", () => {
    const { state, press } = opened();
    expect(state.focused.value).toBe(-1);
    press("ArrowDown", "ArrowDown");
    expect(state.focused.value).toBe(0);
  });
});
