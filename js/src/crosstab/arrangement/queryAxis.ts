/**
 * One axis of the table: its names, the counts of its audiences, and the positions of its visible
 * items.
 */
import type { Positions } from "../data/cells";
import { type Before, newIn } from "../data/last";
import type { Names } from "../data/names";
import type { Tile } from "../data/tiles";
import {
  type ArrangeOptions,
  arranged,
  type Group,
  laidOut,
  type Placed,
  type Shown,
  siblingsOf,
  treeOf,
} from "./arrange";
import { type Banner, plainBanner } from "./banner";

/** Weighted and unweighted count of an audience within the base; and that base, where rows differ. */
export interface Margin {
  readonly size: number;
  readonly sample: number;
  readonly base?: Omit<Margin, "base">;
  /** It is of the table before: the audience has not been counted since. */
  readonly isOld?: boolean;
}

export class QueryAxis {
  readonly margins = new Map<number, Margin>();
  /** The items that the table before did not have. */
  fresh: ReadonlySet<number> = new Set();
  banner: Banner = plainBanner(0);
  /** Rows of statistics among the items. */
  statistics: readonly Placed[] = [];
  shown: Shown = { order: null, count: 0, sections: [], extras: [] };
  private whole: Group = treeOf(this.banner);
  private lines: Map<number, number> | null = null;

  constructor(readonly names: Names) {}

  /**
   * Starts another table, some items of which the one before may have had. `banner` is what is known
   * of its groups; without it its items are not known yet, and none are shown.
   */
  reset(count: number, banner: Banner | null, before: Before | null = null): void {
    const margins = new Map(this.margins);
    this.margins.clear();
    before?.forEach((then, now) => {
      const margin = margins.get(then);
      if (margin) this.margins.set(now, { ...margin, isOld: true });
    });
    this.fresh = before ? newIn(before) : new Set();
    this.names.reset(count, before);
    this.banner = banner ?? plainBanner(0);
    this.whole = treeOf(this.banner, this.statistics);
    this.lay(() => false);
  }

  arrange(wishes: ArrangeOptions): void {
    this.whole = arranged(this.banner, wishes, this.statistics);
  }

  lay(isFolded: (groups: readonly string[]) => boolean): void {
    this.shown = laidOut(this.whole, this.banner, isFolded);
    this.lines = null;
  }

  /** Stores the counts of rows or columns that a tile contains. */
  noteMargins(tile: Tile, kind: "row" | "column", positions: Positions): void {
    const isRow = kind === "row";
    for (let i = 0; i < (isRow ? tile.rows : tile.columns); i++) {
      const at = (what: string) => tile.at(`${kind}_own_${what}`, isRow ? i : 0, isRow ? 0 : i);
      const base = { size: at("base_size"), sample: at("base_sample") };
      // Sent only where the bases of rows differ.
      const own = Number.isNaN(base.sample) ? null : { base };
      const margin = { size: at("size"), sample: at("sample"), ...own };
      // In a complete tile it is one that the service withholds.
      if (tile.complete || !Number.isNaN(margin.size))
        this.margins.set(positionAt(positions, i), margin);
    }
  }

  /** An item and those among which it can be moved, by their positions in the query. */
  siblings(source: number, level?: number): number[] {
    return siblingsOf(this.whole, source, level);
  }

  get count(): number {
    return this.shown.count;
  }

  /** The position in the query of a visible item; -1 for none. */
  source(line: number): number {
    const { order, count } = this.shown;
    return line >= 0 && line < count ? (order?.[line] ?? line) : -1;
  }

  /** The visible position of an item of the query; -1 for a hidden one. */
  line(source: number): number {
    const { order, count } = this.shown;
    if (order === null) return source < count ? source : -1;
    this.lines ??= new Map(Array.from(order, (place, line) => [place, line]));
    return this.lines.get(source) ?? -1;
  }
}

function positionAt(positions: Positions, i: number): number {
  return "start" in positions ? positions.start + i : (positions[i] ?? 0);
}
