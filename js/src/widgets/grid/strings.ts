/** The grid's words, in one table, ready for translation. */
import { count, plural } from "../../shared/strings";

export const strings = {
  metrics: "Figure in the cells",
  transpose: "Swap rows and columns",
  copyTable: "Copy table",
  copyCells: (n: number) => `Copy ${plural(n, "cell")}`,
  copyHint: "Copy as a table for Excel or Sheets, with full precision",
  copied: (n: number) => `${plural(n, "cell")} copied`,
  copyAgain: "The cells are here now: press copy again",
  copyTooMany: (n: number, most: number) =>
    `${count(n)} cells are more than a clipboard should carry (${count(most)}): select fewer, or use .to_wide() in Python`,
  copyFailed: "The browser did not allow copying",
  stop: "Stop counting",
  again: "Count again",
  progress: (done: number, all: number) => `${count(done)} of ${plural(all, "cell")}`,
  stopped: (done: number, all: number) => `Stopped at ${count(done)} of ${plural(all, "cell")}`,
  counted: (all: number) => `Table complete: ${plural(all, "cell")}`,
  size: "Size",
  sample: "Sample",
  sizeMeaning: "People in this audience and in the base, weighted",
  sampleMeaning: "Respondents in this audience and in the base, unweighted",
  base: (name: string) => `Base: ${name}`,
  both: "Both",
  baseParts: "size / sample",
  grid: (rows: number, columns: number) =>
    `Crosstab of ${plural(rows, "row")} and ${plural(columns, "column")}`,
  sorted: (name: string, highest: boolean) =>
    `Sorted by ${name}, ${highest ? "highest" : "lowest"} first`,
  unsorted: "In the order of the query",
  transposed: "Rows and columns swapped",
  selected: (n: number) => `${plural(n, "cell")} selected`,
  notYet: "Not counted yet",
  under: (index: number) => `index ${index} or less`,
  over: (index: number) => `index ${index} or more`,
  index: "Index",
  legend: (low: string, high: string) => `Colour by index, from ${low} over 100 to ${high}`,
  lowBase: (n: number) => `fewer than ${n} respondents in the denominator`,
  veryLowBase: (n: number) => `fewer than ${n}`,
  empty: "Nothing to count yet. Give the grid rows and columns: grid.rows = [...]",
  failed: "The table could not be counted.",
  details: "The cell in words",
} as const;
