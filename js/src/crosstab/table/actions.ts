/**
 * Commands for the rows and columns of the table: each changes the arrangement and announces it.
 */

import { moveTo, stepOf } from "../arrangement/arrange";
import { type Level, nextSort } from "../arrangement/order";
import {
  type Filter,
  type Plan,
  type Side,
  withFolded,
  withHidden,
  withMove,
  withShown,
  withSort,
  withWidth,
} from "../arrangement/plan";
import type { LineTarget, SortTarget } from "../arrangement/target";
import { strings } from "../strings";
import type { Table } from "./table";

/** Keeps a value, its sign and its mark apart. */
const LEAST_WIDTH = 60;
const MOST_WIDTH = 800;
const WIDTH_STEP = 16;

export class LineActions {
  constructor(private readonly table: Table) {}

  // -- sorting -------------------------------------------------------------------------------

  /** Sorts an axis, or switches to the next direction; `add` keeps the existing levels. */
  sort({ side, by, name }: SortTarget, add = false): void {
    const sort = nextSort(this.plan(side).sort ?? [], by, add);
    this.change(side, withSort(this.plan(side), sort));
    const level = sort.find((one) => one.by === by);
    this.say(level ? strings.sorted(name, level.direction === "descending") : strings.unsorted);
  }

  setSort(side: Side, sort: readonly Level[]): void {
    this.change(side, withSort(this.plan(side), sort));
  }

  // -- hiding --------------------------------------------------------------------------------

  /** Hides a row, column or group, or all that are selected with it. */
  hide({ axis, side, together, lines, whole }: LineTarget): void {
    this.change(side, withHidden(this.plan(side), together));
    this.say(
      strings.hid(together.length > lines.length ? strings.items(axis, together.length) : whole),
    );
  }

  /** Shows hidden items again; all by default. */
  show(side: Side, lines?: readonly number[]): void {
    this.change(side, withShown(this.plan(side), lines));
    this.say(strings.shownAgain);
  }

  /** Shows an item again if it is hidden; resolves when the table shows it. */
  async bringBack(side: Side, line: number): Promise<void> {
    if (!this.plan(side).hidden?.includes(line)) return;
    this.show(side, [line]);
    await this.table.view.arranger.arrange(side);
  }

  setFilters(side: Side, filters: readonly Filter[]): void {
    this.change(side, { ...this.plan(side), filters });
  }

  // -- collapsing ----------------------------------------------------------------------------

  fold({ side, groups, whole, isFolded: folded }: LineTarget, fold = !folded): void {
    this.change(side, withFolded(this.plan(side), groups, fold));
    this.say(fold ? strings.folded(whole) : strings.unfolded(whole));
  }

  foldAll(side: Side, fold: boolean): void {
    const { sections } = this.table.view.axes[side].shown;
    const groups = fold ? sections.map((section) => section.groups) : [];
    this.change(side, { ...this.plan(side), folded: groups });
  }

  // -- moving --------------------------------------------------------------------------------

  /** Moves by one position forwards (1) or backwards (-1) among its siblings. */
  step(target: LineTarget, by: 1 | -1): void {
    const { side, level, whole } = target;
    const line = this.moving(target);
    const move = stepOf(this.siblings(target), line, by, level);
    if (!move) return;
    this.change(side, withMove(this.plan(side), move));
    this.say(strings.moved(whole, this.siblings(target).indexOf(line) + 1));
  }

  /** Moves before another item, or after it if the item comes from there. */
  drop(target: LineTarget, onto: LineTarget, after: boolean): void {
    const { side, level } = target;
    const siblings = this.siblings(target);
    const line = this.moving(target);
    const beside = siblings.findIndex((one) => onto.lines.includes(one));
    if (onto.side !== side || beside < 0) return;
    const move = moveTo(siblings, line, after ? beside + 1 : beside, level);
    if (move.before === line) return;
    this.change(side, withMove(this.plan(side), move));
    this.say(strings.moved(target.whole, this.siblings(target).indexOf(line) + 1));
  }

  /** Whether one may be moved beside the other: both are in the same group. */
  fits(target: LineTarget, onto: LineTarget): boolean {
    if (onto.side !== target.side || onto.level !== target.level) return false;
    return this.siblings(target).some((line) => onto.lines.includes(line));
  }

  // -- widths --------------------------------------------------------------------------------

  /** null resets to the default width. */
  setWidth({ side, lines: [line] }: LineTarget, width: number | null): void {
    if (line === undefined) return;
    this.change(side, withWidth(this.plan(side), line, width === null ? null : within(width)));
  }

  widen(target: LineTarget, from: number, by: 1 | -1): void {
    const width = within(from + by * WIDTH_STEP);
    this.setWidth(target, width);
    this.say(strings.wide(target.whole, width));
  }

  setNames(width: number | undefined): void {
    this.table.view.arranger.setNames(width === undefined ? undefined : within(width));
  }

  widenNames(from: number, by: 1 | -1): void {
    const width = within(from + by * WIDTH_STEP);
    this.setNames(width);
    this.say(strings.wide(strings.names, width));
  }

  // -- everything ----------------------------------------------------------------------------

  reset(): void {
    this.table.view.arranger.reset();
    this.say(strings.unsorted);
  }

  private plan(side: Side): Plan {
    return this.table.view.arranger.plan(side);
  }

  private change(side: Side, plan: Plan): void {
    this.table.view.arranger.change(side, plan);
  }

  private siblings({ side, lines, level }: LineTarget): number[] {
    return this.table.view.axes[side].siblings(lines[0] ?? -1, level);
  }

  /** The item that identifies a group among its siblings. */
  private moving(target: LineTarget): number {
    return this.siblings(target).find((line) => target.lines.includes(line)) ?? -1;
  }

  private say(sentence: string): void {
    this.table.announce(sentence);
  }
}

export function within(width: number): number {
  return Math.round(Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width)));
}
