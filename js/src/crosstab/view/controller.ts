/**
 * One view of the grid: its cursor, its viewport, and the commands of keys, pointer and menus. Keys
 * are handled in `keys.ts`, the pointer in `pointing.ts`.
 */
import { effect, type Signal, signal } from "@preact/signals";
import { debounced, onAbort } from "../../core/lifetime";
import type { GridWidget, SelectedCells } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { Side } from "../arrangement/plan";
import { holds, isCell, type Position } from "../arrangement/position";
import { sortTarget, targetAt } from "../arrangement/target";
import { LineActions } from "../table/actions";
import type { Table } from "../table/table";
import { Cursor, rangeOf, selectedIn } from "./cursor";
import { Viewport } from "./viewport";

const PICK_QUIET_MS = 150;

export class Controller {
  readonly cursor: Cursor;
  readonly viewport: Viewport;
  readonly actions: LineActions;
  /** The header whose menu is open. */
  readonly menu: Signal<Position | null> = signal(null);
  /** Whether the rows & columns panel is open, and below, whether the keyboard help is. */
  readonly arranging: Signal<boolean> = signal(false);
  readonly helping: Signal<boolean> = signal(false);
  #hasPicked = false;
  /** The selection that this view sent last. */
  #sent: SelectedCells | null = null;

  constructor(
    private readonly host: WidgetHost<GridWidget>,
    readonly table: Table,
    scroller: HTMLElement,
    detailsId: string,
  ) {
    this.actions = new LineActions(table);
    this.cursor = new Cursor(table.view);
    this.viewport = new Viewport(host, table, this.cursor, scroller, detailsId);
    this.#follow();
  }

  #follow(): void {
    const { cursor, viewport } = this;
    const { session, view, revision } = this.table;
    const pick = debounced(PICK_QUIET_MS, this.host.lifetime, () => this.#pick());
    let shape = "";
    let laid = view.layoutVersion;
    let left: ReturnType<Cursor["leave"]> | null = null;
    this.table.onLeave(() => {
      left = cursor.leave();
    });
    const stop = [
      effect(() => {
        revision.value;
        const now = `${session.generation} ${view.transposed.value}`;
        if (now !== shape) {
          this.menu.value = null;
          if (left && this.table.isContinued) left((...item) => this.table.after(...item));
          else {
            cursor.restart();
            viewport.scroller.scrollTo?.(0, 0);
          }
          left = null;
        }
        shape = now;
        // Other items may now be at the positions of the selection.
        if (laid !== view.layoutVersion && this.#hasSentLast) pick();
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

  /** Goes to a cell of the query; false where it is not shown. */
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
   * Opens the menu of a header or a cell. As in a spreadsheet, the menu of a selected item applies
   * to the whole selection. Of another item it applies to that alone, and nothing is selected: what
   * is copied and exported afterwards is the table.
   */
  openMenu(position: Position): void {
    const target = this.cursor.targetIn(position);
    const isSelected = target
      ? target.together !== target.lines
      : holds(rangeOf(this.cursor.peek()), position.row, position.column);
    if (!isSelected) this.moveTo(position, false);
    this.menu.value = position;
  }

  /** Sorts by a header, collapses or expands a group; does nothing for a cell. */
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

  /** Sends the selected cells by their positions in the query. */
  #pick(): void {
    // Before the user selects a cell, nothing is selected.
    if (this.cursor.peek().isStart && !this.#hasPicked) return;
    this.#hasPicked = true;
    const { view } = this.table;
    const { row, column } = selectedIn(view, this.cursor.peek()) ?? { row: [], column: [] };
    const picked: SelectedCells = view.inQuery(row, column);
    if (this.#hasSentLast && JSON.stringify(picked) === JSON.stringify(this.#sent)) return;
    this.#sent = picked;
    this.host.trait("_selected_cells").set(picked);
  }

  /** Whether this view sent the selection that Python has. */
  get #hasSentLast(): boolean {
    return this.#sent !== null && this.host.trait("_selected_cells").peek() === this.#sent;
  }
}
