import { describe, expect, it } from "vitest";
import { destination, type Extent } from "../../src/widgets/grid/keyboard";

const EXTENT: Extent = {
  rows: 103,
  columns: 53,
  frozenRows: 3,
  frozenColumns: 3,
  pageRows: 10,
  pageColumns: 5,
};
const PLAIN = { ctrlKey: false, metaKey: false, altKey: false };

function press(keys: string, row: number, column: number) {
  const parts = keys.split("+");
  const stroke = {
    ...PLAIN,
    key: parts.at(-1) ?? "",
    ctrlKey: parts.includes("Control"),
    metaKey: parts.includes("Meta"),
    altKey: parts.includes("Alt"),
  };
  const to = destination(stroke, { row, column }, EXTENT);
  return to === null ? null : [to.row, to.column];
}

describe("destination", () => {
  it.each([
    ["ArrowDown", 5, 5, [6, 5]],
    ["ArrowUp", 0, 5, [0, 5]],
    ["ArrowRight", 5, 52, [5, 52]],
    ["ArrowLeft", 5, 3, [5, 2]],
    ["Home", 5, 9, [5, 0]],
    ["End", 5, 9, [5, 52]],
    ["Control+Home", 50, 9, [0, 0]],
    ["Control+End", 5, 9, [102, 52]],
    ["Control+ArrowDown", 5, 9, [102, 9]],
    ["Meta+ArrowLeft", 5, 9, [5, 0]],
    ["PageDown", 5, 9, [15, 9]],
    ["PageDown", 100, 9, [102, 9]],
    ["PageUp", 8, 9, [3, 9]],
    ["PageUp", 1, 9, [1, 9]],
    ["Alt+PageDown", 5, 9, [5, 14]],
    ["Alt+PageUp", 5, 6, [5, 3]],
  ])("%s from %i, %i", (keys, row, column, expected) => {
    expect(press(keys, row, column)).toEqual(expected);
  });

  it("leaves every other key alone", () => {
    expect(press("b", 5, 5)).toBeNull();
    expect(press("Tab", 5, 5)).toBeNull();
  });
});
