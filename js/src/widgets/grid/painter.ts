/**
 * Paints the part of the table that is in sight into pooled elements: a row of elements for each
 * row on the screen, a slot in each for every column on the screen. Headers and bases are sticky,
 * so the browser itself scrolls them, never late. Nothing here asks, sorts or hears events.
 */
import { SlotPool, type Span, visibleSpan } from "../../shared/windower";
import {
  BASE_ROW,
  type Cursor,
  FROZEN_COLUMNS,
  FROZEN_ROWS,
  holds,
  type Range,
  rangeOf,
  SAMPLE_COLUMN,
  SIZE_COLUMN,
} from "./cursor";
import { emptyFigures } from "./figures";
import { type Geometry, looseWidth, originOf } from "./geometry";
import type { Position } from "./keyboard";
import { baseLook, type CellStyle, cellLook, headerLook, marginLook } from "./looks";
import { type MetricKey, metricLabel } from "./metrics";
import { ariaSort, type Sort } from "./order";
import { Painted } from "./painted";
import { strings } from "./strings";
import type { Table } from "./table";

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
}

/** What holds for one painting of the whole screen. */
interface Frame {
  readonly geometry: Geometry;
  readonly cursor: Cursor;
  /** How rows and how columns are sorted. */
  readonly rowSort: Sort | null;
  readonly columnSort: Sort | null;
  readonly style: CellStyle;
  readonly range: Range | null;
  readonly usedColumns: ReadonlySet<number>;
}

const OVERSCAN_ROWS = 6;
const OVERSCAN_COLUMNS = 2;

interface RowSlot {
  readonly element: HTMLElement;
  readonly head: Painted;
  readonly size: Painted;
  readonly sample: Painted;
  readonly cells: Painted[];
  index: number;
  /** Where it stands in the canvas, in pixels. */
  top: number;
}

export class Painter {
  readonly canvas: HTMLElement;
  private readonly header: RowSlot;
  private readonly base: RowSlot;
  private readonly body: RowSlot[] = [];
  private readonly rowPool = new SlotPool();
  private readonly columnPool = new SlotPool();
  private readonly places = new Map<Element, Position>();
  private readonly figures = emptyFigures();
  private rows: { index: number; slot: number }[] = [];
  private columns: { index: number; slot: number }[] = [];

  constructor(
    private readonly document: Document,
    private readonly table: Table,
  ) {
    this.canvas = this.make("al-grid-canvas", "presentation");
    this.header = this.makeRow("al-grid-row al-grid-header", "columnheader", "clamped");
    this.base = this.makeRow("al-grid-row al-grid-base", "gridcell", "two");
    this.canvas.append(this.header.element, this.base.element);
  }

  /** Draws what the viewport shows; answers the spans it drew. */
  paint(viewport: Viewport, geometry: Geometry, cursor: Cursor): { rows: Span; columns: Span } {
    const rows = this.rowsInSight(viewport, geometry);
    const columns = this.columnsInSight(viewport, geometry);
    this.rows = this.rowPool.assign(rows);
    this.columns = this.columnPool.assign(columns);
    this.places.clear();
    this.size(geometry);
    const { table } = this;
    const frame: Frame = {
      geometry,
      cursor,
      rowSort: table.sortOf("row"),
      columnSort: table.sortOf("column"),
      style: { metric: table.metric, heat: table.heat },
      range: rangeOf(cursor),
      usedColumns: new Set(this.columns.map(({ slot }) => slot)),
    };
    this.paintHeader(frame);
    this.paintBase(frame);
    this.paintBody(frame);
    return { rows, columns };
  }

  /** The element that shows a position now, if one does. */
  elementAt({ row, column }: Position): HTMLElement | null {
    const slot = this.rowSlot(row);
    if (!slot) return null;
    if (column < FROZEN_COLUMNS) return frozen(slot)[column]?.element ?? null;
    const place = this.columns.find(({ index }) => index === column - FROZEN_COLUMNS);
    return place ? (slot.cells[place.slot]?.element ?? null) : null;
  }

  /** The position that an element, or something inside it, shows now. */
  positionOf(target: EventTarget | null): Position | null {
    for (let node = target as Element | null; node && node !== this.canvas; ) {
      const place = this.places.get(node);
      if (place) return place;
      node = node.parentElement;
    }
    return null;
  }

  // -- rows ----------------------------------------------------------------------------------

