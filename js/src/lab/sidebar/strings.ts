/** UI strings of the audiences sidebar, which load with its page. */
import { plural, written } from "../../core/numbers";
import type { ConnectionCheck, ConnectionRecord, FolderSurvey } from "../../protocol";
import type { Section } from "./memory";

export const words = {
  sections: {
    catalogue: "Questions",
    saved: "Saved",
    surveys: "Surveys",
  } satisfies Record<Section, string>,
  sectionList: "Sections",

  survey: (title: string) => `Survey: ${title}. Choose another`,
  loading: "Loading surveys …",
  checkNow: "Check the connection",
  lookAgain: "Refresh",
  statuses: {
    ready: "Ready",
    "no credential": "No credential",
    refused: "Refused",
    unreachable: "Unreachable",
    broken: "Error",
  } satisfies Record<ConnectionCheck["status"], string>,
  checking: "Checking …",
  unchecked: "Not checked",
  /** The catalogue below shows the number of questions. */
  holds: ({ waves }: ConnectionCheck) => plural(waves, "wave"),
  credential: ({ credential: { location } }: ConnectionRecord) =>
    location ? `Credential: ${location}` : "Credential found",
  /** The remedy is shown once it is selected. */
  noCredential: "No credential yet",
  kinds: {
    demo: "Demo survey",
    survey: "Survey",
    deployment: "Remote service",
    snapshot: "Recording",
  } satisfies Record<ConnectionRecord["kind"], string>,

  chooser: "Choose a survey",
  surveys: "Surveys",
  surveysHere: "Surveys in this folder",
  addService: "Add a remote service",
  addHow:
    "Fill in both fields, run the command in a terminal where Jupyter runs, then refresh. It prints where to store the token; never enter a token here.",
  name: "Name",
  nameHint: "tracker",
  nameWrong: "Letters, digits, dots, dashes and underscores, starting with a letter or digit.",
  address: "Address",
  addressHint: "https://audiences.example.org",
  addressWrong: "An address that starts with https://, or http:// for this machine.",
  copyCommand: "Copy the command",

  pickHint: "Insert picked questions with these buttons, or drag them into a notebook.",
  pickedBar: "Insert the picked questions",
  asStats: "Stats",
  asCrosstab: "Crosstab",
  asAudience: "Audience",
  insertAs: (what: string) =>
    `Insert as ${what} below the selected cell (with Shift: run it), or drag it into the notebook`,
  whats: { question: "stats", crosstab: "a crosstab", audience: "an audience" },
  copyCode: "Copy the code",
  menuOf: (name: string) => `Insert ${name} into the notebook`,
  menuCopy: "Copy code",
  inserted: "Inserted into the notebook",
  insertedAndRun: "Inserted into the notebook and running",
  pickedLabel: (n: number) => plural(n, "picked question"),

  find: {
    saved: "Search saved audiences",
    surveys: "Search surveys",
  },
  savedList: "Saved audiences",
  savedLoading: "Loading saved audiences",
  noneSaved: "No saved audiences. Save one in an audience editor.",
  size: (size: number, sample: number) =>
    `${written(size, 0)} people, from ${plural(sample, "respondent")}`,
  insert: (name: string) => `Insert ${name}`,
  copy: (name: string) => `Copy the code of ${name}`,
  surveyList: "Surveys",
  surveysLoading: "Loading surveys",
  noSurveys:
    "No surveys or data files in this folder. Drop one here (SPSS, Stata, SAS, Excel, CSV, Parquet) to see its first table.",
  surveyOf: ({ kind, respondents, waves, size }: FolderSurvey) =>
    kind === "file"
      ? fileSize(size)
      : `${plural(respondents, "respondent")}, ${plural(waves, "wave")}`,
  open: (title: string) => `Open ${title} in a tab`,
  newNotebook: "New audience notebook",
} as const;

function fileSize(bytes: number): string {
  if (bytes < 1e6) return `${written(Math.ceil(bytes / 1000), 0)} kB`;
  return `${written(bytes / 1e6, bytes < 1e7 ? 1 : 0)} MB`;
}
