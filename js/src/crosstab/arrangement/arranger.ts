/**
 * Applies the arrangement trait to both axes: loads what sorting and filtering need, arranges again
 * when the table or the metric changes, and tells Python which items are shown. Items are
 * identified by their positions in the query. No DOM.
 */
import { childLifetime } from "../../core/lifetime";
import type { Trait } from "../../core/traits";
import type { MetricName, ShownItems } from "../../protocol";
import type { ArrangeOptions } from "./arrange";
import type { Measures } from "./measures";
import { comparedBy } from "./order";
import {
  type Arrangement,
  filterKey,
  isFolded,
  isPlain,
  type Plan,
  passes,
  type Side,
  sortKey,
} from "./plan";
import type { QueryAxis } from "./queryAxis";

const SIDES = ["rows", "columns"] as const;

export interface ArrangerOptions {
  readonly lifetime: AbortSignal;
  readonly trait: Trait<Arrangement>;
  /** What is shown, for Python. */
  readonly shown: Trait<ShownItems | null>;
  readonly transposed: Trait<boolean>;
  readonly axes: Readonly<Record<Side, QueryAxis>>;
  readonly measures: Measures;
  /** The first metric in the cells, for sort levels that name no metric. */
  metric(): MetricName;
  /** Whether the table is complete: before, its order is not final. */
  isComplete(): boolean;
  /** The axis that is shown as rows, where groups can be collapsed. */
  rowSide(): Side;
  onArranged(): void;
  onError(error: unknown): void;
}

export class Arranger {
  private generation = -1;
  private readonly arranging: Partial<Record<Side, AbortController>> = {};
  /** Axes whose order is not known yet. */
  private readonly pending = new Set<Side>();
  private seen: Arrangement = {};

  constructor(private readonly options: ArrangerOptions) {
    const stop = options.trait.signal.subscribe(() => this.follow());
    options.lifetime.addEventListener("abort", stop);
  }

  /** The arrangement of one axis. */
  plan(side: Side): Plan {
    return this.state[side] ?? {};
  }

  /** Width of the row names, if the user set it. */
  get names(): number | undefined {
    return this.state.names;
  }

  get isPlain(): boolean {
    return this.names === undefined && SIDES.every((side) => isPlain(this.plan(side)));
  }

  /** Whether an axis has its order: a sorted one gets it when the table is complete. */
  isSettled(side: Side): boolean {
    const isSorted = (this.plan(side).sort ?? []).length > 0;
    return !this.pending.has(side) && (!isSorted || this.options.isComplete());
  }

  change(side: Side, plan: Plan): void {
    this.send({ ...this.state, [side]: plan });
  }

  setNames(names: number | undefined): void {
    const { names: _, ...others } = this.state;
    this.send(names === undefined ? others : { ...others, names });
  }

  /** Shows all items in the order of the query. */
  reset(): void {
    this.send({});
  }

  begin(generation: number): void {
    this.generation = generation;
    this.seen = {};
    this.arrangeAll();
  }

  /** Called when values change: the table is complete, or shows another metric. */
  arrangeAll(): void {
    this.renew(SIDES);
  }

  /** Called when rows and columns are swapped. */
  lay(): void {
    for (const side of SIDES) this.laySide(side);
    this.options.onArranged();
    this.tell();
  }

  private renew(sides: readonly Side[]): void {
    for (const side of sides) this.pending.add(side);
    for (const side of sides) void this.arrange(side);
  }

  /** Resolves when an axis is arranged by its plan. */
  async arrange(side: Side): Promise<void> {
    const { axes, measures } = this.options;
    this.arranging[side]?.abort();
    const arranging = childLifetime(this.options.lifetime);
    this.arranging[side] = arranging;
    const { signal } = arranging;
    const plan = this.plan(side);
    const keys = [
      ...(plan.sort ?? []).map((level) => sortKey(level, this.options.metric())),
      ...(plan.filters ?? []).map(filterKey),
    ];
    try {
      const here = keys.map((key) => measures.here(side, key));
      // Without missing values nothing is awaited, so that the change is visible in the next frame.
      const values = here.every((known) => known !== null)
        ? here
        : await Promise.all(keys.map((key) => measures.get(side, key, signal)));
      if (signal.aborted) return;
      axes[side].arrange(wishesOf(plan, values));
      this.pending.delete(side);
      this.laySide(side);
      this.options.onArranged();
      this.tell();
    } catch (error) {
      if (!signal.aborted) this.options.onError(error);
    }
  }

  private laySide(side: Side): void {
    const plan = this.plan(side);
    const folds = side === this.options.rowSide();
    this.options.axes[side].lay((groups) => folds && isFolded(plan, groups));
  }

  /** Positions in another query have no meaning here. */
  private get state(): Arrangement {
    const state = this.options.trait.peek() ?? {};
    return state.generation === this.generation ? state : {};
  }

  /** An arrangement, in one message with the items that it shows where these are known at once. */
  private send(arrangement: Arrangement): void {
    const { trait } = this.options;
    const state = { ...arrangement, generation: this.generation };
    trait.set(state, false);
    trait.set(state);
  }

  /** Tells Python what is shown, so that an export has the order on the screen. */
  private tell(): void {
    const { axes, isComplete, metric, shown, transposed } = this.options;
    const [rows, columns] = [this.plan("rows"), this.plan("columns")];
    if (this.pending.size > 0 || !isComplete() || [rows, columns].every(isPlain)) return;
    const positions = (axis: QueryAxis) =>
      Array.from({ length: axis.count }, (_, line) => axis.source(line));
    shown.set({
      arrangement: { generation: this.generation, rows, columns },
      metric: metric(),
      transposed: transposed.peek(),
      rows: positions(axes.rows),
      columns: positions(axes.columns),
    });
  }

  private follow(): void {
    const { state, seen } = this;
    this.seen = state;
    this.renew(SIDES.filter((side) => state[side] !== seen[side]));
    if (state.names !== seen.names) this.options.onArranged();
  }
}

function wishesOf(plan: Plan, values: readonly Float64Array[]): ArrangeOptions {
  const { sort = [], filters = [] } = plan;
  const keys = sort.map(({ direction }, i) => ({
    values: values[i] ?? new Float64Array(),
    direction,
  }));
  const tests = filters.map((filter, i) => {
    const figures = values[sort.length + i] ?? new Float64Array();
    return (line: number) => passes(filter, figures[line] ?? Number.NaN);
  });
  return {
    compare: keys.length > 0 ? comparedBy(keys) : null,
    moves: plan.moves ?? [],
    hidden: new Set(plan.hidden),
    passes: tests.length > 0 ? (line) => tests.every((test) => test(line)) : null,
  };
}
