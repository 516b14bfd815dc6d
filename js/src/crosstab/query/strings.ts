/** UI strings of the query bar, its panels, and the commands for rows and columns. */
import { count, plural } from "../../core/numbers";
import type { Axis, How } from "./protocol";

const one: Record<Axis, string> = { rows: "row", columns: "column" };

export const words = {
  bar: "Query",
  rows: "Rows",
  columns: "Columns",
  base: "Base",
  bases: (n: number) => `${count(n)} bases`,
  waves: "Waves",
  locations: "Locations",
  weight: "Weight",
  unweighted: "Unweighted",
  weightHint: "The weight of the survey by which respondents are counted",
  all: "All respondents",
  whoCounts: "Who counts",
  who: { valid: "Those who answered", everyone: "Everyone" },
  whoMeans: {
    valid:
      "A cell counts respondents with an answer to the questions of its row and its column; in multiple questions, those who were asked.",
    everyone: "A cell counts everyone in the base, with an answer or without.",
  },
  whoUsual: (who: string) => `The default of this survey is: ${who}.`,
  whoFixed:
    "This service counts everyone in the base. To leave out those without an answer, use a question as the base.",
  answered: (base: string) => `${base} who answered`,
  baseAlone: "none (base only)",
  more: (n: number) => `and ${count(n)} more`,
  latestFour: "latest 4",
  everywhere: "everywhere",
  several: {
    waves: (n: number) => plural(n, "wave"),
    locations: (n: number) => plural(n, "location"),
  },
  items: (axis: Axis, n: number) => plural(n, one[axis]),
  add: { rows: "Add rows", columns: "Add columns" } satisfies Record<Axis, string>,
  /** The accessible name contains the visible text in its order. */
  change: (what: string, now: string, items: number) =>
    `${what}: ${now}${items > 1 ? ` ${count(items)}` : ""}. Change`,
  undo: (part: string | null) => (part ? `Undo: ${changed(part)}` : "Nothing to undo"),
  redo: (part: string | null) => (part ? `Redo: ${changed(part)}` : "Nothing to redo"),
  undone: "Undone",
  redone: "Redone",
  added: (axis: "row" | "column", n: number, name: string) =>
    n === 1 ? `Added: ${name}` : `${plural(n, axis)} added, from ${name}`,
  applied: "Query updated, recalculating",
  dismiss: "Dismiss",
  sources: "Source",
  questions: "Questions",
  saved: "Saved audiences",
  noneSaved: "No audiences are saved on this service.",
  findSaved: "Find a saved audience",
  loading: "Loading questions …",
  hows: { split: "Separate", and: "All (AND)", or: "Any (OR)", nest: "Nest" } satisfies Record<
    How,
    string
  >,
  howHints: {
    split: "One row or column for each answer and each audience",
    and: "One row or column: people to whom all of it applies; answers to one question are alternatives",
    or: "One row or column: people to whom any of it applies",
    nest: "All present ones within each answer; several questions: each within the one before",
  } satisfies Record<How, string>,
  how: "How to add",
  grids: "What a grid becomes",
  showAs: (form: string) => `Show as: ${form.toLocaleLowerCase()}`,
  bins: "Bins …",
  edges: "Edges of the bins, such as 18, 35",
  addItems: (axis: Axis, n: number) => (n === 0 ? "Add" : `Add ${plural(n, one[axis])}`),
  nestItems: (n: number) => (n === 0 ? "Nest" : `Nest under ${count(n)}`),
  cancel: "Cancel",
  apply: "Apply",
  /** The waves of a query that names none: the client's time window, or the latest 4. */
  windowButton: (window: string) =>
    window ? `${window[0]?.toLocaleUpperCase()}${window.slice(1)}` : "Latest 4",
  allButton: "All",
  lastFour: "Latest 4",
  waveColumns: "In columns",
  changes: "± wave before",
  changesHint: "Change since the wave before",
  everywhereButton: "Everywhere",
  find: (what: string) => `Find: ${what.toLocaleLowerCase()}`,
  otherWaves: "Other",
  inAxis: (axis: Axis) => `${words[axis]} of the query`,
  remove: (name: string) => `Remove ${name}`,
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  removeAll: "Remove all",
  begin: "Add rows and columns with +: questions, answers or saved audiences.",
  emptyAxis: (axis: Axis) => `No ${axis} yet: the table shows the base.`,
  netMark: "net",
  addMean: "Add mean row",
  addMeanOf: (name: string) => `Add mean row: ${name}`,
  addMeanHint: "The mean of the question's numbers, or of its answers' amounts",
  moreBlocks: (n: number) => `and ${count(n)} more; edit these in the table or in Python`,
  useAsBase: "Use as base",
  addBase: "Add as another base",
  addBaseHint: "Bases side by side: each has all columns, with an index of its own",

  verbs: { net: "Net", merge: "Merge", nest: "Nest …", rename: "Rename …", remove: "Remove" },
  hints: {
    net: "Add a subtotal after the selected ones and keep them",
    merge: "Join the selected ones into one, such as 18–34",
    nest: "Count the selected ones within each of other audiences",
  },
  newName: "New name",
  net: (axis: Axis, n: number) => `Net of ${plural(n, one[axis])}`,
  joinInto: (name: string) => `Join into ${name}`,
  merge: (axis: Axis, n: number) => `Merge ${plural(n, one[axis])}`,
  removeItems: (axis: Axis, n: number) => `Remove ${n > 1 ? plural(n, one[axis]) : one[axis]}`,
  removeBase: "Remove this base",
  boxes: "Top 2 and bottom 2",
  isBase: "To change the base, use Base in the query bar",
  selectMore: (axis: Axis) => `Select two or more ${axis}`,
  selectOne: (axis: Axis) => `Select one ${one[axis]} to rename it`,
  selection: (axis: Axis) => `Selected ${axis}`,
  hide: "Hide",
  clearSelection: "Clear the selection (Escape)",
} as const;

function changed(part: string): string {
  if (part === "statistics") return "means";
  return part.startsWith("base_") ? "base" : part;
}
