/** UI strings of documentation pages that contain a widget. */
export const strings = {
  live: "This is the live widget, with values recorded from the demo survey.",
  notRecorded: "This page has recorded values only; run it in a notebook for the rest.",
  copyCode: "Copy its code",
  copied: "Copied",
  broken: "The widget could not be displayed; a notebook without a kernel shows this instead.",
} as const;
