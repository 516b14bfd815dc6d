/** The questions and audiences chosen on the page to edit the query. */
import type { Selection } from "../../catalogue/selection";
import type { Choices } from "../../protocol";

export type Axis = "rows" | "columns";

/** One item for each; one of all (AND) or any (OR); or the existing items nested under each. */
export type How = "split" | "and" | "or" | "nest";

export const HOWS: readonly How[] = ["split", "and", "or", "nest"];

export type CodeKind = keyof Choices;

/** What is added: answers, and saved audiences by their ids. */
export interface Chosen {
  readonly picked: Selection;
  readonly saved: readonly string[];
}
