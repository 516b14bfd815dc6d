/** UI strings of the content of workbench tabs, which load with the first of them. */
export const words = {
  openingWorkbench: "Opening the workbench …",
  noKernel: "No kernel is running. Choose one from the Kernel menu, then try again.",
  notOpened: "The kernel did not open the workbench.",
  kernelDied: "The kernel ended while opening this, probably for lack of memory.",
  tryAgain: "Try again",
  notWorkbench: (why: string) => `This file is not a workbench document: ${why}`,
  notObject: "it must be a JSON object.",
  unknownSurvey: (connect: string) =>
    `This workbench was made with ${connect}, which is not one of your connections. Open it with:`,
  elsewhere: (connect: string) =>
    `This workbench was made with ${connect}, which is not below the folder of this document. Open that file, or another survey:`,
  openIt: "Open that file",
  movedTo: (before: string, now: string) =>
    `This workbench was made with ${before}. It is open with ${now}.`,
  notOpenedFrom: (why: string, connect: string) =>
    `${why}\nThis workbench was made with ${connect}. Put the file back, or choose a file or another survey:`,
  chooseFile: "Choose the file …",
  openingFile: (name: string) => `Opening ${name} …`,
  rowsOf: (done: string, all: string) => `${done} of ${all} rows`,
  rowsRead: (file: string, rows: string) =>
    `${file}: ${rows} rows read. Finding out what the columns mean`,
  percentOf: (done: string) => `${done}%`,
  seconds: (seconds: string) => `${seconds} s`,
  counting: "Counting the first table",
  stop: "Stop",
  stopping: "Stopping …",
  stopped: "Stopped.",
  stoppedFile: (name: string) => `${name} was not opened: you stopped it. Nothing was kept.`,
  openWith: (given: string) => `Open with ${given}`,
  hasDocument: (name: string) => `There is a saved workbench of ${name}.`,
  continueWith: (file: string) => `Continue ${file}`,
  closeNote: "Close this line",
} as const;
