import { describe, expect, it } from "vitest";
import {
  pickedOf,
  questionState,
  type Selection,
  toggleDatapoint,
  toggleQuestion,
  toggleSuffix,
  totals,
  without,
} from "../../src/widgets/picker/selection";
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

  it("takes one away from a question that was picked as a whole", () => {
    const whole = [{ question: "core.q4", datapoints: [], suffixes: [] }];
    expect(toggleDatapoint(whole, catalogue, AGE, 1)).toEqual([
      { question: "core.q4", datapoints: ["q4_1", "q4_3"], suffixes: [] },
    ]);
  });

  it("finds an entry whose code carries the namespace", () => {
    const long = [{ question: "core.q2", datapoints: ["q2_1"], suffixes: [] }];
    expect(state(long, GENDER)).toBe("some");
    expect(toggleDatapoint(long, catalogue, GENDER, 1)[0]?.question).toBe("core.q2");
  });

  it("refuses what is not accessible", () => {
    expect(toggleDatapoint([], catalogue, INCOME, 0)).toEqual([]);
    expect(toggleQuestion([], catalogue, INCOME, "datapoints")).toEqual([]);
  });
});

describe("picking a question", () => {
  it("fills a mixed one, then empties it", () => {
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
  it("toggle in the question's order and leave the datapoints alone", () => {
    const entry = { question: "q20", datapoints: ["q20_1"], suffixes: ["2"] };
    const both = toggleSuffix([entry], entry, "1", ["1", "2"]);
    expect(both).toEqual([{ question: "q20", datapoints: ["q20_1"], suffixes: ["1", "2"] }]);
  });
});

describe("the selection as a whole", () => {
  const selection = [
    { question: "q4", datapoints: [], suffixes: [] },
    { question: "q2", datapoints: ["q2_1"], suffixes: [] },
  ];

  it("counts a whole question as all of its datapoints", () => {
    expect(totals(selection, catalogue)).toEqual({ questions: 2, datapoints: 4 });
  });

  it("loses exactly the entry that is removed, and never changes in place", () => {
    const before = JSON.stringify(selection);
    expect(without(selection, selection[0])).toEqual([selection[1]]);
    toggleDatapoint(selection, catalogue, AGE, 0);
    expect(JSON.stringify(selection)).toBe(before);
  });
});
