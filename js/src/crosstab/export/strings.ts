/** UI strings of copying, exporting and cell details. */
import { plural } from "../../core/numbers";

const what = (cells: number) =>
  cells > 0 ? `the selected ${plural(cells, "cell")}` : "the whole table";

export const words = {
  send: "Send",
  sendHeading: (cells: number) => `Send ${what(cells)}`,
  chartHeading: (cells: number) => `Send a chart of ${what(cells)}`,
  otherHeading: "Other formats",
  clipboard: "Clipboard",
  clipboardHint: "Excel, mail (Ctrl+C)",
  forms: {
    document: "Copy for a document",
    markdown: "Copy as Markdown",
    code: "Copy as Python",
  },
  hints: {
    document: "As shown, with marks",
    markdown: "As shown, with marks",
    code: "A query that counts the same",
  },
  insert: "Insert into the notebook",
  insertHint: "As a cell below; with Shift it runs",
  files: {
    pptx: "Slide",
    xlsx: "Workbook",
    html: "Web page",
    png: "Image (PNG)",
    svg: "Image (SVG)",
  },
  charts: {
    chart_pptx: "Chart for PowerPoint",
    chart_png: "Chart as PNG",
    chart_svg: "Chart as SVG",
  },
  otherFiles: {
    csv: "CSV, as shown",
    cells: "CSV, one row per cell",
  },
  fileHints: {
    pptx: "PowerPoint",
    xlsx: "Excel, full precision",
    html: "As on the screen",
    png: "As on the screen",
    chart_pptx: "Can be edited",
  },
  copiedCode: "Python copied",
  copiedChart: "Chart copied",
  saving: (name: string) => `Preparing ${name} …`,
  fetching: (percent: number) => `Sending, ${percent}%`,
  stopSaving: "Stop",
  saved: (name: string) => `${name} saved`,
  beside: (name: string) => `${name} is in this folder`,
  isBeside: "in this folder",
  open: "Open",
  download: "Download",
  cutShort: "Only a part of the file came. Send it again.",
  noDownload: "This page cannot save files. In Python: grid.to_excel(path)",
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
