/** The words of what is taken away from a table, in one place, ready for translation. */
import { plural } from "../../../shared/strings";

export const words = {
  menu: "Copy or save",
  copyHeading: (cells: number) => (cells > 0 ? `Copy ${plural(cells, "cell")}` : "Copy the table"),
  saveHeading: (cells: number) => (cells > 0 ? `Save ${plural(cells, "cell")}` : "Save the table"),
  forms: {
    table: "For a spreadsheet",
    document: "For a document",
    markdown: "As Markdown",
    code: "As Python",
  },
  hints: {
    table: "Tab-separated, in full precision",
    document: "Rounded as shown, with marks",
    markdown: "Rounded as shown, with marks",
    code: "A query that counts the same",
  },
  insert: "Into the notebook",
  insertHint: "A cell below this one; with Shift it runs",
  files: {
    xlsx: "Excel workbook",
    csv: "CSV, this layout",
    cells: "CSV, a line for each cell",
    html: "Web page",
    png: "Chart as PNG",
    svg: "Chart as SVG",
  },
  copiedCode: "Python copied",
  saving: (name: string) => `Making “${name}” …`,
  fetching: (percent: number) => `Saving, ${percent} %`,
  stopSaving: "Stop saving",
  saved: (name: string) => `${name} saved`,
  cutShort: "The kernel sent less of the file than there is. Save it once more.",
  noDownload: "This page cannot save files: write it in Python with grid.to_excel(path)",
  marks: (low: string, veryLow: string) =>
    `* fewer than ${low} respondents in the denominator, ** fewer than ${veryLow}`,

  drillHint: "Enter: the cell in full",
  inFull: "The cell in full",
  openCell: "In full",
  closeCell: "In short",
  opened: (title: string) => `${title}, in full below the table: Tab goes there, Escape closes it`,
  who: "Who",
  figures: "Figures",
  howSure: "How sure",
  roles: { row: "Row", column: "Column", both: "Both", base: "Base" },
  people: "People",
  respondents: "Respondents",
  interval: "95 % interval",
  waves: (codes: readonly string[]) =>
    codes.length === 0
      ? "The questions share no wave of those asked for"
      : `Rests on ${plural(codes.length, "wave")}: ${
          codes.length > 6 ? `${codes[0]} … ${codes.at(-1)}` : codes.join(", ")
        }`,
  audience: "These people as an audience",
  copyCode: "Copy as Python",
  loading: "Counting on it …",
  shareOf: (percent: string) => `${percent} of the base`,

  chart: "Chart of the selected cells",
  drawing: "Drawing …",
} as const;
