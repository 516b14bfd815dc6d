/** Every word the editor says, in one table, ready for translation. */
import { count, plural } from "../../shared/strings";

const listed = (codes: readonly string[]) =>
  codes.length > 3
    ? `${codes.slice(0, 3).join(", ")} and ${codes.length - 3} more`
    : codes.join(", ");

export const words = {
  editor: "Audience editor",
  tree: "Conditions of the audience",
  unnamed: "Name this audience",
  name: "Audience name",
  undo: (what: string | undefined) => (what ? `Undo: ${what}` : "Nothing to undo"),
  redo: (what: string | undefined) => (what ? `Redo: ${what}` : "Nothing to redo"),
  everyone: "Everyone. Add a condition to narrow the audience down.",
  columns: {
    condition: "Who",
    size: "Size",
    sample: "Sample",
    percentage: "% of base",
    waves: "Waves",
  },
  base: (name: string, size: number, sample: number) =>
    `Base: ${name} · ${count(Math.round(size))} people · sample ${count(sample)}`,

  where: "where",
  and: "and",
  or: "or",
  not: "not",
  switches: { and: "AND", or: "OR" },
  joins: { and: "All must hold", or: "One is enough" },
  operatorOf: "How the conditions of this group combine",
  notHint: "Everyone except these",
  all: "everyone",
  group: (n: number) => (n === 0 ? "empty group" : plural(n, "condition")),
  expand: "Show the conditions of this group",
  collapse: "Hide the conditions of this group",

  quantifiers: { any: "any of", all: "all of", at_least: "at least" },
  quantifier: "How many of the answers must hold",
  howMany: "At least this many answers",
  ofThem: "of",
  atLeast: (n: number) => `at least ${count(n)} of`,
  anyAnswer: "any answer",
  noAnswers: "no answers chosen",
  waveQuestion: "Wave",
  chooseAnswers: "Choose answers",
  editAnswers: (question: string) => `Choose answers of ${question}`,
  removeAnswer: (name: string) => `Remove the answer ${name}`,
  moreAnswers: (n: number) => `+${count(n)} more`,
  findAnswer: "Find an answer",
  noAnswerFound: "No answer has these words.",
  everyAnswer: "Any answer of this question",
  answers: "Answers",
  suffixes: "Given as",
  given: "given as",
  suffixesOf: (names: readonly string[]) => names.join(" or "),
  done: "Done",

  addCondition: "Add condition",
  addGroup: "Add group",
  addConditionIn: "Add a condition to this group",
  chosen: (n: number) => (n === 0 ? "Tick answers, or a question for any answer" : ""),
  add: (n: number) => (n > 1 ? `Add ${plural(n, "condition")}` : "Add"),
  addHint: "Ctrl+Enter",
  cancel: "Cancel",
  loadingCatalogue: "Loading the catalogue …",
  catalogueFailed: (why: string) => `The catalogue could not be loaded: ${why}`,
  menu: "Actions",
  menuOf: (what: string) => `Actions for ${what}`,

  actions: {
    edit: "Choose answers …",
    notOn: "Negate (not)",
    notOff: "Do not negate",
    clone: "Duplicate",
    wrap: "Put in a group",
    ungroup: "Ungroup",
    up: "Move up",
    down: "Move down",
    out: "Move out of the group",
    in: "Move into the next group",
    addCondition: "Add condition …",
    addGroup: "Add group",
    remove: "Remove",
    removeAll: "Remove all conditions",
  },

  /** What a step of the history did. */
  steps: {
    name: "rename",
    not: "change NOT",
    operator: "switch AND/OR",
    answers: "choose answers",
    suffixes: "choose how it was given",
    quantifier: "change how many must hold",
    addCondition: "add condition",
    addGroup: "add group",
    remove: "remove",
    clone: "duplicate",
    wrap: "put in a group",
    ungroup: "ungroup",
    move: "move",
    fix: "put right",
  },
  undone: (what: string) => `Undone: ${what}`,
  redone: (what: string) => `Redone: ${what}`,
  moved: (position: number, siblings: number) =>
    `Moved to place ${position} of ${siblings} in its group`,
  removed: (what: string) => `Removed ${what}. Undo brings it back.`,

  faults: {
    emptyGroup: "This group is empty: add a condition or remove it.",
    notEveryone: "Not everyone is nobody: add a condition or switch NOT off.",
    noDatapoints: "Choose at least one answer.",
    unlistedAll: "“All of” needs the answers by name: choose them, or say how many must hold.",
    countTooSmall: "The number must be a whole number of at least 1.",
    countTooBig: (n: number, most: number) =>
      `At least ${count(n)} of ${plural(most, "answer")} can never hold: choose more answers or lower the number.`,
    unknownQuestion: (code: string) => `The catalogue has no question ${code}: choose another.`,
    inaccessible: "You may not use this question: choose another, or ask for access.",
    unknownDatapoint: (codes: readonly string[]) => `This question has no answer ${listed(codes)}.`,
    unknownSuffix: (codes: readonly string[]) => `This question has no suffix ${listed(codes)}.`,
  },
  fixes: {
    removeNot: "Switch NOT off",
    dropUnknown: "Remove them",
    setCount: (n: number) => `Set to ${count(n)}`,
  },

  warnings: {
    noWave: "Its questions share no wave: nobody can be counted.",
    nobody: "Nobody belongs here.",
    everybody: "Everybody in the base belongs here.",
    tooFew: (n: number) => `Only ${plural(n, "respondent")}: too few to report.`,
    few: (n: number) => `${plural(n, "respondent")}: read with care.`,
  },
  waves: (names: readonly string[], all: number) =>
    names.length === 0 ? "In no wave" : `In ${names.length} of ${all} waves: ${names.join(", ")}`,
  measureFailed: (why: string) => `The numbers could not be counted: ${why}`,

  sentence: "In words",
  code: "Python",
  copySentence: "Copy the sentence",
  copyCode: "Copy the code",
  copyFailed: "The browser did not let it be copied.",
  unfinished: "Unfinished: the sentence and the code are those of the last complete audience.",
} as const;
