// @vitest-environment node
import { describe, expect, it } from "vitest";
import { search, searchText } from "../../src/catalogue/search";
import {
  countMatches,
  hasAll,
  matchesOf,
  moved,
  pickedOf,
  questionState,
  type Selection,
  toggleDatapoint,
  toggleQuestion,
  toggleSuffix,
  totals,
  withAll,
  without,
  withoutAll,
} from "../../src/catalogue/selection";
import { smallCatalogue } from "./catalogue";

const catalogue = smallCatalogue();
const [GENDER, AGE, PLATFORMS, INCOME] = [0, 1, 2, 3];
const state = (selection: Selection, index: number) => {
  const question = catalogue.questions[index];
  if (!question) throw new Error("no such question");
  return questionState(pickedOf(selection, catalogue, index), question);
};

describe("picking datapoints", () => {
  it("makes one entry for each question, in the order of picking", () => {
    let selection: Selection = [];
    selection = toggleDatapoint(selection, catalogue, PLATFORMS, 1);
    selection = toggleDatapoint(selection, catalogue, GENDER, 0);
    expect(selection).toEqual([
      { question: "q20", datapoints: ["q20_2"], suffixes: [] },
      { question: "q2", datapoints: ["q2_1"], suffixes: [] },
    ]);
  });

  it("keeps datapoints in the catalogue's order, whatever the order of picking", () => {
    const last = toggleDatapoint([], catalogue, AGE, 2);
    const both = toggleDatapoint(last, catalogue, AGE, 0);
    expect(both[0]?.datapoints).toEqual(["q4_1", "q4_3"]);
  });

  it("drops the entry with its last datapoint", () => {
    const one = toggleDatapoint([], catalogue, AGE, 0);
    expect(toggleDatapoint(one, catalogue, AGE, 0)).toEqual([]);
  });

  it("is mixed for some and full for all", () => {
    const one = toggleDatapoint([], catalogue, GENDER, 0);
    expect([state([], GENDER), state(one, GENDER)]).toEqual(["none", "some"]);
    expect(state(toggleDatapoint(one, catalogue, GENDER, 1), GENDER)).toBe("all");
  });

  it("removes one from a question that was picked as a whole", () => {
    const whole = [{ question: "core.q4", datapoints: [], suffixes: [] }];
    expect(toggleDatapoint(whole, catalogue, AGE, 1)).toEqual([
      { question: "core.q4", datapoints: ["q4_1", "q4_3"], suffixes: [] },
    ]);
  });

  it("finds an entry whose code has a namespace", () => {
    const long = [{ question: "core.q2", datapoints: ["q2_1"], suffixes: [] }];
    expect(state(long, GENDER)).toBe("some");
    expect(toggleDatapoint(long, catalogue, GENDER, 1)[0]?.question).toBe("core.q2");
  });

  it("rejects inaccessible questions", () => {
    expect(toggleDatapoint([], catalogue, INCOME, 0)).toEqual([]);
    expect(toggleQuestion([], catalogue, INCOME, "datapoints")).toEqual([]);
  });
});

describe("picking a question", () => {
  it("completes a partial selection, then empties it", () => {
    const one = toggleDatapoint([], catalogue, GENDER, 0);
    const all = toggleQuestion(one, catalogue, GENDER, "datapoints");
    expect(all[0]?.datapoints).toEqual(["q2_1", "q2_2"]);
    expect(toggleQuestion(all, catalogue, GENDER, "datapoints")).toEqual([]);
  });

  it("lists no datapoints in question mode", () => {
    const picked = toggleQuestion([], catalogue, AGE, "question");
    expect(picked).toEqual([{ question: "q4", datapoints: [], suffixes: [] }]);
    expect(state(picked, AGE)).toBe("all");
  });
});

