/**
 * Facets narrow the catalogue before a search. Each facet gives a question its values; a question
 * passes when it has one of the selected values in every facet, and was asked in all selected
 * waves. Pure.
 */
import type { Catalogue, QuestionRecord, QuestionWaves } from "./model";

export const FACETS = ["access", "kind", "suffixes", "dataset", "namespace", "wave"] as const;
export type Facet = (typeof FACETS)[number];

/** The selected values of each facet; a facet without any does not filter. */
export type Chosen = Readonly<Partial<Record<Facet, readonly string[]>>>;

export interface FacetValue {
  value: string;
  /** Questions that have this value and pass all other facets. */
  count: number;
  chosen: boolean;
}

type ValuesOf = (question: QuestionRecord, coverage: QuestionWaves | null) => readonly string[];

const VALUES: Record<Facet, ValuesOf> = {
  access: ({ accessible }) => [accessible ? "open" : "locked"],
  kind: ({ numeric }) => [numeric ? "numbers" : "answers"],
  suffixes: ({ suffixes }) => [suffixes.codes.length > 0 ? "with" : "without"],
  dataset: ({ datasets }) => datasets,
  namespace: ({ canonical }) => [canonical.slice(0, canonical.indexOf("."))],
  wave: ({ canonical }, coverage) => {
    const asked = coverage?.asked[canonical];
    return asked ? coverage.waves.filter((_, at) => asked[at] === "1").map(({ code }) => code) : [];
  },
};

/**
 * The facets that divide the questions. Dataset and namespace are often the same division under two
 * names; then only the dataset is offered.
 */
export function facetsOf({ questions }: Catalogue): readonly Facet[] {
  const of = (facet: Facet) => questions.map((each) => VALUES[facet](each, null).join("\n"));
  const [datasets, namespaces] = [of("dataset"), of("namespace")];
  const pairs = new Set(datasets.map((dataset, at) => `${dataset}\n${namespaces[at]}`));
  const areAlike = [datasets, namespaces].every((each) => new Set(each).size === pairs.size);
  return FACETS.filter((facet) => facet !== "namespace" || !areAlike);
}

function isChosen(chosen: Chosen, facet: Facet, value: string): boolean {
  return chosen[facet]?.includes(value) ?? false;
}

/** The selected values with one value added or removed. */
export function toggleFacet(chosen: Chosen, facet: Facet, value: string): Chosen {
  const before = chosen[facet] ?? [];
  const after = before.includes(value)
    ? before.filter((each) => each !== value)
    : [...before, value];
  return { ...chosen, [facet]: after };
}

/** Every selected value with its facet, in the order of the facets. */
export function chosenValues(chosen: Chosen): { facet: Facet; value: string }[] {
  return FACETS.flatMap((facet) => (chosen[facet] ?? []).map((value) => ({ facet, value })));
}

/** Positions of the questions that pass; null when no value is selected. */
export function passing(
  catalogue: Catalogue,
  chosen: Chosen,
  coverage: QuestionWaves | null,
): ReadonlySet<number> | null {
  if (chosenValues(chosen).length === 0) return null;
  const found = new Set<number>();
  catalogue.questions.forEach((question, at) => {
    if (passesAll(question, chosen, coverage)) found.add(at);
  });
  return found;
}

/** The values of a facet that occur, in the order of the waves, the datasets, or the catalogue. */
export function facetValues(
  catalogue: Catalogue,
  facet: Facet,
  chosen: Chosen,
  coverage: QuestionWaves | null,
): FacetValue[] {
  const known = facet === "wave" ? coverage?.waves : facet === "dataset" ? catalogue.datasets : [];
  const counts = new Map((known ?? []).map(({ code }) => [code, 0]));
  const others: Chosen = { ...chosen, [facet]: [] };
  for (const question of catalogue.questions) {
    const counted = passesAll(question, others, coverage) ? 1 : 0;
    for (const value of VALUES[facet](question, coverage)) {
      counts.set(value, (counts.get(value) ?? 0) + counted);
    }
  }
  return [...counts].map(([value, count]) => ({
    value,
    count,
    chosen: isChosen(chosen, facet, value),
  }));
}

function passesAll(
  question: QuestionRecord,
  chosen: Chosen,
  coverage: QuestionWaves | null,
): boolean {
  return FACETS.every((facet) => {
    const wanted = chosen[facet] ?? [];
    if (wanted.length === 0) return true;
    const values = VALUES[facet](question, coverage);
    // A trend needs every wave; for other facets one value is enough.
    return facet === "wave"
      ? wanted.every((value) => values.includes(value))
      : wanted.some((value) => values.includes(value));
  });
}
