/** The questions and audiences chosen on the page to edit the query. */
import type { Selection } from "../../catalogue/selection";
import type { Choices, Edit } from "../../protocol";

export type Axis = "rows" | "columns";

/** The points of the scale of each item of a grid, the top two together, or a mean. */
export type GridRows = NonNullable<Extract<Edit, { do: "add" }>["grids"]>;

/** What a picked grid becomes, in the order in which it is offered. */
export const GRIDS: readonly GridRows[] = ["distribution", "top_box", "mean"];

/** One item for each; one of all (AND) or any (OR); or the existing items nested under each. */
export type How = "split" | "and" | "or" | "nest";

export const HOWS: readonly How[] = ["split", "and", "or", "nest"];

export type CodeKind = keyof Choices;

/** What is added: answers, and saved audiences by their ids. */
export interface Chosen {
  readonly picked: Selection;
  readonly saved: readonly string[];
}
