/** UI strings of saved tables, and of widgets without a kernel. */
import { count, plural } from "../../core/numbers";

export const strings = {
  viewPlugin: "Shows the saved form of a widget whose kernel is gone.",
  crosstabExtension: "Shows a saved crosstab without a kernel.",
  label: "Saved crosstab",
  run: "Saved output. Run this cell to work with it.",
  unreadable: (why: string) => `This saved table cannot be read: ${why}. Run the cell again.`,
  part: (rows: readonly [number, number], columns: readonly [number, number]) =>
    `Saved with the notebook: ${ofAll(rows, "row")} and ${ofAll(columns, "column")}. Run the cell for the rest; to_wide() and to_frame() return every cell.`,
  enter: "On a name: sort; on a group: collapse",
} as const;

function ofAll([kept, all]: readonly [number, number], noun: string): string {
  return kept === all ? `all ${plural(all, noun)}` : `${count(kept)} of ${plural(all, noun)}`;
}
