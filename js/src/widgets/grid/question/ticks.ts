/**
 * Waves or locations being chosen: ticks, or the default, which is no choice at all. Values; every
 * function gives a new one.
 */
import type { Coded } from "./protocol";

/** The ticked codes; null is the default. */
export type Ticks = ReadonlySet<string> | null;

/** One more or one fewer; from the default on, what it stands for is ticked. */
export function ticked(ticks: Ticks, byDefault: ReadonlySet<string>, code: string): Ticks {
  const next = new Set(ticks ?? byDefault);
  if (!next.delete(code)) next.add(code);
  return next;
}

/** All of a group, or none of it where all of it is ticked. */
export function tickedAll(
  ticks: Ticks,
  byDefault: ReadonlySet<string>,
  group: readonly Coded[],
): Ticks {
  const next = new Set(ticks ?? byDefault);
  const every = group.every(({ code }) => next.has(code));
  for (const { code } of group) {
    if (every) next.delete(code);
    else next.add(code);
  }
  return next;
}

export function sameTicks(one: Ticks, other: Ticks): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((code) => other.has(code));
}

/** A wave's name below its year, which says the year already. */
export function nameWithinYear(name: string, year: string): string {
  const words = name.split(/\s+/).filter((word) => word !== year);
  return words.join(" ") || name;
}

/** Waves under their years, the latest year first; under "" what names none. */
export function byYear(waves: readonly Coded[]): [year: string, waves: Coded[]][] {
  const years = new Map<string, Coded[]>();
  for (const wave of waves) {
    const year = /(?:19|20)\d\d/.exec(`${wave.name} ${wave.code}`)?.[0] ?? "";
    years.set(year, [...(years.get(year) ?? []), wave]);
  }
  return [...years].sort(([one], [other]) => other.localeCompare(one));
}
