/**
 * Sort levels: the effect of a click on a header, and the comparison of two items. Pure; the caller
 * supplies the values.
 */

import type { SortKey as Level } from "../../protocol";

export type { Level };
export type Direction = Level["direction"];

/** An item of the other axis, by its position in the query, or a count of each audience itself. */
export type By = Level["by"];

/** With more levels, an order is no longer readable. */
const MOST_LEVELS = 4;

/**
 * Cycles through descending, ascending and unsorted. Without `add`, other levels are dropped; with
 * it, they remain and a new level is appended.
 */
export function nextSort(levels: readonly Level[], by: By, add = false): readonly Level[] {
  const known = levels.find((level) => level.by === by);
  const next = turned(known, by);
  if (!add) return next ? [next] : [];
  if (!known) return next ? [...levels, next].slice(-MOST_LEVELS) : levels;
  return levels.flatMap((level) => (level === known ? (next ?? []) : level));
}

function turned(level: Level | undefined, by: By): Level | null {
  if (level === undefined) return { by, direction: "descending" };
  return level.direction === "descending" ? { ...level, direction: "ascending" } : null;
}

/** The sort state of a header: its direction, and its number if there are several levels. */
export interface SortMark {
  readonly direction: Direction;
  readonly number: number;
  /** The number of levels. */
  readonly of: number;
}

export function sortMark(levels: readonly Level[], by: By): SortMark | null {
  const at = levels.findIndex((level) => level.by === by);
  const level = levels[at];
  return level ? { direction: level.direction, number: at + 1, of: levels.length } : null;
}

/** The values of one level for each item of the query. */
export interface SortKey {
  readonly values: ArrayLike<number>;
  readonly direction: Direction;
}

/**
 * Compares two items by their positions in the query. Stable: equal items keep the order of the
 * query, in both directions. Items without a value come last, in both directions.
 */
export function comparedBy(keys: readonly SortKey[]): (a: number, b: number) => number {
  return (a, b) => {
    for (const { values, direction } of keys) {
      const order = compared(values[a] ?? Number.NaN, values[b] ?? Number.NaN, direction);
      if (order !== 0) return order;
    }
    return a - b;
  };
}

function compared(left: number, right: number, direction: Direction): number {
  if (Number.isNaN(left) || Number.isNaN(right)) {
    return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  }
  // Two equal infinite values have no difference.
  if (left === right) return 0;
  return left < right === (direction === "ascending") ? -1 : 1;
}
