/**
 * One view of the grid at work: hears scrolling, keys and the pointer, moves the cursor, and has
 * the painter draw once a frame. What it knows of the table it asks the table.
 */
import { effect, type Signal, signal } from "@preact/signals";
import { copyText } from "../../shared/clipboard";
import type { WidgetHost } from "../../shared/host";
import { debounced, observeSize, onAbort } from "../../shared/lifetime";
import { type Span, scrollToShow } from "../../shared/windower";
import { tableText } from "./clipboard";
import {
  at,
  BASE_ROW,
  type Cursor,
  cellsIn,
  FROZEN_COLUMNS,
  FROZEN_ROWS,
  isCell,
  type Range,
  rangeOf,
  SAMPLE_COLUMN,
  SIZE_COLUMN,
  START,
  wholeTable,
} from "./cursor";
import { type Geometry, geometryFor, looseWidth, pageLength, withSurroundings } from "./geometry";
import { clamp, destination, type Extent, type Position } from "./keyboard";
import { Painter, type Viewport } from "./painter";
import type { Picked } from "./protocol";
import { strings } from "./strings";
import type { Table } from "./table";

const PICK_QUIET_MS = 150;

export class Controller {
  readonly cursor: Signal<Cursor> = signal(START);
  private readonly painter: Painter;
  private readonly document: Document;
  private frame = 0;
  private dragging = false;
  /** Of the scrolling box; it may be as narrow as the table. */
  private width = 0;
  private height = 0;
  /** The room that the notebook gives the widget. */
  private outerWidth = 0;
  private geometry: Geometry;
  private hasPicked = false;

  constructor(
    private readonly host: WidgetHost,
    private readonly table: Table,
    private readonly scroller: HTMLElement,
    private readonly detailsId: string,
  ) {
    this.document = host.root.ownerDocument;
    this.painter = new Painter(this.document, table);
    this.geometry = this.measured();
    scroller.append(this.painter.canvas);
    this.listen();
    this.follow();
    this.resize();
  }

  /** Copies the selection if it is more than one cell, else the whole table. */
  async copy(): Promise<void> {
    const { range, bases } = this.copied();
    try {
      const here = this.table.covers(range.rows, range.columns);
      const text = await tableText(this.table, range, bases);
      // Waiting for a busy kernel outlasts the browser's patience with a click.
      if (!(await copyText(text, this.host.root)))
        throw new Error(here ? strings.copyFailed : strings.copyAgain);
      this.host.announce(strings.copied(cellsIn(range)));
      this.table.trouble.value = null;
    } catch (error) {
      this.table.trouble.value = error instanceof Error ? error.message : strings.copyFailed;
    }
  }

  get selection(): Range | null {
    return rangeOf(this.cursor.peek());
  }

  // -- painting ------------------------------------------------------------------------------

  /** Asks for one painting before the next frame, however often it is called. */
  private invalidate(): void {
    if (this.frame !== 0 || this.host.lifetime.aborted) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    const hadFocus = this.scroller.contains(this.activeElement());
    this.geometry = this.measured();
    const drawn = this.painter.paint(this.viewport(), this.geometry, this.cursor.peek());
    // A screen more on every side: what is scrolled to next is there already.
    this.table.need(
      withSurroundings(drawn.rows, this.table.rowCount),
      withSurroundings(drawn.columns, this.table.columnCount),
    );
    const { scroller } = this;
    scroller.setAttribute("aria-rowcount", String(this.table.rowCount + FROZEN_ROWS));
    scroller.setAttribute("aria-colcount", String(this.table.columnCount + FROZEN_COLUMNS));
    const element = this.painter.elementAt(this.cursor.peek().focus);
    // A cursor out of sight leaves the tab order to the grid as a whole.
    scroller.tabIndex = element ? -1 : 0;
    if (hadFocus) this.focusElement(element);
  }

  private viewport(): Viewport {
    const { scrollLeft, scrollTop } = this.scroller;
    return { width: this.width, height: this.height, left: scrollLeft, top: scrollTop };
  }

  private measured(): Geometry {
    return geometryFor({ width: this.outerWidth, ...this.table.nameExtents });
  }

  private activeElement(): Element | null {
    return (this.host.root.getRootNode() as Document | ShadowRoot).activeElement;
  }

