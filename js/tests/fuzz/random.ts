/** Seeded random numbers, so that failures are reproducible; and the number of inputs. */

/** Inputs of each kind: a few with every test run, `FUZZ_EXECUTIONS=100000` for many. */
export const EXECUTIONS = Number(process.env.FUZZ_EXECUTIONS ?? 400);
/** Timeout of a test in milliseconds. */
export const PATIENCE = 60_000 + 10 * EXECUTIONS;
const SEED = Number(process.env.FUZZ_SEED ?? 1);

export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 2_654_435_761 + SEED) >>> 0;
  }

  /** At least 0, less than 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 2, 3, 0.5, 1e9, 1e308, 2 ** 53, Number.NaN, -0],
  ...["", "a", "float32", "uint16", "x".repeat(5_000), "AAAA", "AAAAAAAAAAA=", "\ud800", "=cmd"],
  ...[[], {}, [[]], [0], [[["x"]], 1], { low: 1, high: 2 }],
];
const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__", "x"];

/** A JSON value with one change at a random path. */
export function changed(value: unknown, chance: Chance): unknown {
  if (typeof value !== "object" || value === null || chance.next() < 0.1) {
    return typeof value === "string" && chance.next() < 0.5
      ? value.slice(0, chance.below(value.length + 1)) + chance.of(["", "A", "=", "é"])
      : structuredClone(chance.of(VALUES));
  }
  if (Array.isArray(value)) {
    const place = chance.below(value.length + 1);
    const kept = chance.next() < 0.2 ? [] : [changed(value[place], chance)];
    return value.toSpliced(place, 1, ...kept);
  }
  const entries = Object.entries(value);
  const place = chance.below(entries.length + 1);
  const [name, held] = entries[place] ?? ["", null];
  const put: [string, unknown][] =
    chance.next() < 0.15
      ? []
      : [[chance.next() < 0.2 ? chance.of(NAMES) : name, changed(held, chance)]];
  // An own property, whatever its name, as a JSON parser creates it.
  return JSON.parse(`{${[...entries.toSpliced(place, 1), ...put].map(field).join(",")}}`);
}

function field([name, value]: [string, unknown]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value) ?? "null"}`;
}
