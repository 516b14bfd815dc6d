/** What a header stands for: a line, the head over some lines, or the figures of all of them. */
import type { Span } from "../../core/windower";
import type { Table } from "../data/table";
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

type Axis = "row" | "column";

/** A line or a head, for whoever does something with it. */
export interface LineTarget {
  /** How it is seen, and on which side of the query it stands. */
  readonly axis: Axis;
  readonly side: Side;
  readonly name: string;
  /** Its lines by their places in the query: one, or all that stand under a head. */
  readonly lines: readonly number[];
  /** `lines`, or all selected lines where the line is one of them. */
  readonly together: readonly number[];
  readonly heads: readonly string[];
  /** Which depth of head it is, outermost 0; undefined for a line. */
  readonly level?: number;
  readonly isFolded: boolean;
}

/** Something else that can be done with rows or columns, offered in the menu of a name. */
export interface LineCommand {
  readonly id: string;
  /** On the button that appears while names are selected; none without. */
  name?(target: LineTarget): string;
  readonly hint?: string;
  label(target: LineTarget): string;
  /** Why it is not possible with these; "" where it is. */
  refusal(target: LineTarget): string;
  run(target: LineTarget): void;
}

export function targetAt(table: Table, { row, column }: Position): LineTarget | null {
  if (row < NAMES_ROW && column >= 0) {
    const level = row - NAMES_ROW + table.bandCount;
    const section = table
      .band(level)
      .find((one) => column >= one.at && column < one.at + one.count);
    return section ? headTarget(table, "column", section) : null;
  }
  if (row === NAMES_ROW && column >= 0) return lineTarget(table, "column", column);
  if (row >= 0 && column === NAMES_COLUMN) {
    const section = table.section(row);
    return section ? headTarget(table, "row", section) : lineTarget(table, "row", row);
  }
  return null;
}

/** The selected lines by their places in the query; heads among the rows are not lines. */
export function sourcesIn(table: Table, { rows, columns }: Range): Record<Axis, number[]> {
  return {
    row: places(rows, (row) => table.sourceRow(row)),
    column: places(columns, (column) => table.sourceColumn(column)),
  };
}

function places(span: Span, source: (place: number) => number): number[] {
  const all = Array.from({ length: span.end - span.start }, (_, i) => source(span.start + i));
  return all.filter((place) => place >= 0);
}

/** The row of a head is one cell, whichever column the cursor is in. */
export function headerOf(table: Table, { row, column }: Position): Position {
  return table.section(row) ? { row, column: NAMES_COLUMN } : { row, column };
}

function lineTarget(table: Table, axis: "row" | "column", place: number): LineTarget | null {
  const source = axis === "row" ? table.sourceRow(place) : table.sourceColumn(place);
  const name = axis === "row" ? table.rowName(place) : table.columnName(place);
  if (source < 0) return null;
  const lines = [source];
  return {
    axis,
    side: axis === "row" ? table.rowSide : table.columnSide,
    name: name?.name ?? "",
    lines,
    together: lines,
    heads: name?.heads ?? [],
    isFolded: false,
  };
}

function headTarget(table: Table, axis: "row" | "column", section: Section): LineTarget {
  const side = axis === "row" ? table.rowSide : table.columnSide;
  const { heads, isFolded } = section;
  const lines = linesUnder(table, side, section);
  return {
    axis,
    side,
    name: heads.at(-1) ?? "",
    lines,
    together: lines,
    heads,
    level: heads.length - 1,
    isFolded,
  };
}

/** The lines under a head, by their places in the query, those that are hidden among them. */
function linesUnder(table: Table, side: Side, { heads, first }: Section): number[] {
  const { runs } = table.axes[side].banner;
  const under = (other: readonly string[]) => heads.every((head, i) => head === other[i]);
  const lines: number[] = [];
  let start = 0;
  for (const { heads: over, end } of runs) {
    if (under(over)) for (let line = start; line < end; line++) lines.push(line);
    else if (lines.includes(first)) return lines;
    else lines.length = 0;
    start = end;
  }
  return lines;
}

/** What a header sorts: rows by a column, columns by a row, either by figures of their own. */
export interface SortTarget {
  readonly side: Side;
  readonly by: By;
  readonly name: string;
}

export function sortTarget(table: Table, { row, column }: Position): SortTarget | null {
  const { rowSide, columnSide } = table;
  if (row === NAMES_ROW && column === SIZE_COLUMN)
    return { side: rowSide, by: "size", name: strings.size };
  if (row === NAMES_ROW && column === SAMPLE_COLUMN)
    return { side: rowSide, by: "sample", name: strings.sample };
  if (row === BASE_ROW && column === NAMES_COLUMN)
    return { side: columnSide, by: "size", name: strings.size };
  const target = targetAt(table, { row, column });
  const [by] = target?.lines ?? [];
  if (!target || target.level !== undefined || by === undefined) return null;
  return { side: target.axis === "column" ? rowSide : columnSide, by, name: target.name };
}
