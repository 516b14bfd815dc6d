/**
 * Display settings of the table. They are small traits, so that Python, a second view and a reload
 * agree. No DOM.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { Trait } from "../../core/traits";
import type {
  Density,
  GridWidget,
  HeatKey,
  Significance,
  TableProgress,
  Units,
} from "../../protocol";
import {
  DENSITIES,
  DISPLAY,
  HEATS,
  MOST_METRICS,
  SIGNIFICANCE,
  UNITS,
} from "../../protocol/constants";
import type { WidgetHost } from "../../ui/host";
import { SAMPLE_COLUMN, SIZE_COLUMN } from "../arrangement/position";
import { formatCount, formatSize, type Numbers } from "../metrics/format";
import { type Heat, heatFor } from "../metrics/heat";
import {
  DEFAULT_METRIC,
  isShare,
  LOW_BASES,
  type LowBase,
  METRICS,
  type Metric,
  type MetricKey,
  metricOf,
} from "../metrics/metrics";
import { strings } from "../strings";

/** The longest value of each kind; counts are as long as that of everyone. */
const WIDEST: Readonly<Record<string, number>> = {
  index: 999,
  percentage: 100,
  sample: 99_999,
  signed: -99,
  number: 99,
};
/** Letters that have space beside a value; further ones are below it. */
const LETTERS_BESIDE = "CD";
/** The letters that a line of them has space for at least. */
const WIDEST_LETTERS = "ABCDE";

/** Which columns beside the row names are shown: weighted count, and count of respondents. */
export interface Margins {
  readonly size: boolean;
  readonly sample: boolean;
}

/** The metrics of a cell, and the longest text of values and counts. */
export interface FigureRoom {
  readonly cellLines: number;
  readonly values: readonly string[];
  readonly size: string;
  readonly sample: string;
  readonly beside: string;
}

/** The settings that the appearance of all cells depends on. */
export interface CellStyle {
  readonly metrics: readonly Metric[];
  readonly numbers: Numbers;
  readonly heat: Heat | null;
  /** The metric that has a bar. */
  readonly bar: Metric | null;
  readonly lowBase: LowBase;
  /** Whether the table has a weight, so that sizes say more than respondents. */
  readonly weighted: boolean;
  /** Values based on fewer respondents are not shown. */
  readonly hideUnder: number;
  readonly significance: Significance;
  readonly level: number;
}

/** Whether letters are in front of the values: not where they have a line of their own. */
export function areLettersBeside({ significance, metrics }: CellStyle): boolean {
  return significance === "letters" && !metrics.some(({ key }) => key === "letters");
}

export class DisplaySettings {
  /** One to four metrics, in the order in which a cell stacks them. */
  readonly keys: Trait<readonly MetricKey[]>;
  /** The first of them: it is set by the switch, and the table is sorted by it. */
  readonly first: Trait<string>;
  readonly heat: Trait<HeatKey>;
  readonly bars: Trait<boolean>;
  readonly decimals: Trait<number | null>;
  readonly units: Trait<Units>;
  readonly lowBase: Trait<LowBase>;
  readonly hideUnder: Trait<number>;
  readonly density: Trait<Density>;
  readonly margins: Trait<Margins>;
  readonly significance: Trait<Significance>;
  readonly level: Trait<number>;
  /** The levels to choose from. */
  readonly levels: ReadonlySignal<readonly number[] | undefined>;
  /** The level of letters; null where none are shown. */
  readonly lettersLevel: ReadonlySignal<number | null>;
  /** The base columns that are shown, and the hidden ones. */
  readonly shownMargins: ReadonlySignal<Margins>;
  readonly hiddenMargins: ReadonlySignal<ReadonlySet<number>>;
  readonly metrics: ReadonlySignal<readonly Metric[]>;
  readonly numbers: ReadonlySignal<Numbers>;
  /** All settings that the appearance of cells depends on. */
  readonly style: ReadonlySignal<CellStyle>;
  /** The widths that the geometry depends on. */
  readonly room: ReadonlySignal<FigureRoom>;

