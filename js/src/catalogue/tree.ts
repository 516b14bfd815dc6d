/**
 * The tree as rows: categories, questions and datapoints, of which only open nodes (during a
 * search: matching ones) have rows. Pure: from catalogue, open nodes and search result to a flat
 * list with all ARIA properties.
 *
 * Rows of datapoints are made on access: a letter may match 50,000 of them, and a page shows
 * thirty.
 */
import type { Catalogue } from "./model";
import type { SearchResult } from "./search";

interface Placed {
  /** Unique among the rows; it does not change while the catalogue is the same. */
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
  /** Questions below it; during a search, those that match. */
  questions: number;
}

export interface QuestionRow extends Placed {
  kind: "question";
  question: number;
  expanded: boolean;
  /** Its datapoints; during a search, those that match by themselves. */
  datapoints: number;
}

export interface DatapointRow extends Placed {
  kind: "datapoint";
  question: number;
  datapoint: number;
}

export type Row = CategoryRow | QuestionRow | DatapointRow;

/** Nodes whose state differs from the default: closed, or open during a search. */
export type Toggled = ReadonlySet<string>;

/** The key of the category of recently picked questions. */
export const RECENT = -1;

/** A catalogue arranged as a tree, built once. */
export interface Outline {
  catalogue: Catalogue;
  /** Questions shown before all categories when there is no search. */
  recent: readonly number[];
  roots: number[];
  subcategories: number[][];
  /** The questions directly in each category. */
  members: number[][];
  /** Questions without a category. */
  loose: number[];
}

export function outline(catalogue: Catalogue, recent: readonly number[] = []): Outline {
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
  return { catalogue, recent, roots, subcategories, members, loose };
}

export function flatten(tree: Outline, toggled: Toggled, found: SearchResult | null): Rows {
  return new Flattening(tree, toggled, found).rows();
}

/** The rows from top to bottom. */
export class Rows implements Iterable<Row> {
  readonly length: number;
  readonly #branches: readonly Branch[];
  /** Built at the first lookup, which most lists never need. */
  #byKey: ReadonlyMap<string, Branch> | undefined;

  constructor(branches: readonly Branch[]) {
    const last = branches.at(-1);
    this.length = last ? last.start + 1 + last.shown : 0;
    this.#branches = branches;
  }

  at(index: number): Row | undefined {
    const branch = this.#branchAt(index);
    if (!branch || index === branch.start) return branch?.row;
    return datapointRow(branch, index - branch.start - 1);
  }

  /** The index of the row with a key, or -1. */
  indexOf(key: string): number {
    this.#byKey ??= new Map(this.#branches.map((branch) => [branch.row.key, branch]));
    const own = this.#byKey.get(key);
    if (own) return own.start;
    const cut = key.lastIndexOf("/");
    const branch = this.#byKey.get(key.slice(0, cut));
    if (!branch) return -1;
    const datapoint = Number(key.slice(cut + 1));
    const place = branch.matched ? branch.matched.indexOf(datapoint) : datapoint;
    return place >= 0 && place < branch.shown ? branch.start + 1 + place : -1;
  }

