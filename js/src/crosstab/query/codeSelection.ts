/**
 * Waves or locations being chosen: codes, or the default, which is null. Values; every
 * function gives a new one.
 */
import type { CodeName } from "../../protocol";

/** The toggled codes; null is the default. */
export type CodeSelection = ReadonlySet<string> | null;

/** One more or one fewer; from the default on, the codes that it means are toggled. */
export function toggled(
  codes: CodeSelection,
  byDefault: ReadonlySet<string>,
  code: string,
): CodeSelection {
  const next = new Set(codes ?? byDefault);
  if (!next.delete(code)) next.add(code);
  return next;
}

/** All of a group, or none of it where all of it is toggled. */
export function toggledAll(
  codes: CodeSelection,
  byDefault: ReadonlySet<string>,
  group: readonly CodeName[],
): CodeSelection {
  const next = new Set(codes ?? byDefault);
  const every = group.every(({ code }) => next.has(code));
  for (const { code } of group) {
    if (every) next.delete(code);
    else next.add(code);
  }
  return next;
}

export function sameCodes(one: CodeSelection, other: CodeSelection): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((code) => other.has(code));
}

/** A wave's name below its year, which says the year already. */
export function nameWithinYear(name: string, year: string): string {
  const words = name.split(/\s+/).filter((word) => word !== year);
  return words.join(" ") || name;
}

/** Waves under their years, the latest year first; under "" what names none. */
export function byYear(waves: readonly CodeName[]): [year: string, waves: CodeName[]][] {
  const years = new Map<string, CodeName[]>();
  for (const wave of waves) {
    const year = /(?:19|20)\d\d/.exec(`${wave.name} ${wave.code}`)?.[0] ?? "";
    years.set(year, [...(years.get(year) ?? []), wave]);
  }
  return [...years].sort(([one], [other]) => other.localeCompare(one));
}