  private focusElement(element: HTMLElement | null): void {
    const wanted = element ?? this.scroller;
    if (this.activeElement() !== wanted) wanted.focus({ preventScroll: true });
    this.describe(element);
  }

  /** The focused cell is described by the line under the table. */
  private describe(element: HTMLElement | null): void {
    for (const other of this.scroller.querySelectorAll("[aria-describedby]")) {
      if (other !== element) other.removeAttribute("aria-describedby");
    }
    element?.setAttribute("aria-describedby", this.detailsId);
  }

  // -- hearing -------------------------------------------------------------------------------

  private listen(): void {
    const { scroller } = this;
    const { lifetime: signal } = this.host;
    scroller.addEventListener("scroll", () => this.invalidate(), { passive: true, signal });
    scroller.addEventListener("keydown", (event) => this.press(event), { signal });
    scroller.addEventListener("pointerdown", (event) => this.point(event), { signal });
    scroller.addEventListener("pointermove", (event) => this.drag(event), { signal });
    scroller.addEventListener("click", (event) => this.click(event), { signal });
    scroller.addEventListener("copy", (event) => this.copyEvent(event), { signal });
    scroller.addEventListener("focusin", (event) => this.enter(event), { signal });
    this.document.addEventListener("pointerup", () => this.drop(), { signal });
    observeSize(scroller, signal, () => this.resize());
    observeSize(this.host.root, signal, () => this.resize());
    onAbort(signal, () => cancelAnimationFrame(this.frame));
  }

  private follow(): void {
    const { table } = this;
    const pick = debounced(PICK_QUIET_MS, this.host.lifetime, () => this.pick());
    let shape = "";
    const stop = [
      effect(() => {
        table.revision.value;
        const now = `${table.state.value?.generation} ${table.transposed.value}`;
        if (now !== shape) this.restart();
        shape = now;
        this.invalidate();
      }),
      this.cursor.subscribe(() => {
        this.invalidate();
        pick();
      }),
    ];
    onAbort(this.host.lifetime, () => {
      for (const end of stop) end();
    });
  }

  /** Another table, or the same one turned: the cursor goes back to its first cell. */
  private restart(): void {
    this.cursor.value = START;
    this.scroller.scrollTo?.(0, 0);
  }

  private resize(): void {
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    this.outerWidth = this.host.root.clientWidth;
    this.invalidate();
  }

