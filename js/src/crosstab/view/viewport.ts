/**
 * The scroller of the table: what is visible, painted once a frame, and which element has the
 * focus.
 */
import { debounced, observeSize, onAbort } from "../../core/lifetime";
import type { GridWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { Side } from "../arrangement/plan";
import { NAMES_COLUMN, NAMES_ROW, type Position } from "../arrangement/position";
import { scrollToKeep, scrollToShow } from "../arrangement/track";
import type { Table } from "../table/table";
import type { Cursor } from "./cursor";
import { pageLength, withSurroundings } from "./geometry";
import type { Extent } from "./keyboard";
import { type Layout, Layouts } from "./layout";
import { Painter } from "./painter";
import { TextMeasure } from "./text";

/** Bars above and below the table where it fills what its container leaves, in rows. */
const BARS = 3;
/** Scrolling has ended after this time without a painting. */
const SETTLED_MS = 250;

export class Viewport {
  readonly painter: Painter;
  layout: Layout;
  readonly #layouts: Layouts;
  readonly #text: TextMeasure;
  readonly #document: Document;
  readonly #settle: () => void;
  #frame = 0;
  /** Width of the scroller, which may be as narrow as the table. */
  private width = 0;
  private height = 0;
  /** Width that the table can have, without its scroll bar. */
  #outerWidth = 0;
  /** Height that it may grow to. */
  #outerHeight = 0;
  /** Whether the table has the focus, even while the focused element is scrolled out of view. */
  #holdsKeyboard = false;

  constructor(
    private readonly host: WidgetHost<GridWidget>,
    private readonly table: Table,
    private readonly cursor: Cursor,
    readonly scroller: HTMLElement,
    private readonly detailsId: string,
  ) {
    const { lifetime: signal } = host;
    this.#document = host.root.ownerDocument;
    this.painter = new Painter(this.#document, table);
    this.#text = new TextMeasure(this.#document);
    scroller.append(this.#text.ruler);
    this.#text.readFont();
    this.#layouts = new Layouts(table, this.#text);
    this.layout = this.#layouts.of(this.#outerWidth, this.#outerHeight);
    this.#settle = debounced(SETTLED_MS, signal, () => this.painter.settle());
    scroller.append(this.painter.canvas);
    scroller.addEventListener("scroll", () => this.invalidate(), { passive: true, signal });
    scroller.addEventListener("focusin", (event) => this.#enter(event), { signal });
    scroller.addEventListener("focusout", (event) => this.#leave(event), { signal });
    observeSize(scroller, signal, () => this.#resize());
    observeSize(host.root, signal, () => this.#resize());
    observeSize(this.#text.ruler, signal, () => this.#resize());
    onAbort(signal, () => cancelAnimationFrame(this.#frame));
    this.#resize();
  }

  // -- painting ------------------------------------------------------------------------------

  /** Schedules one painting for the next frame, however often it is called. */
  invalidate(): void {
    if (this.#frame !== 0 || this.host.lifetime.aborted) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const { scroller } = this;
    const { view } = this.table;
    const hadFocus = this.#hasKeyboard();
    this.#lay();
    const { width, height } = this;
    const sight = { width, height, left: scroller.scrollLeft, top: scroller.scrollTop };
    const drawn = this.painter.paint(sight, this.layout, this.cursor.peek());
    this.#settle();
    // Loads a screen more on every side, so that cells are ready when scrolled to.
    view.need(
      withSurroundings(drawn.rows, view.rows.count),
      withSurroundings(drawn.columns, view.columns.count),
    );
    view.test(drawn.rows, drawn.columns);
    const headers = this.layout.bands - NAMES_ROW;
    scroller.setAttribute("aria-rowcount", String(view.rows.count + headers));
    scroller.setAttribute("aria-colcount", String(view.columns.count - NAMES_COLUMN));
    const element = this.painter.elementAt(this.cursor.peek().focus);
    // While the cursor is out of view, the grid itself is in the tab order.
    scroller.tabIndex = element ? -1 : 0;
    if (hadFocus) this.focusElement(element);
  }

  /**
   * Lays out; what is in view stays there, because columns and headers grow when their names arrive.
   */
  #lay(): void {
    const { scroller, layout: before } = this;
    const [left, top] = [scroller.scrollLeft - before.loose, scroller.scrollTop];
    this.layout = this.#layouts.of(this.#outerWidth, this.#outerHeight);
    const { columns, rows, loose } = this.layout;
    this.painter.size(this.layout, this.width);
    // The edge that the pointer holds stays under it.
    if (this.layout === before || scroller.classList.contains("is-sizing")) return;
    const [across, down] = [this.width - before.geometry.frozen, this.height - before.top];
    if (left > 0) scroller.scrollLeft = loose + scrollToKeep(left, across, before.columns, columns);
    if (top > 0) scroller.scrollTop = scrollToKeep(top, down, before.rows, rows);
  }

  #resize(): void {
    const { offsetWidth, clientWidth, clientHeight, parentElement } = this.scroller;
    this.width = clientWidth;
    this.height = clientHeight;
    this.#outerWidth = (parentElement?.clientWidth ?? 0) - (offsetWidth - clientWidth);
    const most = Number.parseFloat(getComputedStyle(this.scroller).maxHeight);
    const left = (parentElement?.clientHeight ?? 0) - BARS * this.#text.group;
    this.#outerHeight = Math.max(0, Number.isNaN(most) ? left : most);
    // A notebook draws the outputs of cells that are out of sight outside of the page.
    if (this.#text.readFont()) this.#layouts.forget();
    this.invalidate();
  }

  // -- focus ---------------------------------------------------------------------------------

  #activeElement(): Element | null {
    return (this.host.root.getRootNode() as Document | ShadowRoot).activeElement;
  }

  /**
   * A notebook that changes its size may detach or hide the table for a moment, which removes the
   * focus. The focus is restored unless another element has it by then.
   */
  #hasKeyboard(): boolean {
    const { activeElement, body } = this.#document;
    const isFree = activeElement === null || activeElement === body;
    return this.scroller.contains(this.#activeElement()) || (isFree && this.#holdsKeyboard);
  }

  focusElement(element: HTMLElement | null): void {
    const wanted = element ?? this.scroller;
    if (this.#activeElement() !== wanted) wanted.focus({ preventScroll: true });
    this.#describe(element);
  }

  /** The element that has the focus when the grid has it. */
  get focused(): HTMLElement {
    return this.painter.elementAt(this.cursor.peek().focus) ?? this.scroller;
  }

  /** Focuses the cursor's element, and brings it into the window. */
  focus(): void {
    const { focused } = this;
    focused.focus({ preventScroll: true });
    focused.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  /** The focused cell is described by the line under the table. */
  #describe(element: HTMLElement | null): void {
    for (const other of this.scroller.querySelectorAll("[aria-describedby]")) {
      if (other !== element) other.removeAttribute("aria-describedby");
    }
    element?.setAttribute("aria-describedby", this.detailsId);
  }

  #enter(event: FocusEvent): void {
    this.#holdsKeyboard = true;
    const position = this.painter.positionOf(event.target);
    this.#describe(position === null ? null : (event.target as HTMLElement));
  }

  /** A focus lost by scrolling out of view is not given up. */
  #leave({ target, relatedTarget }: FocusEvent): void {
    this.#holdsKeyboard = relatedTarget === null && !isShown(target as HTMLElement);
  }

  // -- scrolling -----------------------------------------------------------------------------

  /** Scrolls to the cursor, also after a resize. */
  showCursor(): void {
    this.#resize();
    this.reveal(this.cursor.peek().focus);
  }

  reveal({ row, column }: Position): void {
    const { scroller, layout } = this;
    if (row >= 0) {
      // The name of the group is pinned over its rows.
      const { pinned } = layout;
      const height = this.height - layout.top - pinned;
      const to = scrollToShow(layout.rows, row, scroller.scrollTop + pinned, height);
      scroller.scrollTop = to - pinned;
    }
    if (column >= 0) {
      const scroll = scroller.scrollLeft - layout.loose;
      const to = scrollToShow(layout.columns, column, scroll, this.#bodyWidth());
      scroller.scrollLeft = to + layout.loose;
    } else if (column > NAMES_COLUMN && layout.loose > 0) {
      scroller.scrollLeft = 0;
    }
  }

  /** Scrolls to the first column, and to the first row. */
  toStart(row: boolean): void {
    this.scroller.scrollLeft = 0;
    if (row) this.scroller.scrollTop = 0;
  }

  extent(): Extent {
    const { layout } = this;
    const { view, settings } = this.table;
    return {
      rows: view.rows.count,
      columns: view.columns.count,
      levels: layout.bands,
      hidden: settings.hiddenMargins.peek(),
      pageRows: pageLength(this.height - layout.top, layout.geometry.row),
      pageColumns: pageLength(this.#bodyWidth(), layout.geometry.column),
    };
  }

  /** The axis under the pointer: columns over the column headers, else rows. */
  sideAt({ clientY }: MouseEvent): Side {
    const { top } = this.scroller.getBoundingClientRect();
    const { rows, columns } = this.table.view;
    return clientY - top < this.layout.top ? columns.side : rows.side;
  }

  #bodyWidth(): number {
    return this.width - this.layout.geometry.frozen;
  }
}

function isShown(element: HTMLElement): boolean {
  return element.isConnected && element.getClientRects().length > 0;
}
