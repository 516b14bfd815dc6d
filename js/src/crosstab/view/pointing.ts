/**
 * The pointer over the grid: selects cells and headers, opens menus, moves rows and columns by
 * their headers, and resizes at the edge of a header.
 */

import { isCell, NAMES_COLUMN, NAMES_ROW, type Position } from "../arrangement/position";
import { type LineTarget, targetAt } from "../arrangement/target";
import { within } from "../table/actions";
import type { Controller } from "./controller";
import { nameAt } from "./cursor";

/**
 * Pixels from a header's end that count as its edge, and pixels after which a press becomes a drag.
 */
const EDGE = 6;
const SLACK = 5;

type Gesture =
  | { readonly kind: "select" }
  | {
      readonly kind: "press";
      readonly target: LineTarget | null;
      readonly x: number;
      readonly y: number;
    }
  | { readonly kind: "move"; readonly target: LineTarget; onto: Drop | null }
  | {
      readonly kind: "size";
      readonly target: LineTarget | null;
      readonly from: number;
      readonly x: number;
    };

interface Drop {
  readonly target: LineTarget;
  readonly after: boolean;
}

export class Pointing {
  private gesture: Gesture | null = null;
  /** Set to ignore the click that ends a drag. */
  #dragged = false;
  private readonly marker: HTMLElement;

  constructor(
    private readonly grid: Controller,
    signal: AbortSignal,
  ) {
    const { scroller } = grid.viewport;
    const { ownerDocument: document } = scroller;
    this.marker = document.createElement("div");
    this.marker.className = "al-grid-drop";
    this.marker.hidden = true;
    grid.viewport.painter.canvas.append(this.marker);
    scroller.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    scroller.addEventListener("pointermove", (event) => this.#over(event), { signal });
    scroller.addEventListener("click", (event) => this.#click(event), { signal });
    scroller.addEventListener("dblclick", (event) => this.#fit(event), { signal });
    scroller.addEventListener("contextmenu", (event) => this.#menu(event), { signal });
    document.addEventListener("pointermove", (event) => this.#drag(event), { signal });
    document.addEventListener("pointerup", () => this.#up(), { signal });
    document.addEventListener("pointercancel", () => this.#end(), { signal });
  }

  #down(event: PointerEvent): void {
    const { grid } = this;
    const position = grid.viewport.painter.positionOf(event.target);
    this.#dragged = false;
    if (position === null || event.button !== 0) return;
    const edge = this.#edgeAt(event, position);
    if (edge) {
      event.preventDefault();
      this.gesture = edge;
      return;
    }
    const target = targetAt(grid.table.view, position);
    this.gesture =
      isCell(position) && !target
        ? { kind: "select" }
        : { kind: "press", target, x: event.clientX, y: event.clientY };
    // A click collapses a group of rows; it is selected by keyboard only.
    const isGroup = target?.axis === "row" && target.level !== undefined;
    const add = event.ctrlKey || event.metaKey;
    if (target && !event.shiftKey && (add || !isGroup)) grid.cursor.selectName(position, add);
    else grid.moveTo(position, event.shiftKey);
    grid.viewport.focusElement(grid.viewport.painter.elementAt(position));
  }

  /** Over the scroller: extends the selection, and shows which edges can be dragged. */
  #over(event: PointerEvent): void {
    const position = this.grid.viewport.painter.positionOf(event.target);
    if (this.gesture === null) {
      const edge = position && this.#edgeAt(event, position);
      this.grid.viewport.scroller.classList.toggle("is-sizing", Boolean(edge));
      return;
    }
    if (this.gesture.kind === "select" && event.buttons !== 0 && position && isCell(position))
      this.grid.moveTo(position, true);
  }

  #drag(event: PointerEvent): void {
    const { gesture } = this;
    if (gesture?.kind === "size")
      this.#size(gesture.target, gesture.from + event.clientX - gesture.x);
    if (gesture?.kind === "press" && gesture.target && isFar(gesture, event)) {
      this.gesture = { kind: "move", target: gesture.target, onto: null };
      this.grid.viewport.scroller.classList.add("is-moving");
    }
    if (this.gesture?.kind === "move") {
      this.gesture.onto = this.#dropAt(this.gesture.target, event);
      this.#showDrop(this.gesture.onto);
    }
  }

  #up(): void {
    const { gesture } = this;
    this.#dragged = gesture?.kind === "move" || gesture?.kind === "size";
    if (gesture?.kind === "move" && gesture.onto)
      this.grid.actions.drop(gesture.target, gesture.onto.target, gesture.onto.after);
    this.#end();
  }

  #end(): void {
    this.gesture = null;
    this.marker.hidden = true;
    this.grid.viewport.scroller.classList.remove("is-moving", "is-sizing");
  }

  #click(event: MouseEvent): void {
    const position = this.grid.viewport.painter.positionOf(event.target);
    const dragged = this.#dragged;
    this.#dragged = false;
    if (position === null || dragged || this.#edgeAt(event, position)) return;
    const target = targetAt(this.grid.table.view, position);
    const isGroup = target?.axis === "row" && target.level !== undefined;
    if (event.ctrlKey || event.metaKey || event.shiftKey || (target && !isGroup)) return;
    this.grid.act(position, false);
  }

  /** A double click on an edge fits the column to its name. */
  #fit(event: MouseEvent): void {
    const { grid } = this;
    const position = grid.viewport.painter.positionOf(event.target);
    const edge = position && this.#edgeAt(event, position);
    if (edge?.kind !== "size") return;
    event.preventDefault();
    const { sizes } = grid.viewport.layout;
    if (edge.target) grid.actions.setWidth(edge.target, sizes.fittingColumn(edge.target.name));
    else grid.actions.setNames(sizes.fittingNames);
  }

  #menu(event: MouseEvent): void {
    const { grid } = this;
    const position = grid.viewport.painter.positionOf(event.target);
    if (!position) return;
    event.preventDefault();
    // JupyterLab would open its own menu over this one, and take the keys.
    event.stopPropagation();
    grid.openMenu(position);
  }

