/** The summary of the query in the model, and the operations on it; see `query_rpc.py`. */
import type { Selection } from "../../catalogue/selection";

export type Axis = "rows" | "columns";

/** One line of each; one of all, of any; or what is there under each. */
export type How = "split" | "and" | "or" | "nest";

export const HOWS: readonly How[] = ["split", "and", "or", "nest"];

/** A side in a few names: heads, and lines that stand under none. */
export interface AxisSummary {
  readonly count: number;
  readonly names: readonly string[];
  /** The question of ungrouped answers; "" where there are groups, or several questions. */
  readonly question?: string;
  /** Names that were left out. */
  readonly more: number;
}

export interface CodesSummary {
  readonly count: number;
  readonly names: readonly string[];
}

/** Trait `_question`. */
export interface QuerySummary {
  readonly rows: AxisSummary;
  readonly columns: AxisSummary;
  /** Names of the bases; none is everyone. */
  readonly bases: readonly string[];
  readonly baseCount: number;
  /** Whether each base stands as a head over the columns, or as a column where there are none. */
  readonly sideBySide: boolean;
  /** null: the last four. */
  readonly waves: CodesSummary | null;
  /** null: everywhere. */
  readonly locations: CodesSummary | null;
  /** The part of the question that undoing and redoing would change; null where there is none. */
  readonly undo: string | null;
  readonly redo: string | null;
}

export interface Coded {
  readonly code: string;
  readonly name: string;
}

export type CodeKind = "waves" | "locations";

interface CodeChoices {
  readonly all: readonly Coded[];
  /** null: nothing is chosen, and the default holds. */
  readonly chosen: readonly string[] | null;
  /** What is toggled while the default holds. */
  readonly unasked: readonly string[];
}

/** Answer of `choices`. */
export type Choices = Readonly<Record<CodeKind, CodeChoices>>;

/** Neighbours under one outermost head, or a single line. */
export interface Block {
  readonly name: string;
  readonly start: number;
  readonly count: number;
  readonly isHead: boolean;
  readonly isNet: boolean;
}

export interface SavedAudience {
  readonly id: string;
  readonly name: string;
}

/** What is chosen to be added: answers, and saved audiences by their ids. */
export interface Chosen {
  readonly picked: Selection;
  readonly saved: readonly string[];
}

/** One change of the question, as the operation `edit` takes it. */
export type Edit =
  | ({ do: "add"; axis: Axis; how: Exclude<How, "nest"> } & Chosen)
  | ({ do: "nest"; axis: Axis; places?: readonly number[] } & Chosen)
  | { do: "remove"; axis: Axis; places: readonly number[] }
  | { do: "move"; axis: Axis; places: readonly number[]; to: number }
  | { do: "rename"; axis: Axis; places: readonly number[]; name: string }
  | { do: "net" | "merge"; axis: Axis; places: readonly number[]; name?: string }
  | { do: "boxes"; axis: Axis; places: readonly number[]; lowFirst: boolean }
  | ({ do: "bases"; keep: readonly number[] } & Chosen)
  | { do: CodeKind; codes: readonly string[] | null };
