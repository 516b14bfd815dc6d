/** The target of a header's commands: an item, a group of items, or the counts of all items. */
import type { Span } from "../../core/windower";
import { strings } from "../strings";
import type { Section } from "./arrange";
import type { By } from "./order";
import type { Side } from "./plan";
import {
  BASE_ROW,
  NAMES_COLUMN,
  NAMES_ROW,
  type Position,
  type Range,
  SAMPLE_COLUMN,
  SIZE_COLUMN,
} from "./position";
import type { Orientation, TableView } from "./tableView";

/** A row, a column or a group that a command applies to. */
export interface LineTarget {
  /** Its visible orientation, and its axis of the query. */
  readonly axis: Orientation;
  readonly side: Side;
  readonly name: string;
  /** Its name in sentences, with groups where it needs them. */
  readonly whole: string;
  /** Its items by their positions in the query: one, or all items of a group. */
  readonly lines: readonly number[];
  /** `lines`, or all selected items if it is one of them. */
  readonly together: readonly number[];
  readonly groups: readonly string[];
  /** The level of a group, outermost 0; undefined for an item. */
  readonly level?: number;
  /** Of a group, its first item, or `~` of its first statistic; and the number of its rows. */
  readonly first?: number;
  readonly total?: number;
  readonly isFolded: boolean;
}

/** A further command for rows or columns, offered in the menu of a header. */
export interface LineCommand {
  readonly id: string;
  /** The label of its button in the selection bar; without it there is no button. */
  name?(target: LineTarget): string;
  readonly hint?: string;
  label(target: LineTarget): string;
  /** Why the command is not available for these items; "" where it is. */
  refusal(target: LineTarget): string;
  run(target: LineTarget): void;
}

/** What the switch of a group offers: the forms of its question. */
export interface FormChoice {
  /** Equal where it looks the same. */
  readonly key: string;
  readonly forms: readonly {
    readonly name: string;
    readonly isShown: boolean;
    show(): void;
  }[];
  /** The edges of the bins that are shown, and what lets them be changed. */
  readonly bins?: string;
  editBins?(button: HTMLElement): void;
}

export function targetAt(view: TableView, { row, column }: Position): LineTarget | null {
  if (row < NAMES_ROW && column >= 0) {
    const level = row - NAMES_ROW + view.bandCount;
    const section = view.band(level).find(({ at, count }) => column >= at && column < at + count);
    return section ? groupTarget(view, "column", section) : null;
  }
  if (row === NAMES_ROW && column >= 0) return itemTarget(view, "column", column);
  if (row >= 0 && column === NAMES_COLUMN) {
    const section = view.rows.section(row);
    return section ? groupTarget(view, "row", section) : itemTarget(view, "row", row);
  }
  return null;
}

/** The selected items by their positions in the query, without row groups. */
export function sourcesIn(
  view: TableView,
  { rows, columns }: Range,
): Record<Orientation, number[]> {
  return { row: view.rows.sources(places(rows)), column: view.columns.sources(places(columns)) };
}

function places({ start, end }: Span): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

/** A group's row is one cell, whichever column the cursor is in. */
export function headerOf(view: TableView, { row, column }: Position): Position {
  return view.rows.section(row) ? { row, column: NAMES_COLUMN } : { row, column };
}

function itemTarget(view: TableView, axis: Orientation, place: number): LineTarget | null {
  const along = view.along(axis);
  const source = along.source(place);
  if (source < 0) return null;
  const lines = [source];
  const { name = "", groups = [] } = along.name(place) ?? {};
  const whole = along.wholeName(place);
  return { axis, side: along.side, name, whole, lines, together: lines, groups, isFolded: false };
}

export function groupTarget(view: TableView, axis: Orientation, section: Section): LineTarget {
  const { side } = view.along(axis);
  const { groups, isFolded, first, total } = section;
  const lines = linesUnder(view, side, section);
  const [name, level] = [groups.at(-1) ?? "", groups.length - 1];
  const whole = groups.join(" › ");
  const shown = { axis, side, name, whole, lines, together: lines, groups, level };
  return { ...shown, first, total, isFolded };
}

/** The items of a group by their positions in the query, including hidden ones. */
function linesUnder(view: TableView, side: Side, { groups, first }: Section): number[] {
  if (first < 0) return [];
  const { runs } = view.axes[side].banner;
  const under = (other: readonly string[]) => groups.every((head, i) => head === other[i]);
  const lines: number[] = [];
  let start = 0;
  for (const { groups: over, end } of runs) {
    if (under(over)) for (let line = start; line < end; line++) lines.push(line);
    else if (lines.includes(first)) return lines;
    else lines.length = 0;
    start = end;
  }
  return lines;
}

/** What a header sorts: rows by a column, columns by a row, or either by their own counts. */
export interface SortTarget {
  readonly side: Side;
  readonly by: By;
  readonly name: string;
}

export function sortTarget(view: TableView, { row, column }: Position): SortTarget | null {
  const [rowSide, columnSide] = [view.rows.side, view.columns.side];
  if (row === NAMES_ROW && column === SIZE_COLUMN)
    return { side: rowSide, by: "size", name: strings.size };
  if (row === NAMES_ROW && column === SAMPLE_COLUMN)
    return { side: rowSide, by: "sample", name: strings.sample };
  if (row === BASE_ROW && column === NAMES_COLUMN)
    return { side: columnSide, by: "size", name: strings.size };
  const target = targetAt(view, { row, column });
  const [by] = target?.lines ?? [];
  if (!target || target.level !== undefined || by === undefined) return null;
  return { side: target.axis === "column" ? rowSide : columnSide, by, name: target.whole };
}