  // -- edges ---------------------------------------------------------------------------------

  /** The edge under the pointer: of a column header, or of the row headers. */
  #edgeAt(event: MouseEvent, position: Position): Extract<Gesture, { kind: "size" }> | null {
    const { grid } = this;
    const isName = position.column === NAMES_COLUMN;
    if (position.row !== NAMES_ROW || (!isName && position.column < 0)) return null;
    const box = grid.viewport.painter.elementAt(position)?.getBoundingClientRect();
    if (!box || box.width === 0 || box.right - event.clientX > EDGE) return null;
    const target = isName ? null : targetAt(grid.table.view, position);
    return { kind: "size", target, from: box.width, x: event.clientX };
  }

  #size(target: LineTarget | null, width: number): void {
    if (target) this.grid.actions.setWidth(target, width);
    else this.grid.actions.setNames(within(width));
  }

  // -- moving items ----------------------------------------------------------------------------

  #dropAt(target: LineTarget, event: PointerEvent): Drop | null {
    const { actions, table, viewport } = this.grid;
    const root = viewport.scroller.getRootNode() as Document | ShadowRoot;
    const under = root.elementFromPoint?.(event.clientX, event.clientY) ?? null;
    const position = viewport.painter.positionOf(under);
    if (position === null) return null;
    // Dropping anywhere in a row or column is the same as dropping on its header.
    const header = nameAt(target.axis, target.axis === "row" ? position.row : position.column);
    const up =
      target.axis === "row" || target.level === undefined ? 0 : target.level - table.view.bandCount;
    const named = { ...header, row: header.row + up };
    const onto = targetAt(table.view, named);
    const box = viewport.painter.elementAt(named)?.getBoundingClientRect();
    if (!onto || !box || !actions.fits(target, onto)) return null;
    const after =
      target.axis === "row"
        ? event.clientY > box.top + box.height / 2
        : event.clientX > box.left + box.width / 2;
    return { target: onto, after };
  }

  #showDrop(drop: Drop | null): void {
    const { marker } = this;
    marker.hidden = drop === null;
    if (!drop) return;
    const { table, viewport } = this.grid;
    const { layout } = viewport;
    const { axis, lines, level } = drop.target;
    const along = table.view.along(axis);
    const shown = lines.map((line) => along.position(line)).filter((place) => place >= 0);
    const track = axis === "row" ? layout.rows : layout.columns;
    const [first, last] = [Math.min(...shown), Math.max(...shown)];
    const headed = axis === "row" && level !== undefined ? first - 1 : first;
    const at = drop.after ? track.offset(last) + track.size(last) : track.offset(headed);
    marker.classList.toggle("is-column", axis === "column");
    marker.style.top = axis === "row" ? `${layout.top + at}px` : "0";
    marker.style.left = axis === "row" ? "0" : `${layout.left + at}px`;
  }
}

function isFar(press: { readonly x: number; readonly y: number }, event: PointerEvent): boolean {
  return Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLACK;
}
