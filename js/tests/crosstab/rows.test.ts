// @vitest-environment node
import { describe, expect, it } from "vitest";
import { arranged, laidOut } from "../../src/crosstab/arrangement/arrange";
import { readBanner } from "../../src/crosstab/arrangement/banner";
import { RowList } from "../../src/crosstab/arrangement/rows";
import { evenTrack, scrollToShow, variedTrack } from "../../src/crosstab/arrangement/track";

const BANNER = readBanner({
  runs: [
    [["Gender"], 2],
    [["Age", "Young"], 1],
    [[], 1],
  ],
  nets: [],
});

describe("rows of items and of groups", () => {
  const wishes = { compare: null, moves: [], hidden: new Set<number>(), passes: null };
  const shown = laidOut(arranged(BANNER, wishes), BANNER, () => false);
  const rows = new RowList(shown.count, shown.sections);

  it("put each group before its items", () => {
    const seen = Array.from(
      { length: rows.count },
      (_, row) => rows.section(row)?.groups.join("/") ?? rows.line(row),
    );
    expect(seen).toEqual(["Gender", 0, 1, "Age", "Age/Young", 2, 3]);
  });

  it("find the row of an item, and the items among rows", () => {
    expect([0, 1, 2, 3].map((line) => rows.row(line))).toEqual([1, 2, 5, 6]);
    expect(rows.lines({ start: 0, end: 4 })).toEqual({ start: 0, end: 2 });
    expect(rows.lines({ start: 3, end: 7 })).toEqual({ start: 2, end: 4 });
    expect(rows.line(3)).toBe(-1);
  });

  it("are the items themselves where there are no groups", () => {
    const plain = new RowList(5, []);
    expect(plain.count).toBe(5);
    expect(plain.line(3)).toBe(3);
    expect(plain.section(3)).toBeNull();
    expect(plain.lines({ start: 1, end: 4 })).toEqual({ start: 1, end: 4 });
  });
});

describe("a track", () => {
  const sizes = [24, 40, 24, 100, 24];
  const track = variedTrack(5, (i) => sizes[i] as number);

  it("has the offset of each item", () => {
    expect([0, 1, 2, 3, 4, 5].map((i) => track.offset(i))).toEqual([0, 24, 64, 88, 188, 212]);
    expect(track.length).toBe(212);
    expect(track.size(3)).toBe(100);
  });

  it("finds visible items at any scroll position", () => {
    for (let scroll = -50; scroll < 400; scroll++) {
      const { start, end } = track.span(scroll, 60, 0);
      const top = Math.min(Math.max(0, scroll), 212 - 60);
      expect(track.offset(start)).toBeLessThanOrEqual(top);
      expect(track.offset(end)).toBeGreaterThanOrEqual(Math.min(212, top + 60));
      expect(track.offset(start + 1)).toBeGreaterThan(top);
    }
  });

  it("is the same for equal sizes, given one by one or all at once", () => {
    const [even, varied] = [evenTrack(1000, 24), variedTrack(1000, () => 24)];
    for (const scroll of [0, 23, 24, 25, 5000, 23_999, 99_999]) {
      const [one, other] = [even.span(scroll, 400, 3), varied.span(scroll, 400, 3)];
      expect(other.start).toBe(one.start);
      expect(Math.abs(other.end - one.end)).toBeLessThanOrEqual(1);
    }
    expect(even.length).toBe(varied.length);
  });

  it("scrolls as little as possible to show one", () => {
    expect(scrollToShow(track, 0, 30, 60)).toBe(0);
    expect(scrollToShow(track, 2, 0, 60)).toBe(28);
    expect(scrollToShow(track, 1, 10, 60)).toBe(10);
    expect(track.span(70, 1, 0).start).toBe(2);
  });

  it("is empty without items", () => {
    expect(variedTrack(0, () => 24).span(0, 100, 3)).toEqual({ start: 0, end: 0 });
    expect(track.span(0, 0, 3)).toEqual({ start: 0, end: 0 });
  });
});
