/** UI strings of the extension outside the sidebar. */
export const strings = {
  insertPlugin: "Puts the code that a widget writes into a cell below it.",
  chartExtension: "Draws charts of Vega-Lite 6 and Vega 6, with no network.",
  sidebarPlugin: "The audiences side bar, its commands and its settings.",
  /** The accessible name of a chart without title and description. */
  chart: "Chart",
  notDrawn: (why: string) => `This chart could not be drawn: ${why}`,
  untrusted: "it loads files, which it may once the notebook is trusted",
  saveChart: "Save this chart",
  saveAs: (format: string) => `Save as ${format.toUpperCase()}`,
  /** The file name of a chart whose name has no allowed characters. */
  chartFile: "chart",

  serverGone: (why: string) =>
    `The Jupyter server does not answer (${why}). See whether it is still running.`,
  serverMissing:
    "The Jupyter server has no part of audiencelab. Install audiencelab where JupyterLab runs, and start JupyterLab again; “jupyter server extension list” says whether it is enabled.",
  notLoggedIn: "The Jupyter server does not know this page any more. Reload it and log in.",
  serverFailed: (status: number) =>
    `The Jupyter server failed with ${status}. Its log says what happened.`,

  noNotebook: "No notebook is open. Open one, or make a new one, and try again.",
  nothingPicked: "Nothing is picked. Tick questions or answers in the audiences side bar first.",
  readOnly: "This notebook may not be changed.",
  notDropped: "The notebook did not take the cell.",

  workbench: "Workbench",
  newWorkbench: "New workbench",
  newWorkbenchCaption:
    "Questions, audience, table and chart in one tab, on the survey of the audiences side bar",
  openingWorkbench: "Opening the workbench …",
  noKernel: "No kernel is running. Choose one from the Kernel menu, then try again.",
  notOpened: "The kernel did not open the workbench.",
  tryAgain: "Try again",
  notWorkbench: (why: string) => `This file is not a workbench document: ${why}`,
  notObject: "it must be a JSON object.",
  unknownSurvey: (connect: string) =>
    `This workbench was made with ${connect}, which is not one of your connections. Open it with:`,

  category: "Audience research",
  newNotebook: "New audience notebook",
  newFrom: (title: string) => `New audience notebook: ${title}`,
  newCaption: "A notebook that is connected to the survey of the audiences side bar",
  showSidebar: "Show audiences side bar",
  insertCrosstab: "Insert a crosstab of what is picked",
  insertStats: "Insert stats of what is picked",
  insertAudience: "Insert an audience of what is picked",
  checkConnection: "Check the connection",
  help: "Help: audiencelab",
  helpTitle: "audiencelab in JupyterLab",
  /** The name and purpose of each feature. */
  helpEntries: [
    [
      "Audiences side bar",
      "Search the questions and saved audiences of a survey, and choose another survey.",
    ],
    [
      "Drag a question, answer or audience",
      "Drop it between two cells: it becomes a cell that runs.",
    ],
    ["Stats, Crosstab, Audience", "Make a cell of all that is picked. With Shift it runs at once."],
    ["Right click, or Shift+F10, on a question", "The same for this question alone, and its code."],
    ["?", "In a search box: its keys."],
    ["Ctrl+Shift+C", "All commands; those of audiencelab stand under “Audience research”."],
    [
      "Settings",
      "Under “Audience research”: the first survey, where cells go, how charts are drawn.",
    ],
    ["help(al)", "In a cell, after “import audiencelab as al”: everything Python has."],
  ],
  failed: (message: string) => `That did not work: ${message}`,
} as const;
