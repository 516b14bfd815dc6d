/**
 * The layout of a workbench: which panes share a position for a given width, and the limits of each
 * pane's size. Pure.
 */
import type { Panes } from "../protocol";

export type PaneName = "questions" | "audience" | "table" | "chart";

/** narrow: one pane at a time. middle: two columns. wide: the chart beside the table as well. */
export type Shape = "narrow" | "middle" | "wide";

export type { Panes };
export type ChartKind = Panes["kind"];

/** The chart settings. */
export type ChartStyle = Pick<Panes, "kind" | "title" | "sort" | "palette" | "labels">;

export function styleOf({ kind, title, sort, palette, labels }: Panes): ChartStyle {
  return { kind, title, sort, palette, labels };
}

/** The sides that can be collapsed to a strip with their names. */
export type SideName = NonNullable<Panes["closed"]>[number];

export type SizeName = "rail" | "chart" | "height";

const MIDDLE = 720;
const WIDE = 1_360;
/** In a narrower workbench the rail is collapsed while there is a table, which has ten columns so. */
const ROOMY = 1_840;

export function shapeFor(width: number): Shape {
  if (width >= WIDE) return "wide";
  return width >= MIDDLE ? "middle" : "narrow";
}

/**
 * The collapsed sides: as the user set them; by default the rail, where the table needs its width.
 */
export function closedSides(panes: Panes, width: number, hasTable: boolean): readonly SideName[] {
  if (shapeFor(width) === "narrow") return [];
  return panes.closed ?? (hasTable && width < ROOMY ? ["rail"] : []);
}

/** Panes that share a position, of which one is visible at a time. */
export type Stack = readonly PaneName[];

export function stacksOf(shape: Shape): readonly Stack[] {
  switch (shape) {
    case "narrow":
      return [["questions", "audience", "table", "chart"]];
    case "middle":
      return [
        ["questions", "audience"],
        ["table", "chart"],
      ];
    case "wide":
      return [["questions", "audience"], ["table"], ["chart"]];
  }
}

/** The visible panes: of each open stack the one selected last, else its first. */
export function inSight(
  shape: Shape,
  chosen: readonly PaneName[],
  closed: readonly SideName[] = [],
): ReadonlySet<PaneName> {
  const found = new Set<PaneName>();
  for (const stack of stacksOf(shape)) {
    const side = sideOf(stack);
    if (side && closed.includes(side)) continue;
    const last = chosen.findLast((pane) => stack.includes(pane));
    const pane = last ?? (stack.includes("table") ? "table" : stack[0]);
    if (pane) found.add(pane);
  }
  return found;
}

/** The side of a stack; null for the table, with or without the chart. */
export function sideOf(stack: Stack): SideName | null {
  if (stack.includes("table")) return null;
  return stack.includes("chart") ? "chart" : "rail";
}

export interface Limits {
  readonly min: number;
  readonly max: number;
}

/** The minimum and maximum size of a pane, so that the others keep some space. */
export function limitsOf(name: SizeName, width: number): Limits {
  switch (name) {
    case "rail":
      return between(260, Math.min(560, width - 440));
    case "chart":
      return between(260, width - 1_000);
    case "height":
      return between(420, 1_600);
  }
}

function between(min: number, max: number): Limits {
  return { min, max: Math.max(min, max) };
}

export function clamped(size: number, { min, max }: Limits): number {
  return Math.round(Math.min(Math.max(size, min), max));
}

/** The effect of a key on a splitter; `axis` is the axis along which it moves. null for none. */
export function sizeAfterKey(
  key: string,
  axis: "x" | "y",
  size: number,
  limits: Limits,
  grows: 1 | -1,
): number | null {
  const [less, more] = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  switch (key) {
    case less:
      return clamped(size - grows * STEP, limits);
    case more:
      return clamped(size + grows * STEP, limits);
    case "Home":
      return limits.min;
    case "End":
      return limits.max;
    default:
      return null;
  }
}

const STEP = 16;
