/** What a grid becomes in rows or columns; apart, since a page that shows no grid needs none of it. */
export const grids = {
  distribution: "Distribution",
  top_box: "Top 2",
  mean: "Mean",
} as const;

export const gridHints = {
  distribution: "Grids: each item with the points of its scale",
  top_box: "Grids: a row for each item, its two highest points together",
  mean: "Grids: a mean for each item, in rows",
} as const;

/** What a question is shown as. */
export const forms = { ...grids, bins: "Bins", median: "Median", nps: "NPS" } as const;
