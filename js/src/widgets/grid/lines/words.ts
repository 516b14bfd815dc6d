/** The words of the lines: their menu, their panel, and what is said of them. */
import { count, plural } from "../../../shared/strings";

export const words = {
  names: "Names",
  hid: (name: string) => `${name} hidden`,
  shownAgain: "Shown again",
  folded: (name: string) => `${name} folded up`,
  unfolded: (name: string) => `${name} unfolded`,
  moved: (name: string, place: number) => `${name} moved to place ${count(place)}`,
  wide: (name: string, width: number) => `${name}: ${width} pixels wide`,
  head: (heads: string, lines: number) => `${heads}: ${plural(lines, "line")}`,
} as const;
