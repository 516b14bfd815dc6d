/**
 * The catalogue as the browser holds it: sent once over the channel, in parts, as columns of
 * codes and names. What it means to search it, draw it or select from it is elsewhere.
 */
import type { Requests } from "../core/requests";

/** Codes and names side by side; the same index is the same thing. */
export interface Labelled {
  codes: string[];
  names: string[];
}

/** One question as it travels. */
export interface QuestionRecord {
  /** The code as expressions should carry it: the base namespace is left out. */
  code: string;
  /** The code with its namespace, always. */
  canonical: string;
  name: string;
  description: string;
  accessible: boolean;
  /** Its answers, or their suffixes, stand for numbers. */
  numeric: boolean;
  /** Positions in `categories`; a question may stand in several, or in none. */
  categories: number[];
  datasets: string[];
  datapoints: Labelled;
  /** Empty for questions without suffixes. */
  suffixes: Labelled;
}

export interface CategoryRecord {
  id: string;
  name: string;
  /** Position of the parent category, which always comes earlier; -1 for a root. */
  parent: number;
}

export interface DatasetRecord {
  code: string;
  name: string;
}

export interface CataloguePart {
  /** In the first part, as the datasets. */
  categories?: CategoryRecord[];
  datasets?: DatasetRecord[];
  questions: QuestionRecord[];
  total: number;
  /** Where the next part begins, or null after the last. */
  next: number | null;
}

/** The texts of one question. */
export interface QuestionDetails {
  description: string;
  knowledge_base: string;
  notice: string;
  warning: string;
  message: string;
  unit: string;
  datasets: string[];
}

/** What was counted of one question, over all waves in which it was asked. */
export interface QuestionFigures {
  /** The base: weighted people, and respondents. */
  size: number;
  sample: number;
  /** Names of the waves in which it was asked, by date. */
  waves: string[];
  /** How many accessible waves there are in all. */
  wave_count: number;
  /** Percentages of the base: of all answers in their order, or of the largest. */
  shares: { datapoint: string; percentage: number }[];
  /** Answers whose shares were left out. */
  more: number;
}

/** In which waves the questions were asked. */
export interface Coverage {
  /** By date. */
  waves: { code: string; name: string }[];
  /** Under each canonical code a "1" or "0" for each wave. */
  asked: Readonly<Record<string, string>>;
}

export class Catalogue {
  readonly categories: readonly CategoryRecord[];
  readonly questions: readonly QuestionRecord[];
  readonly datasets: readonly DatasetRecord[];
  readonly datapointCount: number;
  readonly #byCode = new Map<string, number>();
  readonly #datapoints: (Map<string, number> | undefined)[];

  constructor(
    categories: readonly CategoryRecord[],
    questions: readonly QuestionRecord[],
    datasets: readonly DatasetRecord[] = [],
  ) {
    this.categories = categories;
    this.questions = questions;
    this.datasets = datasets;
    this.datapointCount = questions.reduce((sum, each) => sum + each.datapoints.codes.length, 0);
    this.#datapoints = new Array(questions.length);
    questions.forEach((question, index) => {
      this.#byCode.set(question.canonical, index);
      this.#byCode.set(question.code, index);
    });
  }

  /** The question of a code, with or without namespace. */
  question(code: string): QuestionRecord | undefined {
    return this.questions[this.indexOf(code)];
  }

  /** Its position in `questions`, or -1. */
  indexOf(code: string): number {
    return this.#byCode.get(code) ?? -1;
  }

  /** The position of a datapoint in its question, or -1. */
  datapointIndex(question: number, code: string): number {
    const record = this.questions[question];
    if (!record) return -1;
    let positions = this.#datapoints[question];
    if (!positions) {
      positions = new Map(record.datapoints.codes.map((each, at) => [each, at]));
      this.#datapoints[question] = positions;
    }
    return positions.get(code) ?? -1;
  }
}

/**
 * Pulls the whole catalogue, part after part. `progress` hears how much of it has come, as a
 * share from 0 to 1.
 */
export async function loadCatalogue(
  requests: Requests,
  progress?: (share: number) => void,
): Promise<Catalogue> {
  const questions: QuestionRecord[] = [];
  let head: CataloguePart | undefined;
  for (let next: number | null = 0; next !== null; ) {
    const { buffers } = await requests.request("catalogue", { start: next });
    const part = decodePart(buffers);
    head ??= part;
    for (const question of part.questions) questions.push(question);
    progress?.(part.total ? questions.length / part.total : 1);
    next = part.next;
  }
  return new Catalogue(head?.categories ?? [], questions, head?.datasets);
}

/** A part is JSON in a binary buffer: the kernel's own JSON layer would take ten times as long. */
function decodePart(buffers: DataView[]): CataloguePart {
  return JSON.parse(new TextDecoder().decode(buffers[0])) as CataloguePart;
}
