import { describe, expect, it } from "vitest";
import { followedBy, redone, startingWith, undone } from "../../src/catalogue/past";
import type { Selection } from "../../src/catalogue/selection";

const picked = (question: string): Selection => [{ question, datapoints: [], suffixes: [] }];
const [A, B, C] = [picked("a"), picked("b"), picked("c")];

describe("the past of a selection", () => {
  it("is walked back to where it began and forth to where it ended", () => {
    const past = followedBy(followedBy(startingWith(A), B), C);
    const back = undone(undone(past) ?? past);
    expect(back?.now).toBe(A);
    expect(back && undone(back)).toBeNull();
    const forth = back && redone(redone(back) ?? back);
    expect(forth).toEqual(past);
    expect(redone(past)).toBeNull();
  });

  it("forgets what was undone once something else is done", () => {
    const back = undone(followedBy(startingWith(A), B));
    const other = back && followedBy(back, C);
    expect(other).toEqual({ before: [A], now: C, after: [] });
  });

  it("counts the same selection sent again as no step", () => {
    const past = followedBy(startingWith(A), structuredClone(A));
    expect(past.before).toEqual([]);
  });

  it("keeps two hundred steps", () => {
    let past = startingWith(A);
    for (let step = 0; step < 300; step++) past = followedBy(past, picked(`q${step}`));
    expect(past.before).toHaveLength(200);
    expect(past.before.at(-1)).toEqual(picked("q298"));
  });
});
