/**
 * The tree as rows: categories, questions and datapoints, of which only the opened ones (or,
 * while searching, the matching ones) become rows. Pure: from catalogue, opened nodes and search
 * result to a flat array with everything that WAI-ARIA wants to know.
 */
import type { Catalogue } from "./catalogue";
import type { SearchResult } from "./search";

interface Placed {
  /** Unique among the rows and stable while the catalogue stays. */
  key: string;
  /** 1 for roots. */
  level: number;
  setsize: number;
  posinset: number;
}

export interface CategoryRow extends Placed {
  kind: "category";
  category: number;
  expanded: boolean;
  /** Questions below it; while searching, those that match. */
  questions: number;
}

export interface QuestionRow extends Placed {
  kind: "question";
  question: number;
  expanded: boolean;
  /** Its datapoints; while searching, those that match by themselves. */
  datapoints: number;
}

export interface DatapointRow extends Placed {
  kind: "datapoint";
  question: number;
  datapoint: number;
}

export type Row = CategoryRow | QuestionRow | DatapointRow;

/** Nodes whose state differs from the default: closed, or open while searching. */
export type Toggled = ReadonlySet<string>;

/** A catalogue arranged as a tree, made once. */
export interface Outline {
  catalogue: Catalogue;
  roots: number[];
  subcategories: number[][];
  /** Questions that stand directly in a category. */
  members: number[][];
  /** Questions in no category. */
  loose: number[];
}

export function outline(catalogue: Catalogue): Outline {
  const subcategories: number[][] = catalogue.categories.map(() => []);
  const members: number[][] = catalogue.categories.map(() => []);
  const roots: number[] = [];
  const loose: number[] = [];
  catalogue.categories.forEach(({ parent }, at) => {
    (subcategories[parent] ?? roots).push(at);
  });
  catalogue.questions.forEach(({ categories }, at) => {
    if (categories.length === 0) loose.push(at);
    for (const category of categories) members[category]?.push(at);
  });
  return { catalogue, roots, subcategories, members, loose };
}

export function flatten(tree: Outline, toggled: Toggled, found: SearchResult | null): Row[] {
  return new Flattening(tree, toggled, found).rows();
}

/** One walk over the tree; holds what its steps share. */
class Flattening {
  readonly #rows: Row[] = [];
  readonly #counts: number[];

  constructor(
    private readonly tree: Outline,
    private readonly toggled: Toggled,
    private readonly found: SearchResult | null,
  ) {
    this.#counts = this.#questionCounts();
  }

  rows(): Row[] {
    this.#level("", 1, this.tree.roots, this.tree.loose);
    return this.#rows;
  }

  /** Questions to be shown below each category; children come after parents. */
  #questionCounts(): number[] {
    const counts = this.tree.members.map((questions) => this.#shown(questions).length);
    const { categories } = this.tree.catalogue;
    for (let at = categories.length - 1; at >= 0; at--) {
      const parent = categories[at]?.parent ?? -1;
      if (parent >= 0) counts[parent] = (counts[parent] ?? 0) + (counts[at] ?? 0);
    }
    return counts;
  }

  #shown(questions: readonly number[]): readonly number[] {
    const { found } = this;
    return found ? questions.filter((question) => found.matches.has(question)) : questions;
  }

  #level(path: string, level: number, categories: readonly number[], questions: readonly number[]) {
    const visible = categories.filter((category) => (this.#counts[category] ?? 0) > 0);
    const shown = this.#shown(questions);
    const setsize = visible.length + shown.length;
    let posinset = 0;
    for (const category of visible) {
      posinset++;
      this.#category(category, { key: `${path}c${category}`, level, setsize, posinset });
    }
    for (const question of shown) {
      posinset++;
      this.#question(question, { key: `${path}q${question}`, level, setsize, posinset });
    }
  }

  #category(category: number, placed: Placed): void {
    const expanded = this.#expanded(placed.key, this.found !== null);
    const questions = this.#counts[category] ?? 0;
    this.#rows.push({ ...placed, kind: "category", category, expanded, questions });
    if (!expanded) return;
    const { subcategories, members } = this.tree;
    this.#level(
      `${placed.key}/`,
      placed.level + 1,
      subcategories[category] ?? [],
      members[category] ?? [],
    );
  }

  #question(question: number, placed: Placed): void {
    const matched = this.found?.matches.get(question)?.datapoints ?? [];
    const all = this.tree.catalogue.questions[question]?.datapoints.codes.length ?? 0;
    const expanded = all > 0 && this.#expanded(placed.key, matched.length > 0);
    const datapoints = matched.length || all;
    this.#rows.push({ ...placed, kind: "question", question, expanded, datapoints });
    if (!expanded) return;
    for (let at = 0; at < datapoints; at++) {
      const datapoint = matched.length ? (matched[at] ?? 0) : at;
      this.#rows.push({
        kind: "datapoint",
        key: `${placed.key}/${datapoint}`,
        level: placed.level + 1,
        setsize: datapoints,
        posinset: at + 1,
        question,
        datapoint,
      });
    }
  }

  #expanded(key: string, byDefault: boolean): boolean {
    return this.toggled.has(key) !== byDefault;
  }
}

/** The row that holds a row: the nearest one before it of a lower level. */
export function parentIndex(rows: readonly Row[], index: number): number {
  const level = rows[index]?.level ?? 0;
  for (let at = index - 1; at >= 0; at--) {
    if ((rows[at]?.level ?? 0) < level) return at;
  }
  return -1;
}
