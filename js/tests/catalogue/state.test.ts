import "../searchWords";
import { effect, signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { asksForHelp, pressKey } from "../../src/catalogue/keys";
import { Catalogue, type QuestionRecord } from "../../src/catalogue/model";
import { recentQuestions } from "../../src/catalogue/recent";
import type { PickerMode, Selection } from "../../src/catalogue/selection";
import { createPickerState } from "../../src/catalogue/state";
import { pressUndo } from "../../src/ui/keyboard";
import { COVERAGE, smallCatalogue } from "./catalogue";

/** One question with many answers in one category. */
function bigCatalogue(answers: number): Catalogue {
  const { categories, questions } = smallCatalogue();
  const codes = Array.from({ length: answers }, (_, at) => `q2_${at + 1}`);
  const [first] = questions;
  if (!first) throw new Error("no question");
  return new Catalogue(categories, [{ ...first, datapoints: { codes, names: codes } }]);
}

function opened(
  mode: PickerMode = "datapoints",
  used: string[] = [],
  catalogue: Catalogue = smallCatalogue(),
) {
  const selection = signal<Selection>([]);
  const kept = new Map([["audiencelab.recent", JSON.stringify(used)]]);
  const recent = recentQuestions(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  }));
  const locked: number[] = [];
  const state = createPickerState({
    catalogue,
    selection,
    mode,
    recent,
    onSelect: (next) => {
      selection.value = next;
    },
    onLocked: (question) => locked.push(question),
  });
  effect(state.follow);
  const press = (...keys: string[]) =>
    keys.map((key) => pressKey(state, new KeyboardEvent("keydown", { key }), 5)).at(-1);
  const pressCtrl = (key: string, shiftKey = false) => {
    const event = new KeyboardEvent("keydown", { key, ctrlKey: true, shiftKey });
    return pressKey(state, event, 5) || pressUndo(event, state);
  };
  const pressAlt = (key: string) =>
    pressKey(state, new KeyboardEvent("keydown", { key, altKey: true }), 5);
  const at = () => {
    const row = state.rows.value.at(state.active.value);
    if (!row) return null;
    if (row.kind === "category") return catalogue.categories[row.category]?.name;
    const question = catalogue.questions[row.question];
    return row.kind === "question" ? question?.name : question?.datapoints.names[row.datapoint];
  };
  return { state, selection, locked, recent, press, pressAlt, pressCtrl, at };
}

describe("a picker with a selection", () => {
  it("opens at the first selected question", () => {
    const { categories, questions } = smallCatalogue();
    const many = Array.from({ length: 9 }, (_, at) => ({
      id: `x${at}`,
      name: `x${at}`,
      parent: -1,
    }));
    const catalogue = new Catalogue([...categories, ...many], questions);
    const inputs = {
      catalogue,
      mode: "datapoints",
      recent: { codes: () => [], remember() {} },
    } as const;
    const startOf = (selection: Selection) => {
      const state = createPickerState({
        ...inputs,
        selection: signal(selection),
        onSelect() {},
        onLocked() {},
      });
      const row = state.rows.value.at(state.start);
      return row?.kind === "question" ? catalogue.questions[row.question]?.code : null;
    };
    expect(startOf([{ question: "q20", datapoints: ["q20_1"], suffixes: [] }])).toBe("q20");
    expect(startOf([{ question: "q404", datapoints: [], suffixes: [] }])).toBeNull();
    expect(startOf([])).toBeNull();
  });
});

