/**
 * A small catalogue for tests: two levels of categories, a grid, a locked question, one without
 * category.
 */
import { Catalogue, type QuestionRecord, type QuestionWaves } from "../../src/catalogue/model";

function question(code: string, name: string, more: Partial<QuestionRecord>): QuestionRecord {
  return {
    code,
    canonical: code.includes(".") ? code : `core.${code}`,
    name,
    description: "",
    accessible: true,
    numeric: false,
    own_numbers: false,
    categories: [],
    datasets: ["lives"],
    datapoints: { codes: [], names: [] },
    suffixes: { codes: [], names: [] },
    ...more,
  };
}

const answers = (code: string, names: string[]) => ({
  codes: names.map((_, at) => `${code}_${at + 1}`),
  names,
});

export function smallCatalogue(): Catalogue {
  return new Catalogue(
    [
      { id: "1", name: "Demographics", parent: -1 },
      { id: "2", name: "Media", parent: -1 },
      { id: "3", name: "Social media", parent: 1 },
      { id: "4", name: "Empty shelf", parent: 1 },
    ],
    [
      question("q2", "Gender", { categories: [0], datapoints: answers("q2", ["Female", "Male"]) }),
      question("q4", "Age", {
        description: "How old were you on your last birthday?",
        numeric: true,
        categories: [0],
        datapoints: answers("q4", ["16 to 17", "18 to 24", "25 to 34"]),
      }),
      question("q20", "Social platforms used", {
        categories: [2],
        datasets: ["lives", "screens"],
        datapoints: answers("q20", ["Photogram", "Chirper", "Videotube"]),
        suffixes: { codes: ["1", "2"], names: ["Daily", "Weekly"] },
      }),
      question("panel2.q7", "Income", {
        accessible: false,
        datasets: ["screens"],
        categories: [0, 1],
        datapoints: answers("q7", ["Low", "High"]),
      }),
      question("q99", "Remarks", { datapoints: answers("q99", ["<img onerror=alert(1)>"]) }),
    ],
    [
      { code: "lives", name: "Everyday lives" },
      { code: "screens", name: "Screens" },
    ],
  );
}

/** Gender was asked in every wave, age in the last only, platforms in the first only. */
export const COVERAGE: QuestionWaves = {
  waves: [
    { code: "w1", name: "Spring" },
    { code: "w2", name: "Autumn" },
  ],
  asked: { "core.q2": "11", "core.q4": "01", "core.q20": "10", "core.q99": "00" },
};
