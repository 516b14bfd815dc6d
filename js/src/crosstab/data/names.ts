/**
 * The names of one axis, in pages that are loaded when they come into view. A name is short; its
 * description (a sentence) is for tooltips and the details line.
 */
import { abortError, childLifetime, isAbort } from "../../core/lifetime";
import type { Before } from "./last";

export interface Name {
  readonly name: string;
  readonly sentence: string;
  /** Its groups, outermost first. */
  readonly groups?: readonly string[];
  readonly isNet?: boolean;
  /** Whether the name is enough outside of the table; else its groups are named, too. */
  readonly isWhole?: boolean;
  /** The name without words that its group has in common; "" where it is the name. */
  readonly short?: string;
}

/** The name in the table. */
export function nameInTable({ name, short }: Pick<Name, "name" | "short">): string {
  return short || name;
}

/** The words that a name leaves out in the table: "mean (1 never … 6 daily)" or "The brand …". */
export function sharedWords({ name, short = "" }: Pick<Name, "name" | "short">): string {
  if (short === "") return "";
  const own = short.startsWith("… ") ? short.slice(2) : short;
  const at = name.indexOf(own);
  const [before, after] = [name.slice(0, at).trim(), name.slice(at + own.length)];
  return [before && `${before} …`, after.replace(/^: /u, "")].filter(Boolean).join(" ");
}

export type PullNames = (start: number, stop: number, signal: AbortSignal) => Promise<Name[]>;

const NAMES_PAGE = 128;

export class Names {
  #pages = new Map<number, Name[] | "running">();
  /** Those that the table before had, until they are loaded. */
  #before: ReadonlyMap<number, Name> = new Map();
  #count = 0;
  #arrived: readonly Name[] = [];
  #epoch: AbortController;

  constructor(
    private readonly lifetime: AbortSignal,
    private readonly pull: PullNames,
    private readonly onArrive: () => void,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#epoch = childLifetime(lifetime);
  }

  reset(count: number, before: Before | null = null): void {
    const known = new Map<number, Name>();
    before?.forEach((then, now) => {
      const name = then < 0 ? undefined : this.#known(then);
      if (name) known.set(now, name);
    });
    this.#before = known;
    this.#count = count;
    this.#arrived = [...known.values()];
    this.#pages = new Map();
    this.#epoch.abort(abortError("another table"));
    this.#epoch = childLifetime(this.lifetime);
  }

  /** The loaded names; a new list after each page. */
  get here(): readonly Name[] {
    return this.#arrived;
  }

  /** The name at a position in the query; undefined, and requested, when it is not loaded. */
  at(position: number): Name | undefined {
    if (position < 0 || position >= this.#count) return undefined;
    const page = Math.floor(position / NAMES_PAGE);
    if (!this.#pages.has(page)) void this.#pullPage(page);
    return this.#known(position);
  }

  #known(position: number): Name | undefined {
    const names = this.#pages.get(Math.floor(position / NAMES_PAGE));
    return Array.isArray(names) ? names[position % NAMES_PAGE] : this.#before.get(position);
  }

  #isLoaded(position: number): boolean {
    return Array.isArray(this.#pages.get(Math.floor(position / NAMES_PAGE)));
  }

  /** All names of the axis in the order of the query. */
  async all(): Promise<Name[]> {
    const last = Math.ceil(this.#count / NAMES_PAGE);
    for (let page = 0; page < last; page++) {
      if (!Array.isArray(this.#pages.get(page))) await this.#pullPage(page);
    }
    return Array.from({ length: this.#count }, (_, i) => this.at(i) ?? { name: "", sentence: "" });
  }

  async #pullPage(page: number): Promise<void> {
    const { signal } = this.#epoch;
    const start = page * NAMES_PAGE;
    this.#pages.set(page, "running");
    try {
      const names = await this.pull(start, Math.min(this.#count, start + NAMES_PAGE), signal);
      if (signal.aborted) return;
      this.#pages.set(page, names);
      const here = [...this.#pages.values()].flatMap((each) => (each === "running" ? [] : each));
      const kept = [...this.#before].filter(([at]) => !this.#isLoaded(at)).map(([, name]) => name);
      this.#arrived = [...here, ...kept];
      this.onArrive();
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.#pages.delete(page);
      this.onError(error);
    }
  }
}
