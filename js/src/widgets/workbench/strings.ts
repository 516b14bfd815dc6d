/** The workbench's words, in one table, ready for translation. */
import { plural } from "../../shared/strings";
import type { PaneName } from "./layout";

export const words = {
  panes: {
    questions: "Questions",
    audience: "Audience",
    table: "Table",
    chart: "Chart",
  } satisfies Record<PaneName, string>,
  rail: "Questions and audience",
  main: "Table and chart",
  all: "Parts of the workbench",
  railSize: "Width of questions and audience",
  chartSize: "Width of the chart",
  height: "Height of the workbench",
  lost: "The parts of this workbench are gone. Run the cell again to continue.",

  how: "How what is picked is added",
  hows: { split: "One each", and: "All of them", or: "Any of them" },
  rows: "Rows",
  toRows: "Add to rows",
  columns: "Columns",
  toColumns: "Add to columns",
  audience: "Audience",
  toAudience: "Add to the audience",
  pickFirst: "Tick answers first",
  added: (n: number, side: "rows" | "columns") =>
    n === 0 ? `In the ${side} already` : `${plural(n, side.slice(0, -1))} added`,
  conditions: "Added to the audience",
  useAsBase: "Use as base",
  asRow: "Add as row",
  asColumn: "Add as column",
  based: (everyone: boolean) => (everyone ? "Base: everyone" : "Now the base of the table"),
  editCells: "Open cells as audience",
  editCell: "Open cell as audience",
  selectFirst: "Click a cell first",
  edited: "Opened in the audience editor",

  kind: "Kind of chart",
  kinds: { "": "Chart that suits", bar: "Bars", dots: "Dots", heatmap: "Heat map" },
  chart: (alt: string) => `Chart: ${alt}`,
  drawing: "Drawing …",
  chartLater: "The chart comes when the table is complete.",
  svg: "Save as SVG",
  png: "Save as PNG",

  shown: "Questions shown before",
  nothingShown: "Questions are listed here once their tables are complete.",
  keep: "Save and hand over",
  name: "Name",
  namePlaceholder: "Name of the study",
  save: "Save",
  saved: (path: string) => `Saved as ${path}`,
  notebook: "Write as notebook",
  copyCode: "Copy as a cell",
  insertCode: "Insert as a cell below",
} as const;
