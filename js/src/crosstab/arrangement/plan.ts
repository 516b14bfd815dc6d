/**
 * The arrangement of a table, as page and kernel store it: one small trait, so that a reload and a
 * second view show the same. Items are identified by their positions in the query, groups by their
 * names. Pure.
 */

import type { ArrangementState, Filter, Move, AxisView as Plan } from "../../protocol";
import type { Direction, Level } from "./order";

export type Side = "rows" | "columns";

export function across(side: Side): Side {
  return side === "rows" ? "columns" : "rows";
}

export type { ArrangementState, AxisView as Plan, Filter } from "../../protocol";

/** An arrangement of another generation is ignored. */
export type Arrangement = Partial<ArrangementState>;

/** What a sort or filter needs: a number for each item of an axis. */
export interface Key {
  readonly of: number | "own" | "largest" | "smallest" | "farthest" | "nearest";
  readonly metric: string;
}

/** `shown`: the metric that is compared where the level names none. */
export function sortKey({ by, metric }: Level, shown: string): Key {
  if (typeof by !== "number") return { of: "own", metric: by };
  // Letters are not numbers; they compare column percentages.
  return { of: by, metric: metric ?? (shown === "letters" ? "column_percentage" : shown) };
}

export function filterKey({ of, metric, bound }: Filter): Key {
  if (of !== "any" && of !== "every") return { of, metric };
  if (bound === "beyond") return { of: of === "any" ? "farthest" : "nearest", metric };
  return { of: (of === "any") === (bound === "least") ? "largest" : "smallest", metric };
}

/** Whether a number passes; NaN does not. */
export function passes({ bound, value }: Filter, figure: number): boolean {
  if (bound === "beyond") return Math.abs(figure) >= value;
  return bound === "least" ? figure >= value : figure <= value;
}

export function isFolded({ folded = [] }: Plan, groups: readonly string[]): boolean {
  return folded.some((other) => sameGroups(other, groups));
}

export function withFolded(plan: Plan, groups: readonly string[], fold: boolean): Plan {
  const others = (plan.folded ?? []).filter((other) => !sameGroups(other, groups));
  return { ...plan, folded: fold ? [...others, groups] : others };
}

/** A new sort drops manual moves, which belong to the order before it. */
export function withSort(plan: Plan, sort: readonly Level[]): Plan {
  return { ...plan, sort, moves: [] };
}

export function withHidden(plan: Plan, lines: readonly number[]): Plan {
  return { ...plan, hidden: [...new Set([...(plan.hidden ?? []), ...lines])] };
}

/** Shows hidden items again; all of them by default. */
export function withShown(plan: Plan, lines?: readonly number[]): Plan {
  const again = new Set(lines ?? plan.hidden);
  return { ...plan, hidden: (plan.hidden ?? []).filter((line) => !again.has(line)) };
}

/** Consecutive moves of one item are stored as one move. */
export function withMove(plan: Plan, move: Move): Plan {
  const moves = plan.moves ?? [];
  const last = moves.at(-1);
  const same = last?.line === move.line && last.level === move.level;
  return { ...plan, moves: [...(same ? moves.slice(0, -1) : moves), move] };
}

export function withWidth(plan: Plan, line: number, width: number | null): Plan {
  const others = (plan.widths ?? []).filter(([other]) => other !== line);
  return { ...plan, widths: width === null ? others : [...others, [line, width]] };
}

/** Whether items are shown in the order of the query. */
export function isPlain(plan: Plan): boolean {
  return !Object.values(plan).some((part) => part.length > 0);
}

export type { Direction, Level, Move };

function sameGroups(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((head, i) => head === other[i]);
}
