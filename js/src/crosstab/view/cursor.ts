/** The focused cell and the selection. Not a trait: each view of a crosstab has its own. */
import { type Signal, signal } from "@preact/signals";
import type { Span } from "../../core/windower";
import type { Side } from "../arrangement/plan";
import {
  isCell,
  NAMES_COLUMN,
  NAMES_ROW,
  type Position,
  type Range,
  wholeTable,
} from "../arrangement/position";
import type { Orientation, TableView } from "../arrangement/tableView";
import { type LineTarget, sourcesIn, targetAt } from "../arrangement/target";
import { clamp } from "./keyboard";

/** Rows or columns selected by their headers, by position in the query. */
export interface SelectedNames {
  readonly axis: Orientation;
  readonly lines: readonly number[];
}

export interface CursorState {
  readonly focus: Position;
  /** The corner where the selection began; the focus is the opposite corner. */
  readonly anchor: Position;
  /** No cell has been selected yet; the details line describes the first one. */
  readonly isStart?: true;
  /** Set only while the focus is in a header; cells are selected as a rectangle. */
  readonly names?: SelectedNames;
}

export class Cursor {
  readonly #state: Signal<CursorState> = signal(startAt(0));

  constructor(private readonly view: TableView) {}

  get value(): CursorState {
    return this.#state.value;
  }

  peek(): CursorState {
    return this.#state.peek();
  }

  subscribe(listen: () => void): () => void {
    return this.#state.subscribe(listen);
  }

  // -- moving --------------------------------------------------------------------------------

  /** Moves to a position, or the nearest that exists; `extend` selects from the anchor to it. */
  moveTo(position: Position, extend: boolean): Position {
    const focus = clamp(position, this.#extent);
    const { anchor } = this.peek();
    const names = extend ? this.#namesBetween(anchor, focus) : undefined;
    if (names) this.#state.value = { focus, anchor, names };
    else
      this.#state.value = extend && isCell(anchor) && isCell(focus) ? { focus, anchor } : at(focus);
    return focus;
  }

  /**
   * Selects the row or column of a header, or all items of a group; `add` toggles it in the
   * selection.
   */
  selectName(position: Position, add = false): void {
    const target = targetAt(this.view, position);
    if (!target) return;
    const { names, anchor } = this.peek();
    const { axis, lines } = target;
    const before = add && names?.axis === axis ? names.lines : [];
    const isIn = lines.every((line) => before.includes(line));
    const rest = before.filter((line) => !lines.includes(line));
    const now = isIn ? rest : [...rest, ...lines];
    this.#state.value = {
      focus: position,
      anchor: isIn && now.length > 0 ? anchor : position,
      ...(now.length > 0 && { names: { axis, lines: now } }),
    };
  }

  selectAll(): void {
    const { rows, columns } = this.view;
    if (rows.count === 0 || columns.count === 0) return;
    const anchor = { row: rows.count - 1, column: columns.count - 1 };
    this.#state.value = { focus: startAt(0).focus, anchor };
  }

  /** Keeps the focus and drops the rest of the selection. */
  collapse(): void {
    this.#state.value = at(this.peek().focus);
  }

  /** Resets the cursor for another table, or a transposed one. */
  restart(): void {
    this.#state.value = startAt(0);
  }