  constructor(private readonly host: Pick<WidgetHost<GridWidget>, "trait">) {
    const { trait } = host;
    this.keys = seen(trait("metrics"), asMetrics, (keys) => keys);
    this.first = seen(
      this.keys,
      (keys) => keys[0] as string,
      (key) => withFirst(this.keys.peek(), metricOf(key).key),
    );
    this.heat = seen(trait("heat"), (key) => known(HEATS, key), same);
    this.bars = seen(trait("bars"), Boolean, same);
    this.decimals = seen(trait("decimals"), (decimals) => decimals ?? null, same);
    this.units = seen(trait("units"), (units) => known(UNITS, units), same);
    this.lowBase = seen(trait("stars"), asStars, ({ low, veryLow }) => [low, veryLow]);
    this.hideUnder = seen(trait("hide_under"), (fewest) => fewest ?? 0, same);
    this.density = seen(trait("density"), (density) => known(DENSITIES, density), same);
    this.margins = seen(trait("show_bases"), asMargins, (margins) =>
      BASES.filter(([, margin]) => margins[margin]).map(([base]) => base),
    );
    this.significance = seen(trait("significance"), (tests) => known(SIGNIFICANCE, tests), same);
    this.level = seen(trait("level"), (level) => level ?? DISPLAY.level, same);
    this.levels = trait("_levels").signal;
    this.lettersLevel = computed(() => {
      const shown = this.significance.value === "letters" || this.keys.value.includes("letters");
      return shown ? this.level.value : null;
    });
    const base = lastBase(trait("_progress").signal);
    this.shownMargins = computed(() => {
      const { size, sample } = this.margins.value;
      // Without a weight, a weighted base would repeat the unweighted one.
      return { size: size && base.value.isWeighted, sample };
    });
    this.hiddenMargins = computed(() => {
      const { size, sample } = this.shownMargins.value;
      return new Set([...(size ? [] : [SIZE_COLUMN]), ...(sample ? [] : [SAMPLE_COLUMN])]);
    });
    this.metrics = computed(() => this.keys.value.map(metricOf));
    this.numbers = computed(() => ({ decimals: this.decimals.value, units: this.units.value }));
    this.style = computed(() => ({
      metrics: this.metrics.value,
      numbers: this.numbers.value,
      heat: heatFor(this.heat.value, base.value.heat),
      bar: this.bars.value ? (this.metrics.value.find(isShare) ?? null) : null,
      lowBase: this.lowBase.value,
      hideUnder: this.hideUnder.value,
      weighted: base.value.isWeighted,
      significance: this.significance.value,
      level: this.level.value,
    }));
    this.room = computed(() => {
      const { size: baseSize, varies } = base.value;
      const metrics = this.metrics.value;
      const numbers = this.numbers.value;
      const sample = widest(formatCount(base.value.sample));
      return {
        cellLines: metrics.length,
        values: metrics.map(({ kind, format }) =>
          kind === "text" ? WIDEST_LETTERS : widest(format(WIDEST[kind] ?? baseSize, numbers)),
        ),
        size: widest(formatSize(baseSize, numbers)),
        sample: varies ? strings.ofBase(`${sample}*`, sample) : sample,
        beside: areLettersBeside(this.style.value) ? LETTERS_BESIDE : "",
      };
    });
  }

  /** The first metric in the cells. */
  get metric(): Metric {
    return metricOf(this.first.peek());
  }

  /** Whether letters are shown, beside the values or on a line of their own. */
  get showsLetters(): boolean {
    return this.lettersLevel.peek() !== null;
  }

  /** Resets to the settings of a new crosstab. */
  reset(): void {
    const names = Object.keys(DISPLAY) as (keyof typeof DISPLAY)[];
    // The last one sends all of them in one message.
    names.forEach((name, at) => {
      this.host.trait(name).set(DISPLAY[name] as never, at === names.length - 1);
    });
  }
}

