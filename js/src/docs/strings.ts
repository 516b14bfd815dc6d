/** UI strings of documentation pages that contain a widget. */
export const strings = {
  live: "This is the widget itself, with figures recorded from the demo survey.",
  notRecorded: "This page holds recorded figures; run it in a notebook for the rest.",
  copyCode: "Copy its code",
  copied: "Copied",
  broken: "The widget could not be drawn here; this is what a notebook without a kernel shows.",
} as const;
