/** The numbers by which the items of a saved table are sorted or filtered, as the kernel has them. */
import type { Key } from "../../crosstab/arrangement/plan";
import type { CellCounts } from "../../crosstab/data/cellCounts";
import { metricOf } from "../../crosstab/metrics/metrics";

/** The cells of one axis, as input of a measure. */
interface MeasureSource {
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
