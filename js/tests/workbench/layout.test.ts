// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  clamped,
  inSight,
  limitsOf,
  type PaneName,
  shapeFor,
  sizeAfterKey,
  stacksOf,
} from "../../src/workbench/layout";

const PANES: PaneName[] = ["questions", "audience", "table", "chart"];

describe("the shape of a workbench", () => {
  it.each([
    [464, "narrow"],
    [719, "narrow"],
    [720, "middle"],
    [1_359, "middle"],
    [1_360, "wide"],
    [2_400, "wide"],
  ])("at %i pixels is %s", (width, shape) => {
    expect(shapeFor(width)).toBe(shape);
  });

  it.each(["narrow", "middle", "wide"] as const)("has a place for every part: %s", (shape) => {
    expect(stacksOf(shape).flat().toSorted()).toEqual(PANES.toSorted());
  });
});

describe("what is in sight", () => {
  it("is the table first, and as much beside it as there is room for", () => {
    expect([...inSight("narrow", [])]).toEqual(["table"]);
    expect([...inSight("middle", [])]).toEqual(["questions", "table"]);
    expect([...inSight("wide", [])]).toEqual(["questions", "table", "chart"]);
  });

  it("is what was chosen last of those that share a place", () => {
    expect([...inSight("middle", ["chart", "audience"])]).toEqual(["audience", "chart"]);
    expect([...inSight("narrow", ["chart", "audience"])]).toEqual(["audience"]);
    expect([...inSight("middle", ["chart", "audience", "table"])]).toEqual(["audience", "table"]);
  });
});

describe("sizes", () => {
  it.each([720, 1_000, 1_360, 1_600, 2_400])("leave the table its room at %i pixels", (width) => {
    const { max } = limitsOf("rail", width);
    const chart = shapeFor(width) === "wide" ? limitsOf("chart", width).min : 0;
    expect(width - max - chart).toBeGreaterThanOrEqual(340);
  });

  it("have limits that hold together even without room", () => {
    const { min, max } = limitsOf("chart", 500);
    expect(max).toBeGreaterThanOrEqual(min);
    expect(clamped(5_000, { min, max })).toBe(max);
  });

  it("follow the arrow keys along their axis, to either end, and no other key", () => {
    const limits = { min: 100, max: 200 };
    const pressed = (key: string, grows: 1 | -1 = 1) => sizeAfterKey(key, "x", 150, limits, grows);
    expect(pressed("ArrowRight")).toBe(166);
    expect(pressed("ArrowLeft")).toBe(134);
    expect(pressed("ArrowRight", -1)).toBe(134);
    expect(pressed("Home")).toBe(100);
    expect(pressed("End")).toBe(200);
    expect(pressed("ArrowUp")).toBeNull();
    expect(sizeAfterKey("ArrowDown", "y", 195, limits, 1)).toBe(200);
  });
});
