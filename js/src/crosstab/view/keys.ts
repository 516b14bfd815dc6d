/** The keyboard of the grid: moving, selecting, and commands of a header. */

import {
  BASE_ROW,
  cellsIn,
  isCell,
  NAMES_COLUMN,
  NAMES_ROW,
  type Position,
} from "../arrangement/position";
import { headerOf, type LineTarget, targetAt } from "../arrangement/target";
import type { Controller } from "./controller";
import { rangeOf } from "./cursor";
import { destination } from "./keyboard";

export class Keys {
  constructor(
    private readonly grid: Controller,
    signal: AbortSignal,
  ) {
    grid.viewport.scroller.addEventListener("keydown", (event) => this.#press(event), { signal });
  }

  #press(event: KeyboardEvent): void {
    if (this.#whole(event) || this.#header(event)) {
      event.preventDefault();
      return;
    }
    const { grid } = this;
    const { focus } = grid.cursor.peek();
    const to =
      grid.viewport.painter.bandStep(event, focus) ??
      destination(event, focus, grid.viewport.extent());
    if (to === null) return;
    event.preventDefault();
    grid.moveTo(to, event.shiftKey);
    // The names are always in view: without this, the columns beside them would stay.
    if (event.key === "Home") grid.viewport.toStart(event.ctrlKey || event.metaKey);
  }

  /** Keys with the same meaning everywhere in the grid. */
  #whole(event: KeyboardEvent): boolean {
    const { grid } = this;
    const { cursor } = grid;
    const far = event.ctrlKey || event.metaKey;
    const { names } = cursor.peek();
    if (event.key === "Escape" && (names || cellsIn(rangeOf(cursor.peek())) > 1)) {
      cursor.collapse();
      return true;
    }
    if (event.key === "a" && far) {
      grid.cursor.selectAll();
      return true;
    }
    if (event.key === "f" && far && !event.shiftKey) {
      grid.arranging.value = true;
      return true;
    }
    if (event.key === "?") {
      grid.helping.value = true;
      return true;
    }
    return false;
  }

  /** Keys with a meaning on headers only. */
  #header(event: KeyboardEvent): boolean {
    const { grid } = this;
    const { focus } = grid.cursor.peek();
    if (isMenu(event)) {
      grid.openMenu(headerOf(grid.table.view, focus));
      return true;
    }
    if (isCell(focus) && !grid.table.view.rows.section(focus.row)) return isAct(event);
    if (event.shiftKey && event.altKey) return this.#widen(event, focus);
    const target = targetAt(grid.table.view, headerOf(grid.table.view, focus));
    const isGroup = target?.axis === "row" && target.level !== undefined;
    // macOS reserves Ctrl+Space.
    if (event.key === " " && target && (event.shiftKey || event.ctrlKey || !isGroup)) {
      grid.cursor.selectName(headerOf(grid.table.view, focus));
      return true;
    }
    if (isAct(event)) {
      grid.act(focus, event.shiftKey);
      return true;
    }
    return target !== null && this.#line(event, target, focus);
  }

  #line(event: KeyboardEvent, target: LineTarget, focus: Position): boolean {
    const { grid } = this;
    const [back, on] =
      target.axis === "row" ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    if (event.altKey && (event.key === back || event.key === on)) {
      grid.actions.step(target, event.key === on ? 1 : -1);
      this.#followLine(target, focus);
      return true;
    }
    const folds = target.axis === "row" && target.level !== undefined;
    if (folds && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const fold = event.key === "ArrowLeft";
      if (fold !== target.isFolded) grid.actions.fold(target, fold);
      return true;
    }
    if (event.key === "h" && !event.ctrlKey && !event.metaKey) {
      grid.actions.hide(target);
      return true;
    }
    return false;
  }

  /** The focus follows the item that moved. */
  #followLine({ axis, lines, level }: LineTarget, focus: Position): void {
    const along = this.grid.table.view.along(axis);
    const places = lines.map((line) => along.position(line)).filter((place) => place >= 0);
    if (places.length === 0) return;
    const first = Math.min(...places);
    // A group's row is before its items.
    const to = axis === "row" ? { row: first - (level === undefined ? 0 : 1) } : { column: first };
    this.grid.moveTo({ ...focus, ...to }, false);
  }

  #widen(event: KeyboardEvent, focus: Position): boolean {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const { actions, table, viewport } = this.grid;
    const { layout } = viewport;
    if (by === 0) return false;
    if (focus.column === NAMES_COLUMN) actions.widenNames(layout.geometry.name, by);
    else if (focus.column >= 0 && focus.row <= BASE_ROW) {
      const target = targetAt(table.view, { row: NAMES_ROW, column: focus.column });
      if (target) actions.widen(target, layout.columns.size(focus.column), by);
    }
    return true;
  }
}

function isAct(event: KeyboardEvent): boolean {
  return event.key === "Enter" || (event.key === " " && !event.ctrlKey && !event.shiftKey);
}

function isMenu(event: KeyboardEvent): boolean {
  return (
    event.key === "F2" || event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)
  );
}
