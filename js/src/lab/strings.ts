/** UI strings of the extension that load with JupyterLab. */
export const strings = {
  insertPlugin: "Inserts the code of a widget into a cell below it.",
  chartExtension: "Renders Vega-Lite 6 and Vega 6 charts, without network.",
  sidebarPlugin: "The audiences sidebar, its commands and its settings.",
  /** The accessible name of a chart without title and description. */
  chart: "Chart",
  notDrawn: (why: string) => `This chart could not be drawn: ${why}`,
  untrusted: "it loads files, which only charts of a trusted notebook may do",
  saveChart: "Save this chart",
  saveAs: (format: string) => `Save as ${format.toUpperCase()}`,
  /** The file name of a chart whose name has no allowed characters. */
  chartFile: "chart",

  serverGone: (why: string) => `The Jupyter server does not respond (${why}). Is it running?`,
  serverMissing:
    "The audiencelab server extension is missing or disabled. Install audiencelab where JupyterLab runs, and restart it; “jupyter server extension list” shows its state.",
  notLoggedIn: "Your session has expired. Reload the page and log in.",
  serverFailed: (status: number) =>
    `The Jupyter server failed with status ${status}. Its log has the details.`,

  noNotebook: "No notebook is open. Open or create one, and try again.",
  nothingPicked: "Tick questions or answers in the audiences sidebar first.",
  readOnly: "This notebook is read-only.",
  notDropped: "The notebook did not accept the cell.",

  workbench: "Workbench",
  newWorkbench: "New workbench",
  newWorkbenchCaption: "Questions, audience, table and chart in one tab, on the sidebar's survey",
  chooseTitle: "Choose a survey file",
  dataFile: "Data file",
  openAsSurvey: "Open as survey",
  openSurvey: "Open a survey file …",
  openSurveyCaption: "A file of SPSS, Stata, SAS, Excel, CSV or Parquet: its first table in a tab",
  savedAs: (path: string) => `Saved as ${path}. The data file is unchanged.`,
  noSurveyFolder: (path: string) =>
    `${path} is not a survey folder. Open a file in it as a survey.`,

  category: "Audience research",
  newNotebook: "New audience notebook",
  newFrom: (title: string) => `New audience notebook: ${title}`,
  newCaption: "A notebook on the sidebar's survey",
  showSidebar: "Show audiences sidebar",
  audiences: "Audiences",
  noSurvey: "No survey",
  pieces: {
    question: "Insert as stats",
    crosstab: "Insert as crosstab",
    audience: "Insert audience",
  },
  insertCrosstab: "Insert a crosstab of the picked questions",
  insertStats: "Insert stats of the picked questions",
  insertAudience: "Insert an audience of the picked questions",
  checkConnection: "Check the connection",
  help: "Help: audiencelab",
  helpTitle: "audiencelab in JupyterLab",
  /** The name and purpose of each feature. */
  helpEntries: [
    [
      "Double click on a survey file",
      "Opens its first table. CSV files and survey folders: right click, “Open as survey”. Or drop the file on the launcher.",
    ],
    ["Audiences sidebar", "Questions and saved audiences of a survey, and the choice of another."],
    ["Drag a question, answer or audience", "Drop it between two cells to make a cell that runs."],
    ["Stats, Crosstab, Audience", "Insert a cell of the picked questions; with Shift it runs."],
    ["Right click, or Shift+F10, on a question", "The same for this question alone."],
    ["?", "In a search box: its shortcuts."],
    ["Ctrl+Shift+C", "All commands; those of audiencelab are in “Audience research”."],
    [
      "Settings",
      "Under “Audience research”: the first survey, where cells go, how charts are rendered.",
    ],
    ["help(al)", "In a cell: the Python API."],
  ],
  failed: (message: string) => `That did not work: ${message}`,
} as const;
