/** UI strings of copying, exporting and cell details. */
import { plural } from "../../core/numbers";

const what = (cells: number) =>
  cells > 0 ? `the selected ${plural(cells, "cell")}` : "the whole table";

export const words = {
  menu: "Copy & export",
  copyHeading: (cells: number) => `Copy ${what(cells)}`,
  saveHeading: (cells: number) => `Export ${what(cells)}`,
  forms: {
    table: "For a spreadsheet",
    document: "For a document",
    markdown: "As Markdown",
    code: "As Python",
  },
  hints: {
    table: "Tab-separated, full precision",
    document: "Rounded as shown, with marks",
    markdown: "Rounded as shown, with marks",
    code: "A query that counts the same",
  },
  insert: "Insert into the notebook",
  insertHint: "As a cell below; with Shift it runs",
  files: {
    xlsx: "Excel workbook",
    pptx: "PowerPoint slides",
    csv: "CSV, as shown",
    cells: "CSV, one row per cell",
    html: "Web page",
    png: "Chart as PNG",
    svg: "Chart as SVG",
  },
  copiedCode: "Python copied",
  saving: (name: string) => `Preparing ${name} …`,
  fetching: (percent: number) => `Exporting, ${percent}%`,
  stopSaving: "Cancel export",
  saved: (name: string) => `${name} saved`,
  cutShort: "The file is incomplete: the kernel sent only a part. Export it again.",
  noDownload: "This page cannot save files. Write the file in Python: grid.to_excel(path)",
  marks: (low: string, veryLow: string) =>
    `* fewer than ${low} respondents in the denominator, ** fewer than ${veryLow}`,

  drillHint: "Show details of the cell (Enter)",
  inFull: "Cell details",
  openCell: "Show details",
  closeCell: "Hide details",
  opened: (title: string) =>
    `Details of ${title} are below the table: Tab moves there, Escape closes them`,
  who: "Audience",
  figures: "Metrics",
  howSure: "Reliability",
  roles: { row: "Row", column: "Column", both: "Both", base: "Base" },
  people: "Weighted count",
  respondents: "Count (n)",
  interval: "95% confidence interval",
  waves: (codes: readonly string[]) =>
    codes.length === 0
      ? "The questions have no requested wave in common"
      : `Based on ${plural(codes.length, "wave")}: ${
          codes.length > 6 ? `${codes[0]} … ${codes.at(-1)}` : codes.join(", ")
        }`,
  audience: "These people as an audience",
  copyCode: "Copy as Python",
  loading: "Calculating …",
  shareOf: (percent: string) => `${percent} of the base`,

  chart: "Chart of the selected cells",
  drawing: "Drawing …",
} as const;
