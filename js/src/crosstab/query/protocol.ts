/** What is chosen on the page to edit the query with. */
import type { Selection } from "../../catalogue/selection";
import type { Choices } from "../../protocol";

export type Axis = "rows" | "columns";

/** One line of each; one of all, of any; or what is there under each. */
export type How = "split" | "and" | "or" | "nest";

export const HOWS: readonly How[] = ["split", "and", "or", "nest"];

export type CodeKind = keyof Choices;

/** What is chosen to be added: answers, and saved audiences by their ids. */
export interface Chosen {
  readonly picked: Selection;
  readonly saved: readonly string[];
}
