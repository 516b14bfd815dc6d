/** Every word of the question picker. */
import { count, plural } from "../../shared/strings";

export const strings = {
  search: "Search questions and answers",
  clearSearch: "Clear search",
  tree: "Questions and answers",
  loading: "Loading the catalogue",
  failed: (message: string) => `The catalogue could not be loaded: ${message}`,
  found: (questions: number, datapoints: number) =>
    datapoints > 0
      ? `${plural(questions, "question")}, ${plural(datapoints, "answer")}`
      : plural(questions, "question"),
  size: (questions: number, datapoints: number) =>
    `${plural(questions, "question")}, ${plural(datapoints, "answer")}`,
  nothing: (query: string) =>
    `Nothing matches “${query}”. Try fewer or shorter words; names and codes are searched.`,
  noQuestions: "This catalogue has no questions.",
  locked: "Not included in your access",
  lockedWhy: (name: string) =>
    `“${name}” is not included in your access, so it cannot be picked. Whoever runs the service can add it.`,
  details: "Details",
  detailsHint: "Move to a question to read about it.",
  picked: (questions: number, datapoints: number) =>
    `${plural(datapoints, "answer")} of ${plural(questions, "question")} picked`,
  nonePicked: "Nothing picked yet. Tick answers, or a question for all of its answers.",
  noneQuestions: "Nothing picked yet. Tick the questions you want.",
  clear: "Clear",
  remove: (name: string) => `Remove ${name}`,
  allAnswers: (n: number) => (n > 0 ? `all ${count(n)} answers` : "any answer"),
  someAnswers: (n: number, all: number) => `${count(n)} of ${count(all)} answers`,
  more: (n: number) => `+${count(n)}`,
  added: (name: string, n: number) => `${name} picked. ${plural(n, "answer")} in all.`,
  removed: (name: string, n: number) => `${name} removed. ${plural(n, "answer")} in all.`,
  suffixes: "Count answers given with",
  anySuffix: "any suffix",
  suffixesOf: (name: string) => `Suffixes of ${name}`,
  code: "Code",
  description: "Description",
  knowledge: "Background",
  unit: "Unit",
  datasets: "Datasets",
  waves: "Asked in",
  askedIn: (waves: string[], all: number) => {
    if (waves.length === 0) return "none of the accessible waves";
    if (waves.length < all || all === 1) return waves.join(", ");
    return `all ${count(all)} waves, ${waves[0]} to ${waves.at(-1)}`;
  },
  unknown: "not in this catalogue",
} as const;
