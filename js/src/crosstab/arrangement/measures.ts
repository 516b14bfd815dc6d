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

  private worked(side: Side, { of, metric }: Key): Float64Array | null {
    const { banner, margins } = this.axes[side];
    const length = banner.count;
    const each = (value: (line: number) => number) =>
      Float64Array.from({ length }, (_, line) => value(line));
    if (of === "own") {
      if (margins.size < length) return null;
      return each((line) => margins.get(line)?.[metric as "size" | "sample"] ?? Number.NaN);
    }
    // Tests come from the kernel, and what needs all cells of an item.
    if (typeof of !== "number" || metric === "z" || metric === "confidence") return null;
    const along = { start: 0, end: length };
    const line = { start: of, end: of + 1 };
    const isHere =
      side === "rows" ? this.cells.coversSource(along, line) : this.cells.coversSource(line, along);
    if (!isHere) return null;
    const figures = emptyFigures();
    const { value } = metricOf(metric);
    return each((at) => {
      if (side === "rows") this.cells.sourceFigures(at, of, figures);
      else this.cells.sourceFigures(of, at, figures);
      return value(figures);
    });
  }
}

function named(side: Side, { of, metric }: Key): string {
  return `${side} ${of} ${metric}`;
}
