/** The groups over the items of one axis, as runs of neighbours with equal groups, and its nets. */
import type { AxisBanner } from "../../protocol";
import type { Before } from "../data/last";
import type { Name } from "../data/names";

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

/** The banner of a table as far as the one before tells it; a new item is beside its neighbour. */
export function bannerAfter(old: Banner, before: Before): Banner {
  const over = old.runs.flatMap(({ groups, end }, i) =>
    Array<readonly string[]>(end - (old.runs[i - 1]?.end ?? 0)).fill(groups),
  );
  const first = before.find((then) => then >= 0) ?? -1;
  let groups = over[first] ?? [];
  const runs: Run[] = [];
  const nets = new Set<number>();
  before.forEach((then, now) => {
    const own = (then < 0 ? undefined : over[then]) ?? groups;
    if (old.nets.has(then)) nets.add(now);
    if (own === groups) runs.pop();
    groups = own;
    runs.push({ groups, end: now + 1 });
  });
  return { count: before.length, runs, nets };
}

/** The largest number of group levels over an item. */
export function depthOf({ runs }: Banner): number {
  return Math.max(0, ...runs.map(({ groups }) => groups.length));
}

/**
 * The name to use outside of the table: with all groups of a nested item, whose own name does not
 * name them, and of one of several that are named alike.
 */
export function wholeName({ name, groups = [], isWhole = true }: Name): string {
  return isWhole ? name : [...groups, name].join(" › ");
}
