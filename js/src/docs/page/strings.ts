/** The words of an exported page, in one table, ready for translation. */
export const words = { sortByName: "Sort by name", download: "Download CSV" } as const;