describe("suffixes", () => {
  it("toggle in the question's order and keep the datapoints", () => {
    const entry = { question: "q20", datapoints: ["q20_1"], suffixes: ["2"] };
    const both = toggleSuffix([entry], entry, "1", ["1", "2"]);
    expect(both).toEqual([{ question: "q20", datapoints: ["q20_1"], suffixes: ["1", "2"] }]);
  });
});

describe("the whole selection", () => {
  const selection = [
    { question: "q4", datapoints: [], suffixes: [] },
    { question: "q2", datapoints: ["q2_1"], suffixes: [] },
  ];

  it("counts a whole question as all of its datapoints", () => {
    expect(totals(selection, catalogue)).toEqual({ questions: 2, datapoints: 4 });
  });

  it("loses exactly the removed entry, and is never changed in place", () => {
    const before = JSON.stringify(selection);
    expect(without(selection, selection[0])).toEqual([selection[1]]);
    toggleDatapoint(selection, catalogue, AGE, 0);
    expect(JSON.stringify(selection)).toBe(before);
  });
});

describe("the order of the selection", () => {
  const [a, b, c] = ["q2", "q4", "q20"].map((code) => ({
    question: code,
    datapoints: [],
    suffixes: [],
  }));
  const selection = [a, b, c] as Selection;

  it("changes when an entry is moved", () => {
    expect(moved(selection, 0, 2)).toEqual([b, c, a]);
    expect(moved(selection, 2, 0)).toEqual([c, a, b]);
    expect(moved(selection, 1, 0)).toEqual([b, a, c]);
  });

  it("does not change at its ends, nor for invalid positions", () => {
    expect(moved(selection, 0, -1)).toBe(selection);
    expect(moved(selection, 2, 9)).toBe(selection);
    expect(moved(selection, 9, 0)).toBe(selection);
  });
});

describe("picking all matches", () => {
  const text = searchText(catalogue);
  const found = (query: string) => {
    const result = search(text, query);
    if (!result) throw new Error("nothing searched");
    return result;
  };
  const matches = (query: string) => matchesOf(catalogue, found(query), "datapoints");

  it("picks matching answers, or all of a question that matches itself", () => {
    expect(matches("18")).toEqual([{ question: "q4", datapoints: ["q4_2"], suffixes: [] }]);
    expect(matches("gender")[0]?.datapoints).toEqual(["q2_1", "q2_2"]);
  });

  it("counts what it picks, without locked questions", () => {
    for (const query of ["18", "gender", "to", "income", "e"]) {
      const { datapoints } = totals(matches(query), catalogue);
      expect(countMatches(catalogue, found(query), "datapoints")).toBe(datapoints);
      const asked = matchesOf(catalogue, found(query), "question").length;
      expect(countMatches(catalogue, found(query), "question")).toBe(asked);
    }
    expect(matches("income")).toEqual([]);
  });

  it("adds in catalogue order, and keeps suffixes and the notation of codes", () => {
    const before = [{ question: "core.q4", datapoints: ["q4_3"], suffixes: ["1"] }];
    expect(withAll(before, catalogue, matches("18"))).toEqual([
      { question: "core.q4", datapoints: ["q4_2", "q4_3"], suffixes: ["1"] },
    ]);
    const whole = [{ question: "q4", datapoints: [], suffixes: [] }];
    expect(withAll(whole, catalogue, matches("18"))).toEqual(whole);
  });

  it("is undone by removing the same matches", () => {
    const before = [{ question: "q2", datapoints: ["q2_1"], suffixes: [] }];
    const more = matches("to");
    const after = withAll(before, catalogue, more);
    expect(hasAll(before, catalogue, more)).toBe(false);
    expect(hasAll(after, catalogue, more)).toBe(true);
    expect(withoutAll(after, catalogue, more)).toEqual(before);
  });

  it("removes some answers of a question picked as a whole", () => {
    const whole = [{ question: "q4", datapoints: [], suffixes: [] }];
    expect(withoutAll(whole, catalogue, matches("18"))[0]?.datapoints).toEqual(["q4_1", "q4_3"]);
  });
});
