/** The summary of the query in the model, and the operations on it; see `query_rpc.py`. */
import type { Selection } from "../../catalogue/selection";
import type { Choices } from "../../protocol";

export type Axis = "rows" | "columns";

/** One line of each; one of all, of any; or what is there under each. */
export type How = "split" | "and" | "or" | "nest";

export const HOWS: readonly How[] = ["split", "and", "or", "nest"];

export type {
  AxisSummary,
  Block,
  Blocks,
  Choices,
  CodeName as Coded,
  CodesSummary,
  Edit,
  QuerySummary,
  SavedAudienceRecord as SavedAudience,
} from "../../protocol";

export type CodeKind = keyof Choices;

/** What is chosen to be added: answers, and saved audiences by their ids. */
export interface Chosen {
  readonly picked: Selection;
  readonly saved: readonly string[];
}
