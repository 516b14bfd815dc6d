/** UI strings of the question picker. */
import { count, plural } from "../ui/strings";

export const strings = {
  search: "Search questions and answers",
  clearSearch: "Clear search",
  tree: "Questions and answers",
  loading: "Loading the catalogue",
  failed: (message: string) => `The catalogue could not be loaded: ${message}`,
  all: (questions: number, answers: number) =>
    `${plural(questions, "question")}, ${plural(answers, "answer")}`,
  found: (questions: number, matching: number) =>
    matching > 0
      ? `${plural(questions, "question")}, ${plural(matching, "matching answer")}`
      : plural(questions, "question"),
  nothing: (query: string) =>
    query
      ? `Nothing matches “${query}”. Try fewer or shorter words, or fewer filters; names, codes and descriptions are searched.`
      : "No question passes these filters.",
  noExact: (query: string) => `Nothing matches “${query}” exactly.`,
  noQuestions: "This catalogue has no questions.",
  recent: "Recently used",
  pickMatches: (n: number, questions: boolean) =>
    n === 1
      ? `Pick the only ${questions ? "question" : "answer"}`
      : `Pick all ${plural(n, questions ? "question" : "answer")}`,
  unpickMatches: (n: number, questions: boolean) =>
    n === 1
      ? `Unpick the only ${questions ? "question" : "answer"}`
      : `Unpick all ${plural(n, questions ? "question" : "answer")}`,
  pickHint: "Alt+Enter",
  tooMany: (n: number, questions: boolean) =>
    `${count(n)} ${questions ? "questions" : "answers"} are too many to pick at one stroke. Narrow them down first.`,
  manyPicked: (n: number, questions: boolean) =>
    `${plural(n, questions ? "question" : "answer")} picked at one stroke.`,
  manyUnpicked: (n: number, questions: boolean) =>
    `${plural(n, questions ? "question" : "answer")} let go at one stroke.`,
  pickBelow: "Pick all below",
  pickedMany: (n: number) => `${plural(n, "answer")} picked in all.`,
  filter: "Filter",
  filters: (n: number) => (n > 0 ? `Filter, ${plural(n, "choice")} made` : "Filter"),
  clearFilters: "Clear filters",
  dropFilter: (label: string) => `No longer filter by ${label}`,
  facets: {
    access: "Access",
    kind: "Answers are",
    suffixes: "Suffixes",
    dataset: "Dataset",
    namespace: "Namespace",
    wave: "Asked in each of",
  },
  facetValues: {
    open: "included in your access",
    locked: "not included",
    answers: "choices",
    numbers: "numbers, with a mean",
    with: "with suffixes",
    without: "without suffixes",
  } as Readonly<Record<string, string>>,
  coverageLoading: "Counting in which waves questions were asked …",
  showWaves: "Choose waves …",
  locked: "Not included in your access",
  lockedWhy: (name: string) =>
    `“${name}” is not included in your access, so it cannot be picked. Whoever runs the service can add it.`,
  details: "Details",
  detailsHint: "Move to a question to read about it.",
  picked: (questions: number, datapoints: number) =>
    `${plural(datapoints, "answer")} of ${plural(questions, "question")} picked`,
  nonePicked: "Nothing picked yet. Tick answers, or a question for all of its answers.",
  noneQuestions: "Nothing picked yet. Tick the questions you want.",
  nobodyPicked: "Nobody chosen yet. Tick answers; people must give one for each question.",
  allApply: "All of these apply",
  pickedList: "Picked",
  clear: "Clear",
  undo: "Undo",
  redo: "Redo",
  copyCode: "Copy as Python code",
  size: (size: number, percentage: number | null, sample: number) =>
    `${count(Math.round(size))} people${percentage === null ? "" : `, ${percentage.toFixed(1)}% of all`}, from ${plural(sample, "respondent")}`,
  sizing: "Counting …",
  remove: (name: string) => `Remove ${name}`,
  show: (name: string) => `Show ${name} in the tree`,
  moveHint: "Alt with the arrow keys moves it, Delete removes it; or drag it",
  movedTo: (name: string, place: number, all: number) => `${name} is now ${place} of ${all}.`,
  more: (n: number) => `and ${plural(n, "more question")}`,
  allAnswers: (n: number) => (n > 0 ? `all ${count(n)} answers` : "any answer"),
  someAnswers: (n: number, all: number) => `${count(n)} of ${count(all)} answers`,
  added: (name: string, n: number) => `${name} picked. ${plural(n, "answer")} in all.`,
  removed: (name: string, n: number) => `${name} removed. ${plural(n, "answer")} in all.`,
  suffixes: "Count answers given with",
  anySuffix: "any suffix",
  suffixesOf: (name: string) => `Suffixes of ${name}`,
  knowledge: "Background",
  unit: "Unit",
  datasets: "Datasets",
  base: "Base",
  baseSize: (size: number, sample: number) =>
    `${count(Math.round(size))} people, ${plural(sample, "respondent")}`,
  shares: "Shares of answers",
  moreShares: (n: number) => `${plural(n, "answer")} with smaller shares`,
  percent: (share: number) => `${share.toFixed(1)}%`,
  waves: "Asked in",
  askedIn: (waves: readonly string[], all: number) => {
    if (waves.length === 0) return "none of the accessible waves";
    if (waves.length < all || all === 1) return waves.join(", ");
    return `all ${count(all)} waves, ${waves[0]} to ${waves.at(-1)}`;
  },
  help: "Keys",
  keys: [
    ["↑ ↓", "Walk through the tree"],
    ["→ ←", "Open and go in, close and go out"],
    ["Space or Enter", "Pick what is marked"],
    ["Space on a category", "Pick all that is below it; Enter opens it"],
    ["Enter in the search", "Go to the first match"],
    ["Alt+Enter", "Pick all matches"],
    ["Page ↑ ↓, Home, End", "Go far"],
    ["Ctrl+Z, Ctrl+Shift+Z", "Undo and redo"],
    ["Alt+arrows on a picked question", "Move it"],
    ["Delete on a picked question", "Remove it"],
    ["Esc", "Empty the search, then back to the notebook"],
    ["?", "This help"],
  ],
  unknown: "not in this catalogue",
} as const;
