/** The words of the question bar, in one table, ready for translation. */
import { count, plural } from "../../../shared/strings";
import type { Axis, How } from "./protocol";

const one: Record<Axis, string> = { rows: "row", columns: "column" };

export const words = {
  bar: "What is counted",
  rows: "Rows",
  columns: "Columns",
  base: "Base",
  bases: (n: number) => `${count(n)} bases`,
  waves: "Waves",
  locations: "Locations",
  everyone: "Everyone",
  baseAlone: "the base alone",
  more: (n: number) => `and ${count(n)} more`,
  lastFour: "last four",
  everywhere: "everywhere",
  several: {
    waves: (n: number) => plural(n, "wave"),
    locations: (n: number) => plural(n, "location"),
  },
  lines: (axis: Axis, n: number) => plural(n, one[axis]),
  add: { rows: "Add rows", columns: "Add columns" } satisfies Record<Axis, string>,
  /** All that the button shows, in its order, so that it can be called by what is seen. */
  change: (what: string, now: string, lines: number) =>
    `${what}: ${now}${lines > 1 ? ` ${lines.toLocaleString("en")}` : ""}. Change`,
  undo: (part: string | null) => (part ? `Undo: ${changed(part)}` : "Nothing to undo"),
  redo: (part: string | null) => (part ? `Redo: ${changed(part)}` : "Nothing to redo"),
  undone: "Taken back",
  redone: "Made again",
  applied: "Changed; the table is counted anew",
  dismiss: "Dismiss",
  sources: "Where from",
  questions: "Questions",
  saved: "Saved audiences",
  noneSaved: "No audiences are saved on this service.",
  noneFound: "No audience is called so.",
  findSaved: "Find a saved audience",
  loading: "The questions are coming …",
  hows: {
    split: "one each",
    and: "all of them",
    or: "any of them",
    nest: "nest under each",
  } satisfies Record<How, string>,
  howHints: {
    split: "Each answer and each audience becomes a line of its own",
    and: "One line: people to whom all of it applies. Answers to one question are alternatives",
    or: "One line: people to whom any of it applies",
    nest: "All lines that are there, within each of these, which stand over them as heads",
  } satisfies Record<How, string>,
  how: "How they are added",
  addLines: (axis: Axis, n: number) => (n === 0 ? "Add" : `Add ${plural(n, one[axis])}`),
  nestLines: (n: number) => (n === 0 ? "Nest" : `Nest under ${count(n)}`),
  cancel: "Cancel",
  apply: "Apply",
  lastFourButton: "Last four",
  allButton: "All",
  everywhereButton: "Everywhere",
  find: (what: string) => `Find: ${what.toLocaleLowerCase()}`,
  otherWaves: "Other",
  inSide: (axis: Axis) => `What the ${axis} are`,
  remove: (name: string) => `Remove ${name}`,
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  removeAll: "Remove all",
  begin: "Add rows and columns by the plus beside them: questions, answers or saved audiences.",
  emptySide: (axis: Axis) => `No ${axis} yet: the base stands alone.`,
  net: "net",
  moreBlocks: (n: number) => `and ${count(n)} more, to be edited in the table or in Python`,
  useAsBase: "Use as base",
  besideOthers: "Add beside",
  besideHint:
    "Another base beside those there are: all columns stand under each, with its own index",
  line: {
    rename: "Rename …",
    renameTo: "New name",
    remove: (n: number) => `Remove ${n > 1 ? `${plural(n, "line")} ` : ""}from the question`,
    removeBase: "Remove this base",
    net: (n: number) => `Net of ${plural(n, "line")}`,
    boxesLow: "Top 2 and bottom 2 (the first is lowest)",
    boxesHigh: "Top 2 and bottom 2 (the first is highest)",
    nest: "Nest under …",
  },
} as const;

function changed(part: string): string {
  const known: Record<string, string> = { base_audience: "base" };
  return known[part] ?? part;
}
