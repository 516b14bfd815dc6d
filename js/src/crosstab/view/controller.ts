/**
 * One view of the grid at work: its cursor, its viewport, and what keys, pointer and menus do with
 * them. Keys are heard in `keys.ts`, the pointer in `pointing.ts`.
 */
import { effect, type Signal, signal } from "@preact/signals";
import { debounced, onAbort } from "../../core/lifetime";
import type { GridWidget, SelectedCells } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { Side } from "../arrangement/plan";
import { holds, isCell, type Position } from "../arrangement/position";
import { sortTarget, targetAt } from "../arrangement/target";
import { LineActions } from "../panels/actions";
import type { Table } from "../table";
import { Cursor, rangeOf, selectedIn } from "./cursor";
import { Viewport } from "./viewport";

const PICK_QUIET_MS = 150;

export class Controller {
  readonly cursor: Cursor;
  readonly viewport: Viewport;
  readonly actions: LineActions;
  /** The header whose menu is open. */
  readonly menu: Signal<Position | null> = signal(null);
  /** Whether the panel of rows and columns is open, and whether the list of keys is. */
  readonly arranging: Signal<boolean> = signal(false);
  readonly helping: Signal<boolean> = signal(false);
  private hasPicked = false;
  /** The selection that this view sent last. */
  private sent: SelectedCells | null = null;

  constructor(
    private readonly host: WidgetHost<GridWidget>,
    readonly table: Table,
    scroller: HTMLElement,
    detailsId: string,
  ) {
    this.actions = new LineActions(table);
    this.cursor = new Cursor(table.view);
    this.viewport = new Viewport(host, table, this.cursor, scroller, detailsId);
    this.follow();
  }

  private follow(): void {
    const { cursor, viewport } = this;
    const { session, view, revision } = this.table;
    const pick = debounced(PICK_QUIET_MS, this.host.lifetime, () => this.pick());
    let shape = "";
    let laid = view.layoutVersion;
    const stop = [
      effect(() => {
        revision.value;
        const now = `${session.state.value?.generation} ${view.transposed.value}`;
        if (now !== shape) {
          cursor.restart();
          this.menu.value = null;
          viewport.scroller.scrollTo?.(0, 0);
        }
        shape = now;
        // Other items may by now be where the selected ones were.
        if (laid !== view.layoutVersion && this.hasSentLast) pick();
        laid = view.layoutVersion;
        cursor.hold();
        viewport.invalidate();
      }),
      cursor.subscribe(() => {
        viewport.invalidate();
        pick();
      }),
    ];
    onAbort(this.host.lifetime, () => {
      for (const end of stop) end();
    });
  }

  moveTo(position: Position, extend: boolean): void {
    this.viewport.reveal(this.cursor.moveTo(position, extend));
  }

  /** To the cell of a row and a column of the query; false where they are not shown. */
  jump(cell: Readonly<Record<Side, number>>): boolean {
    const { rows, columns } = this.table.view;
    const to = {
      row: rows.position(cell[rows.side]),
      column: columns.position(cell[columns.side]),
    };
    if (!isCell(to)) return false;
    this.moveTo(to, false);
    return true;
  }

  /**
   * Opens the menu of a name or a cell. As in a spreadsheet, the menu of one that is selected is
   * about all that is selected; of another one, that one is selected first.
   */
  openMenu(position: Position): void {
    const target = this.cursor.targetIn(position);
    if (target) {
      if (target.together === target.lines) this.cursor.selectName(position);
    } else if (!holds(rangeOf(this.cursor.peek()), position.row, position.column)) {
      this.moveTo(position, false);
    }
    this.menu.value = position;
  }

  /** A header sorts, a group collapses; a cell does nothing. */
  act(position: Position, add: boolean): void {
    const { view } = this.table;
    const sort = sortTarget(view, position);
    if (sort) {
      this.actions.sort(sort, add);
      return;
    }
    const target = targetAt(view, position);
    if (target?.axis === "row") this.actions.fold(target);
  }

  /** Sends which cells are selected, by their positions in the query. */
  private pick(): void {
    // Until a cell is chosen, nothing is selected.
    if (this.cursor.peek().isStart && !this.hasPicked) return;
    this.hasPicked = true;
    const { view } = this.table;
    const { row, column } = selectedIn(view, this.cursor.peek()) ?? { row: [], column: [] };
    const picked: SelectedCells = view.inQuery(row, column);
    if (this.hasSentLast && JSON.stringify(picked) === JSON.stringify(this.sent)) return;
    this.sent = picked;
    this.host.trait("_selected_cells").set(picked);
  }

  /** Whether the selection that Python knows is this view's, and not another one's. */
  private get hasSentLast(): boolean {
    return this.sent !== null && this.host.trait("_selected_cells").peek() === this.sent;
  }
}
