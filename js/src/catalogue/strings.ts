/** UI strings of the question picker. */
import { count, percent, plural, written } from "../core/numbers";

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
      ? `Nothing matches “${query}”. Try fewer words or filters.`
      : "No question passes these filters.",
  some: (questions: number, query: string) =>
    `Nothing has all of “${query}”; ${plural(questions, "question")} with some of it`,
  noExact: (query: string) => `Nothing matches “${query}” exactly.`,
  noQuestions: "This catalogue has no questions.",
  recent: "Recently used",
  pickMatches: (n: number, questions: boolean) =>
    n === 1
      ? `Pick this ${questions ? "question" : "answer"}`
      : `Pick all ${plural(n, questions ? "question" : "answer")}`,
  unpickMatches: (n: number, questions: boolean) =>
    n === 1
      ? `Remove this ${questions ? "question" : "answer"}`
      : `Remove all ${plural(n, questions ? "question" : "answer")}`,
  pickHint: "Alt+Enter",
  tooMany: (n: number, questions: boolean) =>
    `${count(n)} ${questions ? "questions" : "answers"} are too many to pick at once. Narrow the search.`,
  manyPicked: (n: number, questions: boolean) =>
    `${plural(n, questions ? "question" : "answer")} picked at once.`,
  manyUnpicked: (n: number, questions: boolean) =>
    `${plural(n, questions ? "question" : "answer")} removed at once.`,
  pickBelow: "Pick all below",
  pickedMany: (n: number) => `${plural(n, "answer")} picked in total.`,
  filter: "Filter",
  filters: (n: number) => (n > 0 ? `Filter, ${count(n)} selected` : "Filter"),
  clearFilters: "Clear filters",
  dropFilter: (label: string) => `Remove filter: ${label}`,
  facets: {
    access: "Access",
    kind: "Answers",
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
  coverageLoading: "Loading waves …",
  showWaves: "Choose waves …",
  locked: "Not included in your access",
  lockedWhy: (name: string) =>
    `Your access does not include “${name}”. Ask the operator of the service.`,
  details: "Details",
  detailsHint: "Move to a question to see its details.",
  picked: (questions: number, datapoints: number) =>
    `${plural(datapoints, "answer")} of ${plural(questions, "question")} picked`,
  nonePicked: "Tick answers, or a question for all its answers.",
  noneQuestions: "Tick questions.",
  nobodyPicked: "Tick answers; respondents must give one for each question.",
  allApply: "All of these apply",
  pickedList: "Picked",
  clear: "Clear",
  undo: "Undo",
  redo: "Redo",
  copyCode: "Copy as Python code",
  size: (size: number, percentage: number | null, sample: number) =>
    `${written(size, 0)} people${percentage === null ? "" : `, ${percent(percentage)} of all`}, from ${plural(sample, "respondent")}`,
  sizing: "Counting …",
  remove: (name: string) => `Remove ${name}`,
  show: (name: string) => `Show ${name} in the tree`,
  moveHint: "Alt with the arrow keys moves it, Delete removes it; or drag it",
  movedTo: (name: string, position: number, all: number) => `${name} is now ${position} of ${all}.`,
  more: (n: number) => `and ${plural(n, "more question")}`,
  allAnswers: (n: number) => (n > 0 ? `all ${count(n)} answers` : "any answer"),
  someAnswers: (n: number, all: number) => `${count(n)} of ${count(all)} answers`,
  added: (name: string, n: number) => `${name} picked. ${plural(n, "answer")} in total.`,
  removed: (name: string, n: number) => `${name} removed. ${plural(n, "answer")} in total.`,
  suffixes: "Points of the scale that count together",
  anySuffix: "all points",
  suffixesOf: (name: string) => `Points of the scale of ${name}`,
  knowledge: "Background",
  unit: "Unit",
  datasets: "Datasets",
  base: "Base",
  baseSize: (base: string, size: number, sample: number, least: number) =>
    `${base}: ${written(size, 0)} people, ${
      least < sample ? `${count(least)} to ` : ""
    }${plural(sample, "respondent")}`,
  offered: (waves: readonly string[]) =>
    waves.length > 0 ? `offered in ${waves.join(", ")} only` : "not offered",
  shares: "Shares of answers",
  items: "Distribution of each item",
  moreItems: (n: number) => `${plural(n, "more item")}`,
  moreShares: (n: number) => `${plural(n, "answer")} with smaller shares`,
  waves: "Asked in",
  askedIn: (waves: readonly string[], all: number) => {
    if (waves.length === 0) return "none of the accessible waves";
    if (waves.length < all || all === 1) return waves.join(", ");
    return `all ${count(all)} waves, ${waves[0]} to ${waves.at(-1)}`;
  },
  help: "Keys",
  keys: [
    ["↑ ↓", "Move through the tree"],
    ["→ ←", "Expand and enter, collapse and leave"],
    ["Space or Enter", "Pick the highlighted row"],
    ["Space on a category", "Pick all below it; Enter expands it"],
    ["Enter in the search", "Go to the first match"],
    ["Alt+Enter", "Pick all matches"],
    ["Page ↑ ↓, Home, End", "Move by a page, to the first or last row"],
    ["Ctrl+Z, Ctrl+Shift+Z", "Undo and redo"],
    ["Alt+arrows on a picked question", "Move it"],
    ["Delete on a picked question", "Remove it"],
    ["Esc", "Clear the search, return to the notebook"],
    ["?", "These shortcuts"],
  ],
  unknown: "not in this catalogue",
} as const;
