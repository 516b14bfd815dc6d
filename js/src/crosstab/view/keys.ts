/** The keyboard of the grid: what moves, what selects, and what is done with the line of a header. */

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
import { at, rangeOf } from "./cursor";
import { destination } from "./keyboard";

export class Keys {
  constructor(
    private readonly view: Controller,
    signal: AbortSignal,
  ) {
    view.scroller.addEventListener("keydown", (event) => this.press(event), { signal });
  }

  private press(event: KeyboardEvent): void {
    if (this.whole(event) || this.header(event)) {
      event.preventDefault();
      return;
    }
    const { view } = this;
    const { focus } = view.cursor.peek();
    const to = view.painter.bandStep(event, focus) ?? destination(event, focus, view.extent());
    if (to === null) return;
    event.preventDefault();
    view.moveTo(to, event.shiftKey);
  }

  /** Keys that mean the same everywhere in the grid. */
  private whole(event: KeyboardEvent): boolean {
    const { view } = this;
    const { cursor } = view;
    const far = event.ctrlKey || event.metaKey;
    const { names } = cursor.peek();
    if (event.key === "Escape" && (names || cellsIn(rangeOf(cursor.peek())) > 1)) {
      cursor.value = at(cursor.peek().focus);
      return true;
    }
    if (event.key === "a" && far) {
      view.selectAll();
      return true;
    }
    if (event.key === "f" && far && !event.shiftKey) {
      view.arranging.value = true;
      return true;
    }
    if (event.key === "?") {
      view.helping.value = true;
      return true;
    }
    return false;
  }

  /** Keys that mean something on a header only. */
  private header(event: KeyboardEvent): boolean {
    const { view } = this;
    const { focus } = view.cursor.peek();
    if (isMenu(event)) {
      view.openMenu(headerOf(view.table, focus));
      return true;
    }
    if (isCell(focus) && !view.table.section(focus.row)) return isAct(event);
    if (event.shiftKey && event.altKey) return this.widen(event, focus);
    const target = targetAt(view.table, headerOf(view.table, focus));
    const isGroup = target?.axis === "row" && target.level !== undefined;
    // macOS keeps Ctrl+Space to itself.
    if (event.key === " " && target && (event.shiftKey || event.ctrlKey || !isGroup)) {
      view.selectName(headerOf(view.table, focus));
      return true;
    }
    if (isAct(event)) {
      view.act(focus, event.shiftKey);
      return true;
    }
    return target !== null && this.line(event, target, focus);
  }

  private line(event: KeyboardEvent, target: LineTarget, focus: Position): boolean {
    const { view } = this;
    const [back, on] =
      target.axis === "row" ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    if (event.altKey && (event.key === back || event.key === on)) {
      view.actions.step(target, event.key === on ? 1 : -1);
      this.followLine(target, focus);
      return true;
    }
    const folds = target.axis === "row" && target.level !== undefined;
    if (folds && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const fold = event.key === "ArrowLeft";
      if (fold !== target.isFolded) view.actions.fold(target, fold);
      return true;
    }
    if (event.key === "h" && !event.ctrlKey && !event.metaKey) {
      view.actions.hide(target);
      return true;
    }
    return false;
  }

  /** The keyboard stays with the line that moved. */
  private followLine({ axis, lines, level }: LineTarget, focus: Position): void {
    const { table } = this.view;
    if (axis === "row") {
      const rows = lines.map((line) => table.displayRow(line)).filter((row) => row >= 0);
      if (rows.length > 0) {
        const first = Math.min(...rows) - (level === undefined ? 0 : 1);
        this.view.moveTo({ row: first, column: focus.column }, false);
      }
      return;
    }
    const columns = lines.map((line) => table.displayColumn(line)).filter((place) => place >= 0);
    if (columns.length > 0)
      this.view.moveTo({ row: focus.row, column: Math.min(...columns) }, false);
  }

  private widen(event: KeyboardEvent, focus: Position): boolean {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const { actions, layout, table } = this.view;
    if (by === 0) return false;
    if (focus.column === NAMES_COLUMN) actions.widenNames(layout.geometry.name, by);
    else if (focus.column >= 0 && focus.row <= BASE_ROW) {
      const target = targetAt(table, { row: NAMES_ROW, column: focus.column });
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