  private paintHeader(frame: Frame): void {
    const { table, header } = this;
    const { rowSort, cursor } = frame;
    const label = metricLabel(table.metric.key as MetricKey, table.transposed.peek());
    header.head.show({ text: label, is: "corner" });
    this.paintMarginHeader(header.size, "size", strings.sizeMeaning, SIZE_COLUMN, frame);
    this.paintMarginHeader(header.sample, "sample", strings.sampleMeaning, SAMPLE_COLUMN, frame);
    this.paintFrozen(header, 0, frame);
    for (const { cell, column } of this.slots(header, 0, frame)) {
      const direction = ariaSort(rowSort, column);
      const near = cursor.focus.column === column + FROZEN_COLUMNS;
      cell.show(headerLook(table.columnName(column), direction, near));
      cell.set("aria-sort", direction);
    }
  }

  private paintMarginHeader(
    cell: Painted,
    by: "size" | "sample",
    title: string,
    column: number,
    { rowSort, cursor }: Frame,
  ): void {
    const direction = ariaSort(rowSort, by);
    cell.show({
      text: strings[by],
      is: headerModifier(direction, cursor.focus.column === column),
      title,
    });
    cell.set("aria-sort", direction);
  }

  private paintBase(frame: Frame): void {
    const { table, base } = this;
    const { name, sentence } = table.baseName;
    const direction = ariaSort(frame.columnSort, "size");
    base.head.show({
      text: strings.base(name),
      second: strings.baseParts,
      is: headerModifier(direction, frame.cursor.focus.row === BASE_ROW),
      title: sentence,
    });
    base.head.set("aria-sort", direction);
    base.size.show(marginLook(table.baseMargin, SIZE_COLUMN));
    base.sample.show(marginLook(table.baseMargin, SAMPLE_COLUMN));
    this.paintFrozen(base, BASE_ROW, frame);
    for (const { cell, column } of this.slots(base, BASE_ROW, frame)) {
      cell.show(baseLook(table.columnMargin(column)));
    }
  }

  private paintBody(frame: Frame): void {
    const used = new Set<number>();
    for (const { index, slot } of this.rows) {
      used.add(slot);
      this.paintRow(this.bodySlot(slot, index, frame.geometry), index, frame);
    }
    this.body.forEach((row, slot) => {
      row.element.hidden = !used.has(slot);
    });
  }

  private paintRow(slot: RowSlot, row: number, frame: Frame): void {
    const { table, figures } = this;
    const position = row + FROZEN_ROWS;
    const direction = ariaSort(frame.columnSort, row);
    slot.head.show(headerLook(table.rowName(row), direction, frame.cursor.focus.row === position));
    slot.head.set("aria-sort", direction);
    slot.size.show(marginLook(table.rowMargin(row), SIZE_COLUMN));
    slot.sample.show(marginLook(table.rowMargin(row), SAMPLE_COLUMN));
    this.paintFrozen(slot, position, frame);
    const { focus } = frame.cursor;
    for (const { cell, column } of this.slots(slot, position, frame)) {
      const selected = holds(frame.range, row, column);
      const current = position === focus.row && column + FROZEN_COLUMNS === focus.column;
      const known = table.figures(row, column, figures) ? figures : null;
      cell.show(cellLook(known, frame.style, current ? "current" : selected ? "selected" : ""));
      cell.set("aria-selected", selected ? "true" : "false");
    }
  }

  private paintFrozen(slot: RowSlot, row: number, frame: Frame): void {
    frozen(slot).forEach((cell, column) => {
      this.place(cell, { row, column }, frame);
    });
  }

  /** The cells of a row that are in sight, each put in its place; the others are hidden. */
  private *slots(
    row: RowSlot,
    position: number,
    frame: Frame,
  ): Generator<{ cell: Painted; column: number }> {
    const origin = originOf(frame.geometry);
    for (const { index: column, slot } of this.columns) {
      const cell = this.cellSlot(row, slot);
      cell.hide(false);
      cell.move(origin + column * frame.geometry.column);
      this.place(cell, { row: position, column: column + FROZEN_COLUMNS }, frame);
      yield { cell, column };
    }
    row.cells.forEach((cell, slot) => {
      if (!frame.usedColumns.has(slot)) cell.hide(true);
    });
  }

  private place(cell: Painted, position: Position, { cursor: { focus } }: Frame): void {
    cell.set("aria-colindex", String(position.column + 1));
    cell.rove(position.row === focus.row && position.column === focus.column);
    this.places.set(cell.element, position);
  }

