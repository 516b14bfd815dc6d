/** All words that the extension says, in one place. */
export const strings = {
  insertPlugin: "Puts the code that a widget writes into a cell below it.",
  chartExtension: "Draws charts of Vega-Lite 6 and Vega 6, with no network.",
  /** A chart that says nothing of itself. */
  chart: "Chart",
  notDrawn: (why: string) => `This chart could not be drawn: ${why}`,
  untrusted: "it loads files, which it may once the notebook is trusted",
  saveChart: "Save this chart",
  saveAs: (format: string) => `Save as ${format.toUpperCase()}`,
  /** A chart's file, where its name has no letter that a file may have. */
  chartFile: "chart",
};
