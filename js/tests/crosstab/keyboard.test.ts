// @vitest-environment node
import { describe, expect, it } from "vitest";
import { destination, type Extent } from "../../src/crosstab/view/keyboard";

const EXTENT: Extent = {
  rows: 100,
  columns: 50,
  levels: 0,
  hidden: new Set(),
  pageRows: 10,
  pageColumns: 5,
};
const PLAIN = { ctrlKey: false, metaKey: false, altKey: false };

function press(keys: string, row: number, column: number, extent = EXTENT) {
  const parts = keys.split("+");
  const stroke = {
    ...PLAIN,
    key: parts.at(-1) ?? "",
    ctrlKey: parts.includes("Control"),
    metaKey: parts.includes("Meta"),
    altKey: parts.includes("Alt"),
  };
  const to = destination(stroke, { row, column }, extent);
  return to === null ? null : [to.row, to.column];
}

describe("destination", () => {
  it.each([
    ["ArrowDown", 5, 5, [6, 5]],
    ["ArrowUp", -2, 5, [-2, 5]],
    ["ArrowUp", 0, 5, [-1, 5]],
    ["ArrowRight", 5, 49, [5, 49]],
    ["ArrowLeft", 5, 0, [5, -1]],
    ["Home", 5, 9, [5, -3]],
    ["End", 5, 9, [5, 49]],
    ["Control+Home", 50, 9, [-2, -3]],
    ["Control+End", 5, 9, [99, 49]],
    ["Control+ArrowDown", 5, 9, [99, 9]],
    ["Meta+ArrowLeft", 5, 9, [5, -3]],
    ["PageDown", 5, 9, [15, 9]],
    ["PageDown", 97, 9, [99, 9]],
    ["PageUp", 8, 9, [0, 9]],
    ["PageUp", -1, 9, [-1, 9]],
    ["Alt+PageDown", 5, 9, [5, 14]],
    ["Alt+PageUp", 5, 3, [5, 0]],
  ])("%s from %i, %i", (keys, row, column, expected) => {
    expect(press(keys, row, column)).toEqual(expected);
  });

  it("skips hidden base columns", () => {
    const hidden = { ...EXTENT, hidden: new Set([-2, -1]) };
    expect(press("ArrowLeft", 5, 0, hidden)).toEqual([5, -3]);
    expect(press("ArrowRight", 5, -3, hidden)).toEqual([5, 0]);
    expect(press("ArrowLeft", 5, 0, { ...EXTENT, hidden: new Set([-1]) })).toEqual([5, -2]);
  });

  it("reaches the groups over columns, and not the position beside them", () => {
    const grouped = { ...EXTENT, levels: 2 };
    expect(press("ArrowUp", -2, 5, grouped)).toEqual([-3, 5]);
    expect(press("Control+ArrowUp", 8, 5, grouped)).toEqual([-4, 5]);
    expect(press("Control+Home", 8, 5, grouped)).toEqual([-2, -3]);
  });

  it("ignores every other key", () => {
    expect(press("b", 5, 5)).toBeNull();
    expect(press("Tab", 5, 5)).toBeNull();
  });
});