  /**
   * What is in focus and selected, by positions in the query; the function that is returned puts the
   * cursor there in the next table, given the positions in that one, -1 for an item that is gone.
   */
  leave(): (after: (side: Side, source: number) => number) => void {
    const { rows, columns } = this.view;
    const { focus, names, isStart } = this.peek();
    const [row, column] = [rows.source(focus.row), columns.source(focus.column)];
    const sides = { row: rows.side, column: columns.side };
    return (after) => {
      const placeOf = (axis: Orientation, source: number, now: number) => {
        const at = source < 0 ? -1 : this.view.along(axis).position(after(sides[axis], source));
        return at < 0 ? now : at;
      };
      const to = {
        row: placeOf("row", row, focus.row),
        column: placeOf("column", column, focus.column),
      };
      const kept = names?.lines.map((line) => after(sides[names.axis], line));
      const lines = kept?.filter((line) => line >= 0) ?? [];
      this.#state.value = {
        ...at(to),
        ...(isStart && { isStart }),
        ...(names && lines.length > 0 && { names: { axis: names.axis, lines } }),
      };
    };
  }

  /** Puts the cursor back where it was. */
  restore(state: CursorState): void {
    this.#state.value = state;
  }

  /**
   * Keeps the cursor within the table, and in the selection only rows and columns that are shown;
   * before a selection, on its first cell.
   */
  hold(): void {
    const { names, ...rest } = this.peek();
    const lines = names?.lines.filter((line) => this.view.along(names.axis).position(line) >= 0);
    const state = names && lines?.length ? { ...rest, names: { axis: names.axis, lines } } : rest;
    const { firstLine } = this.view;
    if (state.isStart) {
      if (state.focus.row !== firstLine) this.#state.value = startAt(firstLine);
      return;
    }
    const [focus, anchor] = [clamp(state.focus, this.#extent), clamp(state.anchor, this.#extent)];
    const isSmaller = names !== undefined && lines?.length !== names.lines.length;
    if (isSmaller || !isSame(focus, state.focus) || !isSame(anchor, state.anchor))
      this.#state.value = { ...state, focus, anchor };
  }

  get #extent() {
    const { rows, columns, bandCount: levels } = this.view;
    return { rows: rows.count, columns: columns.count, levels };
  }

  /** The rows or columns from one header to another; undefined unless both are on one axis. */
  #namesBetween(from: Position, to: Position): SelectedNames | undefined {
    const [one, other] = [targetAt(this.view, from), targetAt(this.view, to)];
    if (!one || !other || one.axis !== other.axis) return undefined;
    if (one.axis === "column" && (one.level !== undefined || other.level !== undefined))
      return undefined;
    const rows = between(from.row, to.row);
    const columns = between(from.column, to.column);
    return { axis: one.axis, lines: sourcesIn(this.view, { rows, columns })[one.axis] };
  }

  // -- what is selected ----------------------------------------------------------------------

  /** The row, column or group of a header, with the whole selection if it is part of it. */
  targetIn(position: Position): LineTarget | null {
    const state = this.peek();
    const target = targetAt(this.view, position);
    if (!target || (target.level !== undefined && !state.names)) return target;
    if (state.names && state.names.axis !== target.axis) return target;
    const selected = selectedIn(this.view, state)?.[target.axis] ?? [];
    return target.lines.length > 0 && target.lines.every((line) => selected.includes(line))
      ? { ...target, together: selected }
      : target;
  }

  /** The selected rows or columns as one target; null for none. */
  get namesTarget(): LineTarget | null {
    const { names, focus } = this.value;
    if (!names) return null;
    const lines = selectedIn(this.view, { names, focus, anchor: focus })?.[names.axis] ?? [];
    const [first] = lines;
    if (first === undefined) return null;
    const place = this.view.along(names.axis).position(first);
    const target = targetAt(this.view, nameAt(names.axis, place));
    return target && { ...target, together: lines };
  }
}

/** The header of a row or column. */
export function nameAt(axis: Orientation, place: number): Position {
  return axis === "row" ? { row: place, column: NAMES_COLUMN } : { row: NAMES_ROW, column: place };
}

/** The initial cursor; `row` is the first that is not a group's. */
function startAt(row: number): CursorState {
  return { ...at({ row, column: 0 }), isStart: true };
}

function at(position: Position): CursorState {
  return { focus: position, anchor: position };
}

/** The selected cells; null while the focus is in a header, or before a cell is selected. */
export function rangeOf({ focus, anchor, isStart }: CursorState): Range | null {
  if (isStart || !isCell(focus) || !isCell(anchor)) return null;
  return {
    rows: between(anchor.row, focus.row),
    columns: between(anchor.column, focus.column),
  };
}

function between(a: number, b: number): Span {
  return { start: Math.min(a, b), end: Math.max(a, b) + 1 };
}

/** The selected rows and columns by their positions in the query; null for none. */
export function selectedIn(
  view: TableView,
  cursor: CursorState,
): Record<Orientation, number[]> | null {
  const { names } = cursor;
  const range = names ? wholeTable(view.rows.count, view.columns.count) : rangeOf(cursor);
  if (!range) return null;
  const sources = sourcesIn(view, range);
  if (!names) return sources;
  const chosen = new Set(names.lines);
  return { ...sources, [names.axis]: sources[names.axis].filter((line) => chosen.has(line)) };
}

function isSame(one: Position, other: Position): boolean {
  return one.row === other.row && one.column === other.column;
}
