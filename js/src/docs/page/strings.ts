/** UI strings of an exported page. */
export const words = { sortByName: "Sort by name", download: "Download CSV" } as const;
