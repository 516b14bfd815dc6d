/**
 * The file that some code names: a call of `al.open` or `al.connect(survey=…)` whose arguments are
 * literals, as Python writes it. Any other code is refused, since a document is an untrusted file.
 */
import { isData } from "./paths";

export interface LocalSource {
  code: string;
  /** Whether all paths lead below the folder of the document. */
  isBeside: boolean;
  /** The file or folder, as it is written. */
  path: string;
  /** The code of each other argument of the first call. */
  given: Readonly<Record<string, string>>;
  /** The same code on another path. */
  at(path: string): string;
}

const OPTIONS = new Set(
  (
    "weight base_of wave waves person key kind codebook labels sheet missing order text replicates " +
    "replicate_method fay strata clusters clusters_recur fpc encoding decide to survey"
  ).split(" "),
);
/** Of `Client.edit`. */
const EDITS = new Set(
  "missing not_asked order top ends off_scale labels scores offered kind name".split(" "),
);
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;
const PLAIN = /-?\d+(?:\.\d+)?|None|True|False/y;
const BRACKETS: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" };

/** The source that some code names; null if it is other code. */
export function localSource(code: string): LocalSource | null {
  const found = sourceIn(code, 0);
  return found?.code === code ? found : null;
}

/** The source that the code from a position names, as far as that is one call. */
export function sourceIn(text: string, from: number): LocalSource | null {
  const read = new Reader(text, from);
  const called = read.take(/al\.(?:open\(|connect\((?=survey=))/y);
  if (!called) return null;
  const start = read.at + (called === "al.open(" ? 0 : "survey=".length);
  const given: Record<string, string> = {};
  const path = called === "al.open(" ? read.take(TEXT) : null;
  if (called === "al.open(" && path === null) return null;
  if (!read.named(given, path === null)) return null;
  const named = path ?? given.survey ?? "";
  const end = read.at;
  if (!/^['"]/.test(named) || !read.changes()) return null;
  const { survey: _, ...others } = given;
  const code = text.slice(from, read.at);
  const paths = [named, others.codebook, others.labels].filter((each) => each !== undefined);
  if (paths.some((each) => each.includes("://"))) return null;
  return {
    code,
    isBeside:
      paths.every((each) => isBelow(each.slice(1, -1))) &&
      others.to === undefined &&
      // A survey folder would be written by it.
      (isData(unquoted(named)) || !text.slice(end, read.at).includes(".edit(")),
    path: unquoted(named),
    given: others,
    at: (other) =>
      text.slice(from, start) + quoted(other) + text.slice(start + named.length, read.at),
  };
}

/** A path as Python. */
export function quoted(path: string): string {
  return /['"\\\n\r]/.test(path) ? JSON.stringify(path) : `'${path}'`;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, "$1");
}

function isBelow(path: string): boolean {
  return !/^[/~]|^[A-Za-z]:|\\|(^|\/)\.\.(\/|$)/.test(path);
}

/** Reads literals of Python. */
class Reader {
  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  /** The next text that matches; null, without a step, for none. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  /** Reads what a survey is changed by, `.edit("q1", …)`, and its options; false for others. */
  changes(): boolean {
    for (;;) {
      if (this.take(/\.with_options\(/y)) {
        if (!this.named({}, true)) return false;
      } else if (this.take(/\.edit\(/y)) {
        if (!this.value() || !this.named({}, false, EDITS)) return false;
      } else return true;
    }
  }

  /** Reads named arguments up to the end of a call; false for anything else. */
  named(given: Record<string, string>, isFirst: boolean, known = OPTIONS): boolean {
    let first = isFirst;
    while (!this.take(/\)/y)) {
      if (!first && this.take(/, /y) === null) return false;
      first = false;
      const name = this.take(/\w+(?==)/y) ?? "";
      this.at++;
      const start = this.at;
      if (!known.has(name) || !this.value()) return false;
      given[name] = this.text.slice(start, this.at);
    }
    return true;
  }

  private value(depth = 0): boolean {
    if (this.take(TEXT) !== null || this.take(PLAIN) !== null) return true;
    const end = BRACKETS[this.take(/[[({]/y) ?? ""];
    if (!end || depth > 4) return false;
    let first = true;
    for (;;) {
      if (this.text[this.at] === end) break;
      if (!first && this.take(/, ?/y) === null) return false;
      if (this.text[this.at] === end) break;
      if (!this.value(depth + 1)) return false;
      if (end === "}" && this.take(/: /y) !== null && !this.value(depth + 1)) return false;
      first = false;
    }
    this.at++;
    return true;
  }
}
