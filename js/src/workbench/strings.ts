/** UI strings of the workbench. */
import { count, plural } from "../core/numbers";
import type { ChartStyle, PaneName } from "./layout";

const SHOWN_NAMES = 3;

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
  collapse: { rail: "Collapse questions and audience", chart: "Collapse the chart" },
  openTab: "Save and open in a tab",
  railSize: "Width of questions and audience",
  chartSize: "Width of the chart",
  height: "Height of the workbench",
  lost: "This workbench has ended. Run the cell again.",

  how: "How to add the picked answers",
  hows: { split: "Separate", and: "All (AND)", or: "Any (OR)" },
  grids: "What a picked grid becomes",
  rows: "Rows",
  toRows: "Add to rows",
  columns: "Columns",
  toColumns: "Add to columns",
  audience: "Audience",
  toAudience: "Add to the audience",
  pickFirst: "Tick answers first",
  added: (n: number, side: "rows" | "columns") =>
    n === 0 ? `Already in ${side}` : `${plural(n, side.slice(0, -1))} added`,
  conditions: "Added to the audience",
  useAsBase: "Use as base",
  asRow: "Add as row",
  asColumn: "Add as column",
  based: (everyone: boolean) => (everyone ? "Base: everyone" : "Now the base of the table"),
  editCells: "Open cells as audience",
  editCell: "Open cell as audience",
  selectFirst: "Click a cell first",
  edited: "Opened in the audience editor",

  card: {
    about: "About this survey",
    close: "Close",
    check: "to check",
    changeFirst: "Change them above the table.",
    counting: "Counting again …",
    counted: "Counted again",
    gone: (names: readonly string[]) => {
      const rest = names.length - SHOWN_NAMES;
      const more = rest > 0 ? ` and ${count(rest)} more` : "";
      return `No longer in the table: ${names.slice(0, SHOWN_NAMES).join(", ")}${more}`;
    },
    again: "Try again",
    search: "Search the guesses",
    more: (n: number) => `${count(n)} more`,
    fewer: "Fewer",
    undo: "Undo",
    code: "Code",
    copy: "Copy",
    subject: (subject: string) => `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}`,
  },

  editChart: "Edit the chart",
  style: {
    kind: "Kind of chart",
    title: "Title",
    sort: "Order of rows",
    palette: "Colours",
    labels: "Values",
  } satisfies Record<keyof ChartStyle, string>,
  sorts: { asked: "As in the table", value: "Largest first" },
  palettes: {
    standard: "Standard",
    blue: "Blue",
    green: "Green",
    orange: "Orange",
    purple: "Purple",
    grey: "Grey",
  },
  undo: (what: string | null) => (what === null ? "Nothing to undo" : `Undo: ${what}`),
  redo: (what: string | null) => (what === null ? "Nothing to redo" : `Redo: ${what}`),
  kinds: { "": "Auto", bar: "Bars", dots: "Dots", heatmap: "Heat map" },
  chart: (alt: string) => `Chart: ${alt}`,
  drawing: "Drawing …",
  chartLater: "Drawn when the table is complete.",
  sendChart: "Send the chart",
  slide: "Slide",
  svg: "Image (SVG)",
  png: "Image (PNG)",
  onWhite: "On white",

  shown: "History",
  nothingShown: "Complete tables are listed here.",
  keep: "Save workbench",
  name: "Name",
  namePlaceholder: "Study name",
  save: "Save",
  saved: (path: string) => `Saved as ${path}`,
  open: "Open",
  notebook: "Export as notebook",
  copyCode: "Copy as a cell",
  insertCode: "Insert as a cell below",
} as const;
