/** The grid's words, in one table, ready for translation. */
import { count, plural } from "../../shared/strings";

export const strings = {
  metric: {
    labels: {
      index: "Index",
      column_percentage: "Column %",
      row_percentage: "Row %",
      percentage: "% of base",
      size: "Size",
      sample: "Sample",
      difference: "Difference",
      z: "z",
      letters: "Letters",
    },
    meanings: {
      index: () => "How much likelier than in the base; 100 is the base",
      column_percentage: (row: string, column: string) =>
        `Share of the ${column} that is in the ${row}`,
      row_percentage: (row: string, column: string) =>
        `Share of the ${row} that is in the ${column}`,
      percentage: () => "Share of the base that is in both",
      size: () => "People in both, weighted",
      sample: () => "Respondents in both, unweighted",
      difference: (row: string, column: string) =>
        `Share of the ${column} that is in the ${row}, less that of the base, in points`,
      z: (_row: string, column: string) =>
        `How far the ${column} is from everyone else in the base, in standard errors; beyond ±1.96 the difference is significant at 95%`,
      letters: (row: string, column: string) =>
        `The other ${column}s whose share in the ${row} is significantly smaller`,
    },
    /** Why a cell has no number. */
    empty: {
      base: "Nobody is in the base of this cell: no wave in common, or an empty base",
      both: "Nobody in the base is in this row or in this column",
      column: "Nobody in the base is in this column",
      row: "Nobody in the base is in this row",
      rest: "Everyone in the base is in this column: there is no rest to compare it with",
      other: "No number for this cell",
    },
  },
  metrics: "Figure in the cells",
  transpose: "Swap rows and columns",
  copyTable: "Copy table",
  copyCells: (n: number) => `Copy ${plural(n, "cell")}`,
  copyHint: "Copy as a table for Excel or Sheets, with full precision",
  copied: (n: number) => `${plural(n, "cell")} copied`,
  copyAgain: "The cells are here now: press copy again",
  copyTooMany: (n: number, most: number) =>
    `${count(n)} cells are more than a clipboard should carry (${count(most)}): select fewer, or use .to_wide() in Python`,
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
  hidden: (n: number) => `Hidden: fewer than ${plural(n, "respondent")} in the denominator`,
  lettered: (name: string, letter: string) => `${name} (${letter})`,
  /** The same where there may be no room for the end of a name. */
  letterFirst: (name: string, letter: string) => `${letter} · ${name}`,
  show: "Show",
  showHint: "What the cells show: figures, colours, bars, numbers, low bases",
  figures: "Figures in a cell, up to four",
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  figureMoved: (name: string, place: number) => `${name} is figure ${place}`,
  lastFigure: "A cell shows one figure at least",
  enoughFigures: "A cell shows four figures at most: take one out first",
  colour: "Colour by",
  heats: { index: "Index", difference: "Difference", z: "z", none: "Nothing" },
  bars: "Bars of shares",
  decimals: "Decimals",
  usualDecimals: "Usual",
  people: "Sizes",
  units: { short: "1.2M", thousands: "1,234.5K", full: "1,234,500" },
  markUnder: "Mark with * under",
  strongMarkUnder: "Mark with ** under",
  hideUnder: "Hide figures under",
  respondents: "Respondents in the denominator",
  reset: "Usual looks",
  legends: {
    index: {
      unit: "Index",
      scale: (low: string, high: string) =>
        `Colour by index, from ${low} or less over 100 to ${high} or more`,
      over: (bound: string) => `index ${bound} or more`,
      under: (bound: string) => `index ${bound} or less`,
    },
    difference: {
      unit: "Points",
      scale: (low: string, high: string) =>
        `Colour by difference from the base, from ${low} points or less over 0 to ${high} or more`,
      over: (bound: string) => `${bound} points or more`,
      under: (bound: string) => `${bound} points or less`,
    },
    z: {
      unit: "z",
      scale: (low: string, high: string) =>
        `Colour by z, from ${low} or less to ${high} or more: pale where one in twenty, full where one in a hundred would differ as much by chance`,
      over: (bound: string) => `z ${bound} or more`,
      under: (bound: string) => `z ${bound} or less`,
    },
  },
  lowBase: (n: number) => `fewer than ${plural(n, "respondent")} in the denominator`,
  veryLowBase: (n: number) => `fewer than ${count(n)}`,
  blanked: (n: number) => `fewer than ${count(n)}: not shown`,
  bar: (metric: string) => `bar: ${metric}, of 100 %`,
  noLetters: (problem: string) => `No letters: ${problem}`,
  lettersLater: "Letters come when the table is complete",
  empty: "Nothing to count yet. Give the grid rows and columns: grid.rows = [...]",
  failed: "The table could not be counted.",
  details: "The cell in words",
} as const;
