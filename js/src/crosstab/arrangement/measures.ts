/**
 * A number for each line of a side, to sort and to filter by: worked out from the cells that are
 * here if they are all here, else asked of the kernel, which looks through the whole table.
 */
import type { Cells } from "../data/cells";
import { emptyFigures } from "../data/figures";
import { metricOf } from "../metrics/metrics";
import type { Axis } from "./axis";
import type { Key, Side } from "./plan";

export type PullMeasure = (side: Side, key: Key, signal: AbortSignal) => Promise<Float64Array>;

export class Measures {
  private readonly held = new Map<string, Float64Array>();

  constructor(
    private readonly cells: Cells,
    private readonly axes: Readonly<Record<Side, Axis>>,
    private readonly pull: PullMeasure,
  ) {}

  /** Another table, or more of this one. */
  forget(): void {
    this.held.clear();
  }

  /** What can be told without asking; null where it cannot. */
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

  private worked(side: Side, { of, metric }: Key): Float64Array | null {
    const axis = this.axes[side];
    const { count } = axis.banner;
    if (of === "own") {
      if (axis.margins.size < count) return null;
      return Float64Array.from({ length: count }, (_, line) => {
        const margin = axis.margins.get(line);
        return (metric === "size" ? margin?.size : margin?.sample) ?? Number.NaN;
      });
    }
    if (typeof of !== "number") return null;
    const along = { start: 0, end: count };
    const line = { start: of, end: of + 1 };
    const isHere =
      side === "rows" ? this.cells.coversSource(along, line) : this.cells.coversSource(line, along);
    if (!isHere) return null;
    const figures = emptyFigures();
    const { value } = metricOf(metric);
    return Float64Array.from({ length: count }, (_, i) => {
      if (side === "rows") this.cells.sourceFigures(i, of, figures);
      else this.cells.sourceFigures(of, i, figures);
      return value(figures);
    });
  }
}

function named(side: Side, { of, metric }: Key): string {
  return `${side} ${of} ${metric}`;
}
