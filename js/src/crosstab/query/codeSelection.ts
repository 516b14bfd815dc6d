/**
 * A selection of waves or locations: codes, or null for the default. Immutable; every function
 * returns a new selection.
 */
import type { CodeName } from "../../protocol";

/** The selected codes; null is the default. */
export type CodeSelection = ReadonlySet<string> | null;

/** Toggles one code; the default is first expanded to its codes. */
export function toggled(
  codes: CodeSelection,
  byDefault: ReadonlySet<string>,
  code: string,
): CodeSelection {
  const next = new Set(codes ?? byDefault);
  if (!next.delete(code)) next.add(code);
  return next;
}

/** Selects all of a group, or deselects it when all is selected. */
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

/** A wave's name without the year, below a heading with the year. */
export function nameWithinYear(name: string, year: string): string {
  const words = name.split(/\s+/).filter((word) => word !== year);
  return words.join(" ") || name;
}

/** Waves grouped by year, the latest year first; under "" those without a year. */
export function byYear(waves: readonly CodeName[]): [year: string, waves: CodeName[]][] {
  const years = new Map<string, CodeName[]>();
  for (const wave of waves) {
    const year = /(?:19|20)\d\d/.exec(`${wave.name} ${wave.code}`)?.[0] ?? "";
    years.set(year, [...(years.get(year) ?? []), wave]);
  }
  return [...years].sort(([one], [other]) => other.localeCompare(one));
}
