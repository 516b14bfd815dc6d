/**
 * The catalogue in the browser: sent once over the channel, in parts, as columns of codes and
 * names.
 */
import type { Requests } from "../core/requests";
import type {
  CataloguePart,
  CatalogueWidget,
  CategoryRecord,
  CodeName,
  QuestionRecord,
} from "../protocol";
import { learnWords } from "../ui/matching";

export type {
  CategoryRecord,
  CodeName as DatasetRecord,
  Labelled,
  QuestionDetails,
  QuestionFigures,
  QuestionRecord,
  QuestionWaves,
} from "../protocol";

export class Catalogue {
  readonly categories: readonly CategoryRecord[];
  readonly questions: readonly QuestionRecord[];
  readonly datasets: readonly CodeName[];
  readonly datapointCount: number;
  readonly #byCode = new Map<string, number>();

  constructor(
    categories: readonly CategoryRecord[],
    questions: readonly QuestionRecord[],
    datasets: readonly CodeName[] = [],
  ) {
    this.categories = categories;
    this.questions = questions;
    this.datasets = datasets;
    this.datapointCount = questions.reduce((sum, each) => sum + each.datapoints.codes.length, 0);
    questions.forEach((question, index) => {
      this.#byCode.set(question.canonical, index);
      this.#byCode.set(question.code, index);
    });
  }

  /** The question with a code, with or without namespace. */
  question(code: string): QuestionRecord | undefined {
    return this.questions[this.indexOf(code)];
  }

  /** Its position in `questions`, or -1. */
  indexOf(code: string): number {
    return this.#byCode.get(code) ?? -1;
  }
}

/** Loads the whole catalogue, part by part; calls `progress` with the loaded share, 0 to 1. */
export async function loadCatalogue(
  requests: Requests<CatalogueWidget>,
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
  if (head?.words) learnWords(head.words);
  return new Catalogue(head?.categories ?? [], questions, head?.datasets);
}

/** A part is JSON in a binary buffer: the kernel's JSON layer would take ten times as long. */
function decodePart(buffers: DataView[]): CataloguePart {
  return JSON.parse(new TextDecoder().decode(buffers[0])) as CataloguePart;
}