  *[Symbol.iterator](): Iterator<Row> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Row;
  }

  /** The last branch that begins at the index or before it. */
  #branchAt(index: number): Branch | undefined {
    if (index < 0 || index >= this.length) return undefined;
    let [low, high] = [0, this.#branches.length - 1];
    while (low < high) {
      // Rounded up, or `low` might never increase.
      const middle = (low + high + 1) >> 1;
      if ((this.#branches[middle]?.start ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return this.#branches[low];
  }
}

/** Most questions whose categories open by themselves. */
const FEW = 60;

/** Whether the tree opens to the matches: always for a query, for facets only if there are few. */
export function isSpread(found: SearchResult | null): boolean {
  return found !== null && (found.words.length > 0 || found.questions <= FEW);
}

/** A category or question, and the number of open datapoints below it. */
interface Branch {
  row: CategoryRow | QuestionRow;
  /** The index of its row. */
  start: number;
  shown: number;
  /** Positions of the datapoints; all of them when omitted. */
  matched: readonly number[] | undefined;
}

function datapointRow({ row, shown, matched }: Branch, place: number): DatapointRow | undefined {
  if (row.kind !== "question") return undefined;
  const datapoint = matched ? (matched[place] ?? 0) : place;
  return {
    kind: "datapoint",
    key: `${row.key}/${datapoint}`,
    level: row.level + 1,
    setsize: shown,
    posinset: place + 1,
    question: row.question,
    datapoint,
  };
}

/** One walk over the tree; holds the state that its steps share. */
class Flattening {
  readonly #branches: Branch[] = [];
  /** The index of the next row. */
  #next = 0;
  readonly #counts: number[];
  readonly #spread: boolean;

  constructor(
    private readonly tree: Outline,
    private readonly toggled: Toggled,
    private readonly found: SearchResult | null,
  ) {
    this.#counts = this.#questionCounts();
    this.#spread = isSpread(found);
  }

  rows(): Rows {
    const { recent, roots, loose } = this.tree;
    const leading = recent.length > 0 && !this.found ? [RECENT] : [];
    this.#level("", 1, [...leading, ...roots], loose);
    return new Rows(this.#branches);
  }

  /** Questions shown below each category; children come after parents. */
  #questionCounts(): number[] {
    const counts = this.tree.members.map((questions) => this.#shown(questions).length);
    const { categories } = this.tree.catalogue;
    for (let at = categories.length - 1; at >= 0; at--) {
      const parent = categories[at]?.parent ?? -1;
      if (parent >= 0) counts[parent] = (counts[parent] ?? 0) + (counts[at] ?? 0);
    }
    return counts;
  }

  #count(category: number): number {
    return category === RECENT ? this.tree.recent.length : (this.#counts[category] ?? 0);
  }

  #shown(questions: readonly number[]): readonly number[] {
    const { found } = this;
    return found ? questions.filter((question) => found.matches.has(question)) : questions;
  }

  #level(path: string, level: number, categories: readonly number[], questions: readonly number[]) {
    const visible = categories.filter((category) => this.#count(category) > 0);
    const shown = this.#shown(questions);
    const setsize = visible.length + shown.length;
    let posinset = 0;
    for (const category of visible) {
      posinset++;
      this.#category(category, categoryKey(path, category), level, setsize, posinset);
    }
    for (const question of shown) {
      posinset++;
      this.#question(question, questionKey(path, question), level, setsize, posinset);
    }
  }

  #category(category: number, key: string, level: number, setsize: number, posinset: number) {
    const expanded = this.#expanded(key, this.#spread);
    const questions = this.#count(category);
    this.#push({ kind: "category", key, level, setsize, posinset, category, expanded, questions });
    if (!expanded) return;
    const { recent, subcategories, members } = this.tree;
    this.#level(
      `${key}/`,
      level + 1,
      subcategories[category] ?? [],
      category === RECENT ? recent : (members[category] ?? []),
    );
  }

  // Called thousands of times for one key press: plain arguments, and no object but the row.
  #question(question: number, key: string, level: number, setsize: number, posinset: number) {
    const matched = this.found?.matches.get(question)?.datapoints;
    const some = matched !== undefined && matched.length > 0;
    const all = this.tree.catalogue.questions[question]?.datapoints.codes.length ?? 0;
    const expanded = all > 0 && this.#expanded(key, some);
    const datapoints = some ? matched.length : all;
    this.#push(
      { kind: "question", key, level, setsize, posinset, question, expanded, datapoints },
      expanded ? datapoints : 0,
      some ? matched : undefined,
    );
  }

  #push(row: Branch["row"], shown = 0, matched?: readonly number[]): void {
    this.#branches.push({ row, start: this.#next, shown, matched });
    this.#next += 1 + shown;
  }

  #expanded(key: string, byDefault: boolean): boolean {
    return this.toggled.has(key) !== byDefault;
  }
}

function categoryKey(path: string, category: number): string {
  return `${path}c${category}`;
}

function questionKey(path: string, question: number): string {
  return `${path}q${question}`;
}

/**
 * The keys of the rows that lead to a question, itself last, by its first category; empty for an
 * unknown question.
 */
export function pathKeys({ catalogue }: Outline, question: number): string[] {
  if (!catalogue.questions[question]) return [];
  const lineage: number[] = [];
  const first = catalogue.questions[question]?.categories[0] ?? -1;
  for (let at = first; at >= 0; at = catalogue.categories[at]?.parent ?? -1) lineage.unshift(at);
  const keys: string[] = [];
  for (const category of lineage) keys.push(categoryKey(prefix(keys), category));
  return [...keys, questionKey(prefix(keys), question)];
}

function prefix(keys: readonly string[]): string {
  const last = keys.at(-1);
  return last === undefined ? "" : `${last}/`;
}

/** The parent of a row: the nearest row before it with a lower level. */
export function parentIndex(rows: Rows, index: number): number {
  const level = rows.at(index)?.level ?? 0;
  for (let at = index - 1; at >= 0; at--) {
    if ((rows.at(at)?.level ?? 0) < level) return at;
  }
  return -1;
}
