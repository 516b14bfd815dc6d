/** UI strings that all widgets share. */
export const strings = {
  /** The accessible names of whole widgets. */
  widgets: {
    chart: "Chart of a crosstab",
    editor: "Audience editor",
    grid: "Crosstab",
    picker: "Question picker",
    workbench: "Workbench",
  },
  waiting: "Waiting for the kernel …",
  gone: "The kernel was restarted.",
  runTheCell: "Run the cell again to continue.",
  runAgain: "Run again",
  runAgainTitle: "Run this cell and those above it",
  notShown: {
    page: "Another page changed this first, so this is its version.",
    restart: "You changed this before the kernel was restarted.",
  },
  again: "Apply mine",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "The browser did not allow copying.",
  insert: "Insert into a cell below (with Shift: run it)",
  inserted: "Inserted into a cell below",
  insertedAndRun: "Inserted into a cell below and running",
  notInserted: "The notebook did not accept the code.",
  noMatch: (query: string) => `Nothing matches “${query}”.`,
  didYouMean: (query: string) => `Did you mean “${query}”?`,
  retry: "Try again",
  failed: (message: string) => `That did not work: ${message}`,
} as const;
