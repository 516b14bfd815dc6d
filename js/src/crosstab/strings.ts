/** UI strings of the crosstab: metrics, toolbar, display settings, legend. */
import { count, plural } from "../core/numbers";

const kinds = { row: "row", column: "column" } as const;

export const strings = {
  metric: {
    /** Why a cell has no value. */
    empty: {
      base: "The base of this cell is empty: no wave in common, or no respondents",
      because: (reason: string) => `No value: ${reason}`,
      both: "No respondents in this row or in this column",
      column: "No respondents in this column",
      row: "No respondents in this row",
      other: "No value for this cell",
    },
  },
  metrics: "Metric",
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
  behind: "Figures in grey are those before: they are not copied or exported",
  behindShort: "Figures in grey are those before.",
  notBehind: "Not copied: figures in grey are those before. Count again first.",
  copiedBehind: (copied: string) => `${copied}, as counted before the kernel was restarted`,
  stopped: (done: number, all: number) => `Stopped at ${count(done)} of ${plural(all, "cell")}`,
  counted: (all: number) => `Table complete: ${plural(all, "cell")}`,
  size: "Weighted base",
  sample: "Unweighted base (n)",
  /** Over a column. */
  sampleShort: "Base (n)",
  sizeMeaning: "People in this audience and in the base, weighted",
  sampleMeaning: "Respondents in this audience and in the base, unweighted",
  base: (name: string) => `Base: ${name}`,
  answered: (name: string) => `${name} who answered`,
  /** Of a row whose base is not that of all rows. */
  ofBase: (count: string, base: string) => `${count} of ${base}`,
  rowBase: (counts: string) => `Base of the row: ${counts} (weighted / n)`,
  rowBaseName: "Base of the row",
  rowBaseSample: "Unweighted base of the row (n)",
  baseVaries:
    "The largest base of this column: rows have bases of their own, which their cells show",
  both: "Both",
  baseParts: "weighted / n",
  basePart: "n",
  grid: (rows: number, columns: number) =>
    `Crosstab of ${plural(rows, "row")} and ${plural(columns, "column")}`,
  sorted: (name: string, highest: boolean) =>
    `Sorted by ${name}, ${highest ? "descending" : "ascending"}`,
  unsorted: "Original order",
  names: "Names",
  kinds,
  hid: (name: string) => `${name} hidden`,
  shownAgain: "Shown again",
  folded: (name: string) => `${name} collapsed`,
  unfolded: (name: string) => `${name} expanded`,
  moved: (name: string, position: number) => `${name} moved to position ${count(position)}`,
  wide: (name: string, width: number) => `${name}: ${width} pixels wide`,
  items: (axis: "row" | "column", n: number) => plural(n, kinds[axis]),
  group: (groups: string, rows: number) => `${groups}: ${plural(rows, "row")}`,
  sortByName: "Sort by this (Enter)",
  menuOfName: "Menu (F2)",
  transposed: "Rows and columns swapped",
  selected: (n: number) => `${plural(n, "cell")} selected`,
  notYet: "Not counted yet",
  withheld: "Withheld by the service, or not counted",
  hidden: (n: number) => `Hidden: fewer than ${plural(n, "respondent")} in the denominator`,
  lettered: (name: string, letter: string) => `${name} (${letter})`,
  /** The letter first, for names that may be truncated. */
  letterFirst: (name: string, letter: string) => `${letter} · ${name}`,
  display: "Display",
  displayHint: "Metrics, heat map, significance, density, number format, low bases",
  displayed: "Metrics in a cell, up to four",
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  metricMoved: (name: string, position: number) => `${name} is metric ${position}`,
  lastMetric: "At least one metric must be shown",
  enoughMetrics: "At most four metrics: remove one first",
  heat: "Heat map",
  noHeat: "None",
  bars: "Bars for percentages",
  significance: "Significance",
  tests: {
    arrows: "Arrows",
    letters: "Letters",
    "previous wave": "Previous wave",
    none: "None",
  },
  significanceHint:
    "Arrows: versus the rest of the base. Letters: between columns. Previous wave: of columns that are waves",
  level: "Confidence level",
  arrows: (level: number, how = "") =>
    `significantly higher or lower than the rest of the base (${Math.round(level * 100)}%)${how && `: ${how}`}`,
  waveArrows: (level: number) =>
    `significantly higher or lower than the wave before (${Math.round(level * 100)}%)`,
  noWaves: "No column is one wave, or there are too many",
  density: "Density",
  densities: { auto: "Auto", comfortable: "Comfortable", compact: "Compact" },
  decimals: "Decimals",
  autoDecimals: "Auto",
  units: "Weighted counts",
  unitsOf: { short: "1.2M", thousands: "1,234.5K", full: "1,234,500" },
  flagUnder: "Flag * when n <",
  strongFlagUnder: "Flag ** when n <",
  suppressUnder: "Suppress when n <",
  respondents: "Respondents in the denominator",
  reset: "Reset to defaults",
  legends: {
    index: {
      unit: "Colour: index",
      scale: (low: string, high: string) =>
        `Colour by index, from ${low} or less over 100 to ${high} or more`,
      over: (bound: string) => `index ${bound} or more`,
      under: (bound: string) => `index ${bound} or less`,
    },
    difference: {
      unit: "Colour: points",
      scale: (low: string, high: string) =>
        `Colour by difference from the base, from ${low} points or less over 0 to ${high} or more`,
      over: (bound: string) => `${bound} points or more`,
      under: (bound: string) => `${bound} points or less`,
    },
    z: {
      unit: "Colour: significance",
      scale: (low: string, high: string) =>
        `Colour by significance, from ${low} to ${high}: pale at 95%`,
      over: (bound: string) => `higher, ${bound}`,
      under: (bound: string) => `lower, ${bound}`,
    },
  },
  lowBase: (n: number) => `fewer than ${plural(n, "respondent")} in the denominator`,
  veryLowBase: (n: number) => `fewer than ${count(n)}`,
  /** In the line below the table. */
  under: (n: number) => `n < ${count(n)}`,
  untested: "not tested",
  waveBefore: "vs. the wave before",
  notColoured: "low bases have no colour",
  blanked: (n: number) => `fewer than ${count(n)}: not shown`,
  bar: (metric: string) => `bar: ${metric}, of 100%`,
  /** Of marks beside other figures. */
  compared: (marks: "letters" | "arrows", label: string) => `${marks} compare ${label}`,
  noLetters: (problem: string) => `No letters: ${problem}`,
  lettersLater: "Letters appear when the table is complete",
  empty: "Add rows and columns above, or in Python: grid.rows.add(…)",
  failed: "The table could not be counted.",
  details: "Cell details",
  notSignificant: (level: number) =>
    `No significant difference from the rest of the base (${Math.round(level * 100)}%)`,
  notTested: (reason: string) => `Not tested: ${reason}`,
  freedom: (degrees: string) => `, ${degrees} degrees of freedom`,
} as const;
