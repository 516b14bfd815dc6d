/**
 * The names of one axis: pages of them, pulled when they come into sight and kept. A name is
 * short, what it stands for (a sentence) is for tooltips and the line under the table.
 */
import { abortError, childLifetime, isAbort } from "../../core/lifetime";
import { linesOf, longestWord } from "./geometry";

export interface Name {
  readonly name: string;
  readonly sentence: string;
  /** What stands over it, outermost first. */
  readonly heads?: readonly string[];
  readonly isNet?: boolean;
}

/** Letters in the longest name and the longest word, and lines in a column's header. */
export interface NameExtent {
  readonly letters: number;
  readonly word: number;
  readonly lines: number;
}

const NOTHING: NameExtent = { letters: 0, word: 0, lines: 0 };

export type PullNames = (start: number, stop: number, signal: AbortSignal) => Promise<Name[]>;

const NAMES_PAGE = 128;

export class Names {
  private pages = new Map<number, Name[] | "running">();
  private count = 0;
  private needs: NameExtent = NOTHING;
  private epoch: AbortController;

  constructor(
    private readonly lifetime: AbortSignal,
    private readonly pull: PullNames,
    private readonly onArrive: () => void,
    private readonly onError: (error: unknown) => void,
  ) {
    this.epoch = childLifetime(lifetime);
  }

  reset(count: number): void {
    this.count = count;
    this.needs = NOTHING;
    this.pages = new Map();
    this.epoch.abort(abortError("another table"));
    this.epoch = childLifetime(this.lifetime);
  }

  /** What the names that are here need. */
  get extent(): NameExtent {
    return this.needs;
  }

  /** The name at a source position; asks for it and answers undefined when it is not here. */
  at(position: number): Name | undefined {
    if (position < 0 || position >= this.count) return undefined;
    const page = Math.floor(position / NAMES_PAGE);
    const names = this.pages.get(page);
    if (names === undefined) void this.pullPage(page);
    return names === undefined || names === "running" ? undefined : names[position % NAMES_PAGE];
  }

  /** All names of the axis in source order. */
  async all(): Promise<Name[]> {
    const last = Math.ceil(this.count / NAMES_PAGE);
    for (let page = 0; page < last; page++) {
      if (!Array.isArray(this.pages.get(page))) await this.pullPage(page);
    }
    return Array.from({ length: this.count }, (_, i) => this.at(i) ?? { name: "", sentence: "" });
  }

  private measure(): void {
    const names = [...this.pages.values()]
      .filter((page) => page !== "running")
      .flatMap((page) => page.map(({ name }) => name));
    const most = (of: (name: string) => number) => Math.max(0, ...names.map(of));
    const word = most(longestWord);
    this.needs = {
      letters: most(({ length }) => length),
      word,
      lines: most((name) => linesOf(name, word)),
    };
  }

  private async pullPage(page: number): Promise<void> {
    const { signal } = this.epoch;
    const start = page * NAMES_PAGE;
    this.pages.set(page, "running");
    try {
      const names = await this.pull(start, Math.min(this.count, start + NAMES_PAGE), signal);
      if (signal.aborted) return;
      this.pages.set(page, names);
      this.measure();
      this.onArrive();
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.pages.delete(page);
      this.onError(error);
    }
  }
}