interface BaseFacts {
  readonly size: number;
  readonly sample: number;
  readonly isWeighted: boolean;
  readonly varies: boolean;
  readonly heat: TableProgress["heat"];
}

/** What is known of the base; a table that begins has the widths and colours of the one before. */
function lastBase(progress: ReadonlySignal<TableProgress>): ReadonlySignal<BaseFacts> {
  let known: BaseFacts = { size: 0, sample: 0, isWeighted: true, varies: false, heat: null };
  return computed(() => {
    const { base_size, base_sample, weighted_base, base_varies, phase, heat } =
      progress.value ?? {};
    if (base_size == null) return known;
    known = {
      size: base_size,
      sample: base_sample ?? 0,
      isWeighted: weighted_base !== "",
      varies: phase === "done" ? base_varies === true : known.varies,
      heat: heat ?? null,
    };
    return known;
  });
}

/** Puts a metric first; the others keep their order. */
export function withFirst(keys: readonly MetricKey[], key: MetricKey): MetricKey[] {
  return keys.includes(key)
    ? [key, ...keys.filter((other) => other !== key)]
    : [key, ...keys.slice(1)];
}

/** Adds a metric at the end, or removes it; one to four remain. */
export function withToggled(keys: readonly MetricKey[], key: MetricKey): MetricKey[] {
  if (!keys.includes(key)) return keys.length < MOST_METRICS ? [...keys, key] : [...keys];
  return keys.length > 1 ? keys.filter((other) => other !== key) : [...keys];
}

/** Moves a metric one position up (-1) or down (1). */
export function withMoved(keys: readonly MetricKey[], key: MetricKey, by: -1 | 1): MetricKey[] {
  const from = keys.indexOf(key);
  const to = from + by;
  if (from < 0 || to < 0 || to >= keys.length) return [...keys];
  const others = keys.filter((other) => other !== key);
  return [...others.slice(0, to), key, ...others.slice(to)];
}

/** The limit of the stronger mark is never above the other. */
export function withLow({ veryLow }: LowBase, low: number): LowBase {
  return { low, veryLow: Math.min(veryLow, low) };
}

export function withVeryLow({ low }: LowBase, veryLow: number): LowBase {
  return { low: Math.max(low, veryLow), veryLow };
}

/** A trait that tolerates values of an older or newer kernel. */
function seen<T, S>(trait: Trait<T>, read: (value: T) => S, write: (shown: S) => T): Trait<S> {
  const current = computed(() => read(trait.signal.value));
  return {
    signal: current,
    get value() {
      return current.value;
    },
    peek: () => current.peek(),
    set: (next) => trait.set(write(next)),
  };
}

function same<T>(value: T): T {
  return value;
}

function known<T extends string>(choices: readonly [T, ...T[]], value: T | undefined): T {
  return choices.find((choice) => choice === value) ?? choices[0];
}

function asMetrics(value: readonly string[] | undefined): readonly MetricKey[] {
  const keys = METRICS.map(({ key }) => key);
  const found = (value ?? []).filter((key): key is MetricKey => keys.includes(key as MetricKey));
  return found.length > 0 ? found : [DEFAULT_METRIC];
}

/** The widest text of a number with so many digits, also in the next unit. */
function widest(number: string): string {
  return number.replace(/\d/g, "8").replace(/^8+(?=\.8*[KMB])/, "888");
}

/** The names of the trait's bases, and the columns that show them. */
const BASES = [
  ["weighted", "size"],
  ["unweighted", "sample"],
] as const;

function asMargins(bases: readonly string[] | undefined): Margins {
  const shown = bases ?? ["weighted", "unweighted"];
  return { size: shown.includes("weighted"), sample: shown.includes("unweighted") };
}

function asStars(value: readonly number[] | undefined): LowBase {
  const [low = LOW_BASES.low, veryLow = LOW_BASES.veryLow] = value ?? [];
  return { low, veryLow };
}
