/** The groups over the items of one axis, as runs of neighbours with equal groups, and its nets. */
import type { AxisBanner } from "../../protocol";

export interface Run {
  /** Outermost first; empty for items without a group. */
  readonly groups: readonly string[];
  /** Where the run ends; it begins at the end of the run before it. */
  readonly end: number;
}

export interface Banner {
  readonly count: number;
  readonly runs: readonly Run[];
  /** Subtotals, which keep their positions in their group. */
  readonly nets: ReadonlySet<number>;
}

export function plainBanner(count: number): Banner {
  return { count, runs: [{ groups: [], end: count }], nets: new Set() };
}

export function readBanner({ runs, nets }: AxisBanner): Banner {
  let end = 0;
  const read = runs.map(([groups, length]) => {
    end += length;
    return { groups, end };
  });
  return { count: end, runs: read, nets: new Set(nets) };
}

/** The largest number of group levels over an item. */
export function depthOf({ runs }: Banner): number {
  return Math.max(0, ...runs.map(({ groups }) => groups.length));
}
