// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  clamped,
  closedSides,
  inSight,
  limitsOf,
  type PaneName,
  type Panes,
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

  it.each(["narrow", "middle", "wide"] as const)("has a position for every pane: %s", (shape) => {
    expect(stacksOf(shape).flat().toSorted()).toEqual(PANES.toSorted());
  });
});

describe("collapsed sides", () => {
  it("are the rail where a table needs its width, and as the user set them", () => {
    const panes = {} as Panes;
    expect([1_839, 1_840].map((width) => closedSides(panes, width, true))).toEqual([["rail"], []]);
    expect(closedSides(panes, 1_179, false)).toEqual([]);
    expect(closedSides({ ...panes, closed: [] }, 1_000, true)).toEqual([]);
    expect(closedSides({ ...panes, closed: ["chart"] }, 719, true)).toEqual([]);
  });
});

describe("visible panes", () => {
  it("are the table first, and as many beside it as fit", () => {
    expect([...inSight("narrow", [])]).toEqual(["table"]);
    expect([...inSight("middle", [])]).toEqual(["questions", "table"]);
    expect([...inSight("wide", [])]).toEqual(["questions", "table", "chart"]);
  });

  it("are those selected last at each position", () => {
    expect([...inSight("middle", ["chart", "audience"])]).toEqual(["audience", "chart"]);
    expect([...inSight("narrow", ["chart", "audience"])]).toEqual(["audience"]);
    expect([...inSight("middle", ["chart", "audience", "table"])]).toEqual(["audience", "table"]);
  });
});

describe("sizes", () => {
  it.each([720, 1_000, 1_360, 1_600, 2_400])(
    "leave the table enough width at %i pixels",
    (width) => {
      const { max } = limitsOf("rail", width);
      const chart = shapeFor(width) === "wide" ? limitsOf("chart", width).min : 0;
      expect(width - max - chart).toBeGreaterThanOrEqual(340);
    },
  );

  it.each([
    ["rail", 1_000, 260, 560],
    ["rail", 720, 260, 280],
    ["chart", 1_400, 260, 400],
    ["height", 1_000, 420, 1_600],
  ] as const)(
    "of the %s at %i pixels follow the pointer from %i to %i",
    (name, width, least, most) => {
      const dragged = (size: number) => clamped(size, limitsOf(name, width));
      expect([least - 1, least, least + 1].map(dragged)).toEqual([least, least, least + 1]);
      expect([most - 1, most, most + 1].map(dragged)).toEqual([most - 1, most, most]);
    },
  );

  it("have consistent limits even in a small window", () => {
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
