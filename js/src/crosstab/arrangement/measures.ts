/**
 * The number of each item by which it is sorted or filtered: computed from the loaded cells if all
 * are loaded, else requested from the kernel, which reads the whole table.
 */

import { type CellCounts, emptyFigures } from "../data/cellCounts";
import type { CellCache } from "../data/cells";
import type { Tile } from "../data/tiles";
import { metricOf } from "../metrics/metrics";
import type { Key, Side } from "./plan";
import type { QueryAxis } from "./queryAxis";

export type PullMeasure = (side: Side, key: Key, signal: AbortSignal) => Promise<Float64Array>;

export class Measures {
  private readonly held = new Map<string, Float64Array>();

  constructor(
    private readonly cells: CellCache<Tile, CellCounts>,
    private readonly axes: Readonly<Record<Side, QueryAxis>>,
    private readonly pull: PullMeasure,
  ) {}

  /** Called when the table changes or more of it arrives. */
  forget(): void {
    this.held.clear();
  }

  /** The values if they can be computed here; else null. */
  here(side: Side, key: Key): Float64Array | null {
    const known = this.held.get(named(side, key)) ?? this.worked(side, key);
    if (known) this.held.set(named(side, key), known);
    return known ?? null;
  }

  async get(side: Side, key: Key, signal: AbortSignal): Promise<Float64Array> {
    const here = this.here(side, key);
    if (here) return here;
    const values = await this.pull(side, key, signal);
    if (!signal.aborted) this.held.set(named(side, key), values);
    return values;
  }

  private worked(side: Side, key: Key): Float64Array | null {
    const axis = this.axes[side];
    const { count } = axis.banner;
    const { of } = key;
    const figures = emptyFigures();
    const source: MeasureSource = {
      count,
      others: 0,
      own: (line, metric) => {
        const margin = axis.margins.get(line);
        return (metric === "size" ? margin?.size : margin?.sample) ?? Number.NaN;
      },
      figures: (line, other) => {
        if (side === "rows") this.cells.sourceFigures(line, other, figures);
        else this.cells.sourceFigures(other, line, figures);
        return figures;
      },
    };
    if (of === "own") return axis.margins.size < count ? null : measured(source, key);
    // Tests come from the kernel.
    if (typeof of !== "number" || key.metric === "confidence" || !metricOf(key.metric).byPage)
      return null;
    const along = { start: 0, end: count };
    const line = { start: of, end: of + 1 };
    const isHere =
      side === "rows" ? this.cells.coversSource(along, line) : this.cells.coversSource(line, along);
    return isHere ? measured(source, key) : null;
  }
}

/** The cells of one axis, as input of a measure. */
export interface MeasureSource {
  readonly count: number;
  /** Number of items on the other axis. */
  readonly others: number;
  own(line: number, metric: string): number;
  figures(line: number, other: number): CellCounts;
}

/** A number for each item: of its own audience, of one of its cells, or of all its cells. */
export function measured(source: MeasureSource, { of, metric }: Key): Float64Array {
  const { count, others, own, figures } = source;
  const value = readerOf(metric);
  return Float64Array.from({ length: count }, (_, line) => {
    if (of === "own") return own(line, metric);
    if (typeof of === "number") return value(figures(line, of));
    const along = Array.from({ length: others }, (_, other) => value(figures(line, other)));
    return along.filter(Number.isFinite).reduce((a, b) => (BETTER[of](b, a) ? b : a), Number.NaN);
  });
}

function readerOf(metric: string): (figures: CellCounts) => number {
  if (metric === "confidence") return ({ level = Number.NaN }) => level;
  return metricOf(metric).value;
}

/** Whether a value is closer to the wanted extreme than another; NaN is the worst. */
const BETTER: Readonly<
  Record<Exclude<Key["of"], number | "own">, (a: number, b: number) => boolean>
> = {
  largest: (a, b) => !(a <= b),
  smallest: (a, b) => !(a >= b),
  farthest: (a, b) => !(Math.abs(a) <= Math.abs(b)),
  nearest: (a, b) => !(Math.abs(a) >= Math.abs(b)),
};

function named(side: Side, { of, metric }: Key): string {
  return `${side} ${of} ${metric}`;
}