  // -- geometry ------------------------------------------------------------------------------

  private rowsInSight({ top, height }: Viewport, geometry: Geometry): Span {
    return visibleSpan({
      scroll: top,
      viewport: Math.max(0, height - geometry.head - geometry.base),
      size: geometry.row,
      count: height > 0 ? this.table.rowCount : 0,
      overscan: OVERSCAN_ROWS,
    });
  }

  private columnsInSight({ left, width }: Viewport, geometry: Geometry): Span {
    return visibleSpan({
      scroll: left - looseWidth(geometry),
      viewport: Math.max(0, width - geometry.frozen),
      size: geometry.column,
      count: width > 0 ? this.table.columnCount : 0,
      overscan: OVERSCAN_COLUMNS,
    });
  }

  private size(geometry: Geometry): void {
    const { style } = this.canvas;
    style.width = `${originOf(geometry) + this.table.columnCount * geometry.column}px`;
    style.height = `${geometry.head + geometry.base + this.table.rowCount * geometry.row}px`;
    this.canvas.parentElement?.classList.toggle("is-narrow", looseWidth(geometry) > 0);
    for (const [name, pixels] of Object.entries(geometry)) {
      // On the scrolling box, which keeps what it scrolls to clear of the frozen parts.
      this.canvas.parentElement?.style.setProperty(`--${name}`, `${pixels}px`);
    }
  }

  // -- elements ------------------------------------------------------------------------------

  private rowSlot(row: number): RowSlot | undefined {
    if (row === 0) return this.header;
    if (row === BASE_ROW) return this.base;
    const place = this.rows.find(({ index }) => index === row - FROZEN_ROWS);
    return place && this.body[place.slot];
  }

  private bodySlot(slot: number, index: number, geometry: Geometry): RowSlot {
    let row = this.body[slot];
    if (!row) {
      row = this.makeRow("al-grid-row al-grid-line-row", "gridcell", "one");
      this.body[slot] = row;
      this.canvas.append(row.element);
    }
    const top = geometry.head + geometry.base + index * geometry.row;
    // The place changes with the height of the headers, too.
    if (row.top !== top) {
      row.top = top;
      row.element.style.top = `${top}px`;
    }
    if (row.index !== index) {
      row.index = index;
      row.element.setAttribute("aria-rowindex", String(index + FROZEN_ROWS + 1));
    }
    return row;
  }

  private cellSlot(row: RowSlot, slot: number): Painted {
    const known = row.cells[slot];
    if (known) return known;
    const cell =
      row === this.header
        ? this.makeCell("columnheader", "al-grid-cell al-grid-column", "clamped")
        : this.makeCell("gridcell", "al-grid-cell", row === this.base ? "two" : "one");
    row.cells[slot] = cell;
    row.element.append(cell.element);
    return cell;
  }

  private makeRow(
    className: string,
    role: "columnheader" | "gridcell",
    lines: "one" | "clamped" | "two",
  ): RowSlot {
    const element = this.make(className, "row");
    const isHeader = role === "columnheader";
    if (isHeader) element.setAttribute("aria-rowindex", "1");
    if (lines === "two") element.setAttribute("aria-rowindex", String(BASE_ROW + 1));
    const head = this.makeCell(
      isHeader ? "columnheader" : "rowheader",
      "al-grid-frozen al-grid-name",
      lines,
    );
    const size = this.makeCell(role, "al-grid-frozen al-grid-margin al-grid-size");
    const sample = this.makeCell(role, "al-grid-frozen al-grid-margin al-grid-sample");
    // One sticky box and not three: scrolling costs by the number of them.
    const lead = this.make("al-grid-lead", "presentation");
    lead.append(head.element, size.element, sample.element);
    element.append(lead);
    return { element, head, size, sample, cells: [], index: -1, top: -1 };
  }

  private makeCell(
    role: "gridcell" | "columnheader" | "rowheader",
    className: string,
    lines: "one" | "clamped" | "two" = "one",
  ): Painted {
    return new Painted(this.document, role, className, lines);
  }

  private make(className: string, role: string): HTMLElement {
    const element = this.document.createElement("div");
    element.className = className;
    element.setAttribute("role", role);
    return element;
  }
}

function frozen(slot: RowSlot): readonly Painted[] {
  return [slot.head, slot.size, slot.sample];
}

function headerModifier(sort: string, near: boolean): string {
  return [sort === "none" ? "" : sort, near ? "near" : ""].filter(Boolean).join(" ");
}