  private press(event: KeyboardEvent): void {
    const cursor = this.cursor.peek();
    if (event.key === "Escape") {
      if (cellsIn(rangeOf(cursor)) > 1) {
        event.preventDefault();
        this.cursor.value = at(cursor.focus);
      }
      return;
    }
    if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.selectAll();
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      void this.sortAt(cursor.focus);
      return;
    }
    const to = destination(event, cursor.focus, this.extent());
    if (to === null) return;
    event.preventDefault();
    this.moveTo(to, event.shiftKey);
  }

  private point(event: PointerEvent): void {
    const position = this.painter.positionOf(event.target);
    if (position === null || event.button !== 0) return;
    this.dragging = isCell(position);
    this.moveTo(position, event.shiftKey);
    this.focusElement(this.painter.elementAt(position));
  }

  private drag(event: PointerEvent): void {
    if (!this.dragging || event.buttons === 0) return;
    const position = this.painter.positionOf(event.target);
    if (position !== null && isCell(position)) this.moveTo(position, true);
  }

  private drop(): void {
    this.dragging = false;
  }

  private click(event: MouseEvent): void {
    const position = this.painter.positionOf(event.target);
    if (position !== null && !event.shiftKey) void this.sortAt(position);
  }

  private enter(event: FocusEvent): void {
    const position = this.painter.positionOf(event.target);
    this.describe(position === null ? null : (event.target as HTMLElement));
  }

  private copyEvent(event: ClipboardEvent): void {
    event.preventDefault();
    void this.copy();
  }

  // -- moving --------------------------------------------------------------------------------

  private moveTo(position: Position, extend: boolean): void {
    const to = clamp(position, this.extent());
    const { anchor } = this.cursor.peek();
    this.cursor.value = extend && isCell(anchor) && isCell(to) ? { focus: to, anchor } : at(to);
    this.reveal(to);
  }

  private selectAll(): void {
    const { rowCount, columnCount } = this.table;
    if (rowCount === 0 || columnCount === 0) return;
    const last = { row: rowCount + FROZEN_ROWS - 1, column: columnCount + FROZEN_COLUMNS - 1 };
    this.cursor.value = { focus: START.focus, anchor: last };
  }

  private reveal({ row, column }: Position): void {
    const { scroller, geometry } = this;
    if (row >= FROZEN_ROWS) {
      scroller.scrollTop = scrollToShow(row - FROZEN_ROWS, {
        scroll: scroller.scrollTop,
        viewport: this.bodyHeight(),
        size: geometry.row,
      });
    }
    if (column >= FROZEN_COLUMNS) {
      const loose = looseWidth(geometry);
      const scroll = scrollToShow(column - FROZEN_COLUMNS, {
        scroll: scroller.scrollLeft - loose,
        viewport: this.bodyWidth(),
        size: geometry.column,
      });
      scroller.scrollLeft = scroll + loose;
    } else if (column > 0 && looseWidth(geometry) > 0) {
      scroller.scrollLeft = 0;
    }
  }

  private extent(): Extent {
    const { table, geometry } = this;
    return {
      rows: table.rowCount + FROZEN_ROWS,
      columns: table.columnCount + FROZEN_COLUMNS,
      frozenRows: FROZEN_ROWS,
      frozenColumns: FROZEN_COLUMNS,
      pageRows: pageLength(this.bodyHeight(), geometry.row),
      pageColumns: pageLength(this.bodyWidth(), geometry.column),
    };
  }

  private bodyHeight(): number {
    return this.height - this.geometry.head - this.geometry.base;
  }

  private bodyWidth(): number {
    return this.width - this.geometry.frozen;
  }

  // -- doing ---------------------------------------------------------------------------------

  /** A header sorts; the corner puts rows back in the order of the query; a cell does nothing. */
  private async sortAt({ row, column }: Position): Promise<void> {
    const by = this.sortTarget(row, column);
    if (by === null) return;
    const sort = await this.table.sort(by.axis, by.by);
    this.host.announce(
      sort === null ? strings.unsorted : strings.sorted(by.name, sort.direction === "descending"),
    );
  }

  private sortTarget(row: number, column: number) {
    if (row === 0 && column === SIZE_COLUMN) {
      return { axis: "row", by: "size", name: strings.size } as const;
    }
    if (row === 0 && column === SAMPLE_COLUMN) {
      return { axis: "row", by: "sample", name: strings.sample } as const;
    }
    if (row === 0 && column >= FROZEN_COLUMNS) {
      const by = column - FROZEN_COLUMNS;
      return { axis: "row", by, name: this.table.columnName(by)?.name ?? "" } as const;
    }
    if (row === BASE_ROW && column === 0) {
      return { axis: "column", by: "size", name: strings.size } as const;
    }
    if (row >= FROZEN_ROWS && column === 0) {
      const by = row - FROZEN_ROWS;
      return { axis: "column", by, name: this.table.rowName(by)?.name ?? "" } as const;
    }
    return null;
  }

  private copied(): { range: Range; bases: boolean } {
    const whole = wholeTable(this.table.rowCount, this.table.columnCount);
    const range = this.selection;
    const all = cellsIn(range) <= 1 || cellsIn(range) === cellsIn(whole);
    return all || range === null ? { range: whole, bases: true } : { range, bases: false };
  }

  /** Tells Python which cells are selected, by their places in the query. */
  private pick(): void {
    // Until somebody has chosen a cell, nothing is selected.
    if (this.cursor.peek() === START && !this.hasPicked) return;
    this.hasPicked = true;
    const range = this.selection;
    const rows = range ? places(range.rows, (row) => this.table.sourceRow(row)) : [];
    const columns = range ? places(range.columns, (column) => this.table.sourceColumn(column)) : [];
    const picked: Picked = this.table.transposed.peek()
      ? { rows: columns, columns: rows }
      : { rows, columns };
    this.host.trait<Picked>("_picked").set(picked);
  }
}

function places(span: Span, source: (place: number) => number): number[] {
  return Array.from({ length: span.end - span.start }, (_, i) => source(span.start + i));
}
