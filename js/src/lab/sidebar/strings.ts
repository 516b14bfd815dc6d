/** UI strings of the audiences sidebar. */
import { count, plural } from "../../ui/strings";
import type { Check, Connection, FoundSurvey } from "../server";
import type { Section } from "./memory";

export const words = {
  title: "Audiences",
  sections: {
    catalogue: "Questions",
    saved: "Saved",
    surveys: "Surveys",
  } satisfies Record<Section, string>,
  sectionList: "What to look through",

  survey: (title: string) => `Survey: ${title}. Choose another`,
  noSurvey: "No survey",
  loading: "Looking for surveys …",
  checkNow: "Check the connection",
  lookAgain: "Look again",
  statuses: {
    ready: "Ready",
    "no credential": "No credential",
    refused: "Refused",
    unreachable: "Not reached",
    broken: "Not working",
  } satisfies Record<Check["status"], string>,
  checking: "Checking …",
  unchecked: "Not checked",
  /** The catalogue below shows the number of questions. */
  holds: ({ waves }: Check) => (waves === undefined ? "" : plural(waves, "wave")),
  credential: ({ credential: { place } }: Connection) =>
    place ? `Credential: ${place}` : "Credential found",
  /** The remedy is shown once it is selected. */
  noCredential: "No credential yet",
  kinds: {
    demo: "Demo survey",
    survey: "Survey",
    deployment: "Deployment",
    snapshot: "Recording",
  } satisfies Record<Connection["kind"], string>,

  chooser: "Choose a survey",
  surveys: "Surveys",
  surveysHere: "Surveys in this folder",
  addDeployment: "Add a deployment",
  addHow:
    "Fill in both, run the command in a terminal where Jupyter runs, then look again. It says where the token goes; a token is never written here.",
  name: "Name",
  nameHint: "tracker",
  nameWrong: "Letters, digits, dots, dashes and underscores, beginning with a letter or digit.",
  address: "Address",
  addressHint: "https://audiences.example.org",
  addressWrong: "An address that begins with https://, or http:// for this machine.",
  copyCommand: "Copy the command",

  pickHint: "What you pick can be inserted here; questions and answers can be dragged, too.",
  pickedBar: "What is picked, for the notebook",
  asStats: "Stats",
  asCrosstab: "Crosstab",
  asAudience: "Audience",
  insertAs: (what: string) =>
    `Insert as ${what} below the chosen cell (with Shift: and run it); or drag it into the notebook`,
  whats: { question: "stats", crosstab: "a crosstab", audience: "an audience" },
  copyCode: "Copy the code",
  menuOf: (name: string) => `Put ${name} into the notebook`,
  menu: {
    question: "Insert as stats",
    crosstab: "Insert as crosstab",
    audience: "Insert audience",
    copy: "Copy code",
  },
  inserted: "Inserted into the notebook",
  insertedAndRun: "Inserted into the notebook, where it runs",
  pickedLabel: (n: number) => plural(n, "picked question"),

  find: {
    saved: "Search saved audiences",
    surveys: "Search surveys",
  },
  savedList: "Saved audiences",
  savedLoading: "Loading saved audiences",
  noneSaved:
    "No audience is saved here. Save one in an audience editor, or with client.service.save_audience in a cell.",
  size: (size: number, sample: number) =>
    `${count(Math.round(size))} people, from ${plural(sample, "respondent")}`,
  insert: (name: string) => `Insert ${name}`,
  copy: (name: string) => `Copy the code of ${name}`,
  surveyList: "Surveys",
  surveysLoading: "Looking for surveys",
  noSurveys:
    "There is no survey in this folder. “audiencelab import” makes one of an SPSS or CSV file; then look again.",
  surveyOf: ({ respondents, waves }: FoundSurvey) =>
    `${plural(respondents, "respondent")}, ${plural(waves, "wave")}`,
  open: (title: string) => `Use ${title}`,
  newNotebook: "New audience notebook",
} as const;
