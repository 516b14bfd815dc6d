/** What is over the lines of one side: runs of neighbours under the same groups, and nets. */
import type { AxisBanner } from "../../protocol";

export interface Run {
  /** Outermost first; none for lines without a group. */
  readonly groups: readonly string[];
  /** Where the run ends; it begins where the one before it does. */
  readonly end: number;
}

export interface Banner {
  readonly count: number;
  readonly runs: readonly Run[];
  /** Lines that are subtotals of others: they stay where they are in their block. */
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

/** The most levels of groups over a line. */
export function depthOf({ runs }: Banner): number {
  return Math.max(0, ...runs.map(({ groups }) => groups.length));
}
