// @vitest-environment node
import { describe, expect, it } from "vitest";
import { recentQuestions, type Store } from "../../src/catalogue/recent";

function storeOf(kept: string | null): Store & { kept: string | null } {
  return {
    kept,
    getItem() {
      return this.kept;
    },
    setItem(_, value) {
      this.kept = value;
    },
  };
}

describe("recently used questions", () => {
  it("come newest first, each once, eight at most", () => {
    const store = storeOf(null);
    const recent = recentQuestions(() => store);
    for (let n = 1; n <= 10; n++) recent.remember(`q${n}`);
    recent.remember("q5");
    expect(recent.codes()).toEqual(["q5", "q10", "q9", "q8", "q7", "q6", "q4", "q3"]);
  });

  it("are read again when the next picker opens", () => {
    const store = storeOf(null);
    recentQuestions(() => store).remember("q1");
    expect(recentQuestions(() => store).codes()).toEqual(["q1"]);
  });

  it.each([["{}"], ["no JSON"], ["[1, null]"], ["null"]])(
    "are empty if the storage has %s",
    (kept) => {
      expect(recentQuestions(() => storeOf(kept)).codes()).toEqual([]);
    },
  );

  it("work without browser storage", () => {
    const recent = recentQuestions(() => {
      throw new DOMException("denied", "SecurityError");
    });
    recent.remember("q1");
    expect(recent.codes()).toEqual([]);
  });
});
