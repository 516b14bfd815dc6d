/**
 * One view of the grid at work: moves the cursor, scrolls, and has the painter draw once a frame.
 * Keys are heard in `keys.ts`, the pointer in `pointing.ts`. What it knows of the table it asks
 * the table.
 */
import { effect, type Signal, signal } from "@preact/signals";
import { debounced, observeSize, onAbort } from "../../core/lifetime";
import type { GridWidget, SelectedCells } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { Side } from "../arrangement/plan";
import { holds, isCell, NAMES_COLUMN, NAMES_ROW, type Position } from "../arrangement/position";
import { sortTarget, sourcesIn, targetAt } from "../arrangement/target";
import { scrollToShow } from "../arrangement/track";
import type { Table } from "../data/table";
import { LineActions } from "../panels/actions";
import { at, between, type Cursor, rangeOf, selectedIn, startAt, targetIn } from "./cursor";
import { pageLength, textWidthIn, withSurroundings } from "./geometry";
import { HeaderTools } from "./headerTools";
import { clamp, type Extent } from "./keyboard";
import { Keys } from "./keys";
import { type Layout, Layouts } from "./layout";
import { Painter, type Viewport } from "./painter";
import { Pointing } from "./pointing";

const PICK_QUIET_MS = 150;
/** Without a painting for so long, scrolling has stopped. */
const SETTLED_MS = 250;

export class Controller {
  readonly cursor: Signal<Cursor> = signal(startAt(0));
  /** The header whose menu is open. */
  readonly menu: Signal<Position | null> = signal(null);
  /** Whether the panel of the lines is open, and whether the list of keys is. */
  readonly arranging: Signal<boolean> = signal(false);
  readonly helping: Signal<boolean> = signal(false);
  readonly actions: LineActions;
  readonly painter: Painter;
  layout: Layout;
  private readonly layouts: Layouts;
  private readonly document: Document;
  private readonly settle: () => void;
  private frame = 0;
  /** Of the scrolling box; it may be as narrow as the table. */
  private width = 0;
  private height = 0;
  /** The room that the notebook gives the widget. */
  private outerWidth = 0;
  private hasPicked = false;
  /** What this view told last of what is selected. */
  private told: SelectedCells | null = null;
  /** Whether the keyboard is the table's, also while what had it is out of sight. */
  private holdsKeyboard = false;

  constructor(
    private readonly host: WidgetHost<GridWidget>,
    readonly table: Table,
    readonly scroller: HTMLElement,
    private readonly detailsId: string,
  ) {
    this.document = host.root.ownerDocument;
    this.actions = new LineActions(table);
    this.layouts = new Layouts(table, textWidthIn(scroller));
    this.painter = new Painter(this.document, table);
    this.layout = this.layouts.of(this.outerWidth);
    this.settle = debounced(SETTLED_MS, host.lifetime, () => this.painter.settle());
    scroller.append(this.painter.canvas);
    this.listen();
    this.follow();
    this.resize();
  }

  // -- painting ------------------------------------------------------------------------------

  /** Asks for one painting before the next frame, however often it is called. */
  invalidate(): void {
    if (this.frame !== 0 || this.host.lifetime.aborted) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    const hadFocus = this.hasKeyboard();
    this.layout = this.layouts.of(this.outerWidth);
    const drawn = this.painter.paint(this.viewport(), this.layout, this.cursor.peek());
    this.settle();
    // A screen more on every side: what is scrolled to next is there already.
    this.table.need(
      withSurroundings(drawn.rows, this.table.rowCount),
      withSurroundings(drawn.columns, this.table.columnCount),
    );
    const { scroller } = this;
    const heads = this.layout.bands - NAMES_ROW;
    scroller.setAttribute("aria-rowcount", String(this.table.rowCount + heads));
    scroller.setAttribute("aria-colcount", String(this.table.columnCount - NAMES_COLUMN));
    const element = this.painter.elementAt(this.cursor.peek().focus);
    // A cursor out of sight leaves the tab order to the grid as a whole.
    scroller.tabIndex = element ? -1 : 0;
    if (hadFocus) this.focusElement(element);
  }

  private viewport(): Viewport {
    const { scrollLeft, scrollTop } = this.scroller;
    return { width: this.width, height: this.height, left: scrollLeft, top: scrollTop };
  }

  private activeElement(): Element | null {
    return (this.host.root.getRootNode() as Document | ShadowRoot).activeElement;
  }

  /**
   * A notebook that makes room may take the table out of the page or out of sight for a moment, and
   * the browser then takes the keyboard from it. Unless somebody else has it by now, it comes back.
   */
  private hasKeyboard(): boolean {
    const { activeElement, body } = this.document;
    const isFree = activeElement === null || activeElement === body;
    return this.scroller.contains(this.activeElement()) || (isFree && this.holdsKeyboard);
  }