describe("the keys of the search box", () => {
  it("move down into the tree and back up into the box", () => {
    const { press, at } = opened();
    expect(at()).toBeNull();
    press("ArrowDown");
    expect(at()).toBe("Demographics");
    press("ArrowDown");
    expect(at()).toBe("Gender");
    press("ArrowUp", "ArrowUp");
    expect(at()).toBeNull();
  });

  it("edit the text until a row is active", () => {
    const { press } = opened();
    for (const key of ["Home", "End", "ArrowLeft", "ArrowRight", " ", "Enter", "a"]) {
      expect(press(key)).toBe(false);
    }
  });

  it("expand, enter, collapse, and leave", () => {
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

  it("go to the first matching answer on Enter, past the categories and its question", () => {
    const { state, press, at } = opened();
    state.type("chirper");
    press("Enter");
    expect(at()).toBe("Chirper");
    // For a collapsed question, to the question.
    press("ArrowLeft", "ArrowLeft");
    state.activeKey.value = null;
    press("Enter");
    expect(at()).toBe("Social platforms used");
  });

  it("go to the best match during a search, on Down as on Enter", () => {
    const { state, press, at } = opened();
    state.type("male");
    press("ArrowDown");
    expect(at()).toBe("Male");
    state.type("men");
    press("Enter");
    expect(at()).toBe("Male");
    state.type("femlae");
    press("ArrowDown");
    expect(at()).toBe("Female");
  });

  it("go to the answer that has the words its question lacks, and pick only that answer", () => {
    const { state, press, selection } = opened();
    state.type("gender female");
    press("Enter", " ");
    expect(selection.value).toEqual([{ question: "q2", datapoints: ["q2_1"], suffixes: [] }]);
  });

  it("prefer the beginning of a word to its middle", () => {
    const { state, press, at } = opened();
    state.type("ma");
    press("Enter");
    expect(at()).toBe("Male");
    state.type("mark");
    press("Enter");
    expect(at()).toBe("Remarks");
  });

  it("return to the text when the user types", () => {
    const { press, at } = opened();
    press("ArrowDown");
    expect(press("x")).toBe(false);
    expect(at()).toBeNull();
  });

  it("clear the search on Escape, and ignore Escape when it is empty", () => {
    const { state, press } = opened();
    state.type("age");
    expect(press("Escape")).toBe(true);
    expect(state.query.value).toBe("");
    expect(press("Escape")).toBe(false);
  });

  it("are ignored with Ctrl", () => {
    expect(opened().pressCtrl("ArrowDown")).toBe(false);
  });

  it("open the help with a question mark that is not part of a search", () => {
    const { state, press } = opened();
    const mark = new KeyboardEvent("keydown", { key: "?" });
    expect(asksForHelp(state, mark)).toBe(true);
    state.type("how old");
    expect(asksForHelp(state, mark)).toBe(false);
    press("ArrowDown");
    expect(asksForHelp(state, mark)).toBe(true);
  });
});

describe("picking", () => {
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

  it("distinguishes partial from full selections", () => {
    const { state, press } = opened();
    state.type("gender female");
    press("Enter", "ArrowDown", " ");
    state.type("gender");
    const row = [...state.rows.value].find((each) => each.kind === "question");
    expect(row && state.stateOf(row)).toBe("some");
  });
});

describe("a category", () => {
  it("shows how much below it is picked, also during a search", () => {
    const { state, press, pressAlt } = opened();
    state.type("gender female");
    press("Enter", "ArrowDown", " ");
    const category = () => {
      const row = [...state.rows.value].find((each) => each.kind === "category");
      return row && state.stateOf(row);
    };
    expect(category()).toBe("some");
    state.type("");
    expect(category()).toBe("some");
    // A category that cannot be ticked has no box.
    state.type("income");
    expect(category()).toBeNull();
    state.type("");
    press("ArrowDown", " ");
    expect(category()).toBe("all");
    state.type("gender");
    expect(category()).toBe("all");
    pressAlt("Enter");
    expect(category()).toBe("some");
  });

  it("is picked with Space and expanded with Enter", () => {
    const { state, press, selection, at } = opened();
    press("ArrowDown", " ");
    expect(at()).toBe("Demographics");
    expect(selection.value.map(({ question }) => question)).toEqual(["q2", "q4"]);
    const row = state.rows.value.at(0);
    expect(row && state.stateOf(row)).toBe("all");
    const before = state.rows.value.length;
    press("Enter");
    expect(state.rows.value.length).toBeLessThan(before);
    press(" ");
    expect(selection.value).toEqual([]);
  });

  it("is one undo step, however much it picks, and keeps other picks", () => {
    const { state, press, pressCtrl, selection } = opened();
    const before = [{ question: "q20", datapoints: ["q20_1"], suffixes: ["1"] }];
    selection.value = before;
    press("ArrowDown", " ");
    expect(selection.value.map(({ question }) => question)).toEqual(["q20", "q2", "q4"]);
    pressCtrl("z");
    expect(selection.value).toEqual(before);
    expect(state.notice.value).toBeNull();
  });

  it("picks only matches during a search", () => {
    const { state, press, selection } = opened();
    state.type("18");
    press("ArrowDown", " ");
    expect(selection.value).toEqual([{ question: "q4", datapoints: ["q4_2"], suffixes: [] }]);
  });

  it("reports that it picked thousands, and picks no more than ten thousand", () => {
    const { state, press, selection } = opened("datapoints", [], bigCatalogue(2_000));
    press("ArrowDown", " ");
    expect(selection.value[0]?.datapoints.length).toBe(2_000);
    expect(state.notice.value).toContain("2,000 answers picked");
    press(" ");
    expect(state.notice.value).toContain("2,000 answers removed");
    const more = opened("datapoints", [], bigCatalogue(10_001));
    more.press("ArrowDown", " ");
    expect(more.selection.value).toEqual([]);
    expect(more.state.notice.value).toContain("10,001 answers are too many");
    more.state.type("nothing");
    expect(more.state.notice.value).toBeNull();
  });

  it("counts questions in question mode", () => {
    const { categories, questions } = bigCatalogue(1);
    const many = Array.from({ length: 10_001 }, (_, at) => ({
      ...(questions[0] as QuestionRecord),
      code: `q${at}`,
      canonical: `core.q${at}`,
    }));
    const { state, press } = opened("question", [], new Catalogue(categories, many));
    press("ArrowDown", " ");
    expect(state.notice.value).toContain("10,001 questions are too many");
  });
});

describe("the active row", () => {
  it("remains the same when rows appear above it", () => {
    const { state, press, at } = opened();
    press("ArrowDown", "ArrowDown", "ArrowDown");
    expect(at()).toBe("Age");
    const gender = [...state.rows.value].find((row) => row.key === "c0/q0");
    if (gender) state.toggleOpen(gender);
    expect(at()).toBe("Age");
  });

  it("determines the question of the details", () => {
    const { state, press } = opened();
    expect(state.focused.value).toBe(-1);
    press("ArrowDown", "ArrowDown");
    expect(state.focused.value).toBe(0);
  });
});

describe("all matches", () => {
  it("are picked at once, and removed again", () => {
    const { state, selection, pressAlt } = opened();
    expect(state.matches.value).toBeNull();
    state.type("to");
    expect(state.matches.value).toEqual({ many: 4, tooMany: false, picked: false });
    pressAlt("Enter");
    expect(selection.value).toEqual([
      { question: "q4", datapoints: ["q4_1", "q4_2", "q4_3"], suffixes: [] },
      { question: "q20", datapoints: ["q20_1"], suffixes: [] },
    ]);
    expect(state.matches.value?.picked).toBe(true);
    pressAlt("Enter");
    expect(selection.value).toEqual([]);
  });

  it("exclude locked questions", () => {
    const { state, selection, pressAlt } = opened();
    state.type("income");
    expect(state.matches.value).toBeNull();
    pressAlt("Enter");
    expect(selection.value).toEqual([]);
  });

  it("are questions in question mode", () => {
    const { state, selection, pressAlt } = opened("question");
    state.type("to");
    expect(state.matches.value?.many).toBe(2);
    pressAlt("Enter");
    expect(selection.value.map(({ question }) => question)).toEqual(["q4", "q20"]);
    expect(selection.value.every(({ datapoints }) => datapoints.length === 0)).toBe(true);
  });
});

describe("facets", () => {
  it("narrow the tree and the search, and are cleared to show a question", () => {
    const { state, at } = opened();
    state.toggleFacet("dataset", "screens");
    expect(state.found.value).toMatchObject({ questions: 2, words: [] });
    state.type("age");
    expect(state.rows.value.length).toBe(0);
    state.reveal(1);
    expect(at()).toBe("Age");
    expect(state.chosen.value).toEqual({});
  });

  it("wait until the waves are loaded", () => {
    const { state } = opened();
    state.coverage.value = COVERAGE;
    state.toggleFacet("wave", "w1");
    expect([...(state.found.value?.matches.keys() ?? [])]).toEqual([0, 2]);
  });
});

describe("recently used questions", () => {
  it("are listed first and expanded, as they were when the picker opened", () => {
    const { state, press, recent } = opened("datapoints", ["core.q20", "gone.q1"]);
    const first = () => [...state.rows.value].slice(0, 2).map(({ key }) => key);
    expect(first()).toEqual(["c-1", "c-1/q2"]);
    state.type("gender");
    press("Enter", " ");
    state.type("");
    expect(first()).toEqual(["c-1", "c-1/q2"]);
    expect(recent.codes()).toEqual(["core.q2", "core.q20", "gone.q1"]);
  });
});

describe("undo and redo", () => {
  it("restore every change of the selection, from the page or Python", () => {
    const { state, selection, press, pressCtrl } = opened();
    state.type("female");
    press("Enter", "ArrowDown", " ");
    const mine = selection.value;
    const theirs = [{ question: "q4", datapoints: ["q4_1"], suffixes: [] }];
    selection.value = theirs;
    state.type("");
    pressCtrl("z");
    expect(selection.value).toEqual(mine);
    pressCtrl("z");
    expect(selection.value).toEqual([]);
    pressCtrl("z");
    expect(selection.value).toEqual([]);
    pressCtrl("z", true);
    pressCtrl("y");
    expect(selection.value).toEqual(theirs);
  });
});