  focusElement(element: HTMLElement | null): void {
    const wanted = element ?? this.scroller;
    if (this.activeElement() !== wanted) wanted.focus({ preventScroll: true });
    this.describe(element);
  }

  /** What has the keyboard when the grid has it. */
  get focused(): HTMLElement {
    return this.painter.elementAt(this.cursor.peek().focus) ?? this.scroller;
  }

  /** Gives the keyboard to the cursor, wherever it is. */
  focus(): void {
    this.focused.focus({ preventScroll: true });
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
    scroller.addEventListener("focusin", (event) => this.enter(event), { signal });
    scroller.addEventListener("focusout", (event) => this.leave(event), { signal });
    new Keys(this, signal);
    new Pointing(this, this.document, signal);
    new HeaderTools(this, this.document, signal);
    observeSize(scroller, signal, () => this.resize());
    observeSize(this.host.root, signal, () => this.resize());
    onAbort(signal, () => cancelAnimationFrame(this.frame));
  }

  private follow(): void {
    const { table } = this;
    const pick = debounced(PICK_QUIET_MS, this.host.lifetime, () => this.pick());
    let shape = "";
    let laid = table.layoutVersion;
    const stop = [
      effect(() => {
        table.revision.value;
        const now = `${table.state.value?.generation} ${table.transposed.value}`;
        if (now !== shape) this.restart();
        shape = now;
        // Other lines may stand by now where the selected ones stood.
        if (laid !== table.layoutVersion && this.hasToldLast) pick();
        laid = table.layoutVersion;
        this.hold();
        this.begin();
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
    this.cursor.value = startAt(0);
    this.menu.value = null;
    this.scroller.scrollTo?.(0, 0);
  }

  /** Until somebody chose a cell, the first one is meant, wherever heads stand before it. */
  private begin(): void {
    const { focus, isStart } = this.cursor.peek();
    const first = this.table.firstLine;
    if (isStart && focus.row !== first) this.cursor.value = startAt(first);
  }

  /** Where fewer rows or columns are shown than before, the cursor stays among them. */
  private hold(): void {
    const { focus, anchor, isStart } = this.cursor.peek();
    if (isStart) return;
    const extent = {
      rows: this.table.rowCount,
      columns: this.table.columnCount,
      levels: this.table.bandCount,
    };
    const held = {
      ...this.cursor.peek(),
      focus: clamp(focus, extent),
      anchor: clamp(anchor, extent),
    };
    if (!isSame(held.focus, focus) || !isSame(held.anchor, anchor)) this.cursor.value = held;
  }

  private resize(): void {
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    this.outerWidth = this.host.root.clientWidth;
    this.invalidate();
  }

  private enter(event: FocusEvent): void {
    this.holdsKeyboard = true;
    const position = this.painter.positionOf(event.target);
    this.describe(position === null ? null : (event.target as HTMLElement));
  }

  /** What is out of sight did not give the keyboard away. */
  private leave({ target, relatedTarget }: FocusEvent): void {
    this.holdsKeyboard = relatedTarget === null && !isShown(target as HTMLElement);
  }

  // -- moving --------------------------------------------------------------------------------

  moveTo(position: Position, extend: boolean): void {
    const to = clamp(position, this.extent());
    const { anchor } = this.cursor.peek();
    const names = extend ? this.namesBetween(anchor, to) : undefined;
    if (names) this.cursor.value = { focus: to, anchor, names };
    else
      this.cursor.value = extend && isCell(anchor) && isCell(to) ? { focus: to, anchor } : at(to);
    this.reveal(to);
  }

  /** Selects the row or column of a name, or all of a group; `add` keeps or drops single ones. */
  readonly selectName = (position: Position, add = false): void => {
    const target = targetAt(this.table, position);
    if (!target) return;
    const { names, anchor } = this.cursor.peek();
    const { axis, lines } = target;
    const before = add && names?.axis === axis ? names.lines : [];
    const isIn = lines.every((line) => before.includes(line));
    const rest = before.filter((line) => !lines.includes(line));
    const now = isIn ? rest : [...rest, ...lines];
    this.cursor.value = {
      focus: position,
      anchor: isIn && now.length > 0 ? anchor : position,
      ...(now.length > 0 && { names: { axis, lines: now } }),
    };
  };

  /** The rows or columns from one name to another; undefined unless both are of one side. */
  private namesBetween(from: Position, to: Position): Cursor["names"] {
    const [one, other] = [targetAt(this.table, from), targetAt(this.table, to)];
    if (!one || !other || one.axis !== other.axis) return undefined;
    if (one.axis === "column" && (one.level !== undefined || other.level !== undefined))
      return undefined;
    const { row, column } = to;
    const spans = sourcesIn(this.table, {
      rows: between(from.row, row),
      columns: between(from.column, column),
    });
    return { axis: one.axis, lines: spans[one.axis] };
  }

  /** To the cell of two lines of the query, and with the keyboard there. */
  jump(row: number, column: number): boolean {
    const to = {
      row: this.table.displayRow(row),
      column: this.table.displayColumn(column),
    };
    if (!isCell(to)) return false;
    this.moveTo(to, false);
    return true;
  }

  /** Scrolls to the cursor, in the room that there is by now. */
  showCursor(): void {
    this.resize();
    this.reveal(this.cursor.peek().focus);
  }

  selectAll(): void {
    const { rowCount, columnCount } = this.table;
    if (rowCount === 0 || columnCount === 0) return;
    const last = { row: rowCount - 1, column: columnCount - 1 };
    this.cursor.value = { focus: startAt(0).focus, anchor: last };
  }

  private reveal({ row, column }: Position): void {
    const { scroller, layout } = this;
    if (row >= 0) {
      // The name of the group stays over its rows.
      const { pinned } = layout;
      const height = this.height - layout.top - pinned;
      const to = scrollToShow(layout.rows, row, scroller.scrollTop + pinned, height);
      scroller.scrollTop = to - pinned;
    }
    if (column >= 0) {
      const scroll = scroller.scrollLeft - layout.loose;
      const to = scrollToShow(layout.columns, column, scroll, this.bodyWidth());
      scroller.scrollLeft = to + layout.loose;
    } else if (column > NAMES_COLUMN && layout.loose > 0) {
      scroller.scrollLeft = 0;
    }
  }

  extent(): Extent {
    const { table, layout } = this;
    return {
      rows: table.rowCount,
      columns: table.columnCount,
      levels: layout.bands,
      hidden: table.showing.hiddenMargins.peek(),
      pageRows: pageLength(this.height - layout.top, layout.geometry.row),
      pageColumns: pageLength(this.bodyWidth(), layout.geometry.column),
    };
  }

  /** The side of the query that the pointer means: names over the columns, or the rows. */
  sideAt({ clientY }: MouseEvent): Side {
    const { top } = this.scroller.getBoundingClientRect();
    return clientY - top < this.layout.top ? this.table.columnSide : this.table.rowSide;
  }

  private bodyWidth(): number {
    return this.width - this.layout.geometry.frozen;
  }

  // -- doing ---------------------------------------------------------------------------------

  /**
   * Opens the menu of a name or a cell. As in a spreadsheet, the menu of one that is selected is
   * about all that is selected; of another one, that one is selected first.
   */
  openMenu(position: Position): void {
    const cursor = this.cursor.peek();
    const target = targetIn(this.table, position, cursor);
    if (target) {
      if (target.together === target.lines) this.selectName(position);
    } else if (!holds(rangeOf(cursor), position.row, position.column)) {
      this.moveTo(position, false);
    }
    this.menu.value = position;
  }

  /** A header sorts, a head folds; a cell does nothing. */
  act(position: Position, add: boolean): void {
    const sort = sortTarget(this.table, position);
    if (sort) {
      this.actions.sort(sort, add);
      return;
    }
    const target = targetAt(this.table, position);
    if (target?.axis === "row") this.actions.fold(target);
  }

  /** Tells Python which cells are selected, by their places in the query. */
  private pick(): void {
    // Until somebody has chosen a cell, nothing is selected.
    if (this.cursor.peek().isStart && !this.hasPicked) return;
    this.hasPicked = true;
    const { row: rows, column: columns } = selectedIn(this.table, this.cursor.peek()) ?? {
      row: [],
      column: [],
    };
    const picked: SelectedCells = this.table.transposed.peek()
      ? { rows: columns, columns: rows }
      : { rows, columns };
    // The same again would be news to nobody.
    if (this.hasToldLast && JSON.stringify(picked) === JSON.stringify(this.told)) return;
    this.told = picked;
    this.host.trait("_picked").set(picked);
  }

  /** Whether the selection that Python knows is this view's, and not another one's. */
  private get hasToldLast(): boolean {
    return this.told !== null && this.host.trait("_picked").peek() === this.told;
  }
}

function isShown(element: HTMLElement): boolean {
  return element.isConnected && element.getClientRects().length > 0;
}

function isSame(one: Position, other: Position): boolean {
  return one.row === other.row && one.column === other.column;
}
