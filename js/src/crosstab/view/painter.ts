/**
 * Paints the visible part of the table into pooled elements: one row element for each visible row,
 * with a slot for each visible column. Headers and bases are sticky, so the browser scrolls them
 * without delay. The painter sends no requests and handles no events.
 */
import { SlotPool, type Span } from "../../core/windower";
import type { Section } from "../arrangement/arrange";
import type { By } from "../arrangement/order";
import {
  BASE_ROW,
  holds,
  NAMES_COLUMN,
  NAMES_ROW,
  type Position,
  SAMPLE_COLUMN,
  SIZE_COLUMN,
} from "../arrangement/position";
import type { Orientation, TableView } from "../arrangement/tableView";
import { groupTarget } from "../arrangement/target";
import { emptyFigures } from "../data/cellCounts";
import { sharedWords } from "../data/names";
import { strings } from "../strings";
import type { Table } from "../table/table";
import { baseView, cellView, headerView, joined, marginView } from "./cellStyle";
import { type CursorState, rangeOf } from "./cursor";
import { Bands } from "./groups";
import type { Frame, Layout, Sight } from "./layout";
import type { Painted } from "./painted";
import { type BodySlot, frozen, type HeadRow, type RowSlot, Slots } from "./slots";
import { statisticSample, statisticSize, statisticView } from "./statisticStyle";

const MARGIN_HEADERS = [
  ["size", SIZE_COLUMN, strings.size, `${strings.size}: ${strings.sizeMeaning}`],
  ["sample", SAMPLE_COLUMN, strings.sampleShort, `${strings.sample}: ${strings.sampleMeaning}`],
] as const;
const OVERSCAN_ROWS = 6;
const OVERSCAN_COLUMNS = 2;

export class Painter {
  readonly canvas: HTMLElement;
  private readonly view: TableView;
  readonly #slots: Slots;
  readonly #bands: Bands;
  private readonly header: RowSlot;
  private readonly base: RowSlot;
  /**
   * The name of the first visible row's group, shown while the group's own row is scrolled away.
   */
  readonly #pinned: HTMLElement;
  readonly #body: BodySlot[] = [];
  readonly #rowPool = new SlotPool();
  readonly #columnPool = new SlotPool();
  private readonly figures = emptyFigures();
  #rows: { index: number; slot: number }[] = [];
  #columns: { index: number; slot: number }[] = [];
  #bandCount = 0;

  constructor(
    document: Document,
    private readonly table: Table,
  ) {
    this.view = table.view;
    this.#slots = new Slots(document);
    this.canvas = this.#slots.make("al-grid-canvas", "presentation");
    this.#pinned = this.#slots.make("al-grid-pinned", "presentation");
    // Screen readers get the groups from the rows.
    this.#pinned.setAttribute("aria-hidden", "true");
    this.header = this.#slots.header();
    this.base = this.#slots.base();
    this.canvas.append(this.header.element, this.base.element, this.#pinned);
    this.#bands = new Bands(this.#slots, table.view, this.header.element);
  }

  /** Paints the visible part; returns the painted spans. */
  paint(sight: Sight, layout: Layout, cursor: CursorState): { rows: Span; columns: Span } {
    const { width, height, left, top } = sight;
    const rows = layout.rows.span(top, height - layout.top, OVERSCAN_ROWS);
    const room = width - layout.geometry.frozen;
    const columns = layout.columns.span(left - layout.loose, room, OVERSCAN_COLUMNS);
    this.#rows = this.#rowPool.assign(rows);
    this.#columns = this.#columnPool.assign(columns);
    this.#bandCount = layout.bands;
    const frame: Frame = {
      layout,
      cursor,
      style: this.table.settings.style.peek(),
      range: rangeOf(cursor),
      usedColumns: new Set(this.#columns.map(({ slot }) => slot)),
      named: this.#named(cursor),
    };
    this.#bands.paint(columns, frame);
    this.#paintHeader(frame);
    this.#paintBase(frame);
    this.#paintBody(frame);
    this.#pin(top, layout);
    return { rows, columns };
  }

  #named({ names }: CursorState): Frame["named"] {
    const none = new Set<number>();
    if (!names) return { row: none, column: none };
    const axis = this.view.along(names.axis);
    const shown = new Set(names.lines.map((line) => axis.position(line)));
    return { row: none, column: none, [names.axis]: shown };
  }

  /** Puts elements into the order of rows and columns, in which screen readers read them. */
  settle(): void {
    const bodies = this.#rows.flatMap(({ slot }) => {
      const { line, head } = this.#body[slot] ?? {};
      return [line, head].flatMap((row) => (row && !row.element.hidden ? row.element : []));
    });
    inOrder(this.canvas, bodies);
    const lines = this.#rows.flatMap(({ slot }) => this.#body[slot]?.line ?? []);
    for (const { element, cells } of [this.header, this.base, ...lines])
      inOrder(
        element,
        this.#columns.flatMap(({ slot }) => cells[slot]?.element ?? []),
      );
  }

  /** The element that shows a position; null for none. */
  elementAt({ row, column }: Position): HTMLElement | null {
    if (row < NAMES_ROW) return this.#bands.elementAt(row, column);
    const slot = this.#rowSlot(row);
    if (!slot) return null;
    if ("line" in slot) return slot.head?.cells[0]?.element ?? null;
    if (column < 0) return frozen(slot)[column - NAMES_COLUMN]?.element ?? null;
    const place = this.#columns.find(({ index }) => index === column);
    return place ? (slot.cells[place.slot]?.element ?? null) : null;
  }

  /** The position shown by an element or its ancestor. */
  positionOf(target: EventTarget | null): Position | null {
    for (let node = target as Element | null; node && node !== this.canvas; ) {
      const cell = this.#slots.owners.get(node);
      if (cell) return { row: cell.row, column: cell.column };
      node = node.parentElement;
    }
    return null;
  }

  /** Where an arrow key leads from a group over the columns; null for other positions. */
  bandStep({ key }: Pick<KeyboardEvent, "key">, from: Position): Position | null {
    return from.row < NAMES_ROW ? this.#bands.step(key, from) : null;
  }

  // -- rows ----------------------------------------------------------------------------------

  #paintHeader(frame: Frame): void {
    const { view, header } = this;
    const { sizes, columns } = frame.layout;
    const label = frame.style.metrics.map(({ key }) => view.metricLabel(key)).join("\n");
    const asked = view.asked.peek();
    this.#number(header, NAMES_ROW);
    header.head.show({
      text: [asked, label].filter(Boolean).join("\n"),
      is: asked ? "corner asked" : "corner",
      title: asked,
    });
    for (const [by, column, text, title] of MARGIN_HEADERS) {
      const direction = this.#mark(header[by], "row", by);
      const is = headerModifier(direction, frame.cursor.focus.column === column);
      header[by].show({ text, is, title });
    }
    this.#paintFrozen(header, NAMES_ROW, frame);
    for (const { cell, column } of this.#cellsOf(header, NAMES_ROW, frame)) {
      const near = frame.cursor.focus.column === column;
      const direction = this.#mark(cell, "row", column);
      const letter = view.letterOf("column", column);
      const look = headerView(view.columns.name(column), direction, near, letter);
      const text = sizes.inColumn(look.text, columns.size(column));
      cell.show({ ...look, text, is: joined(look.is, view.newName("column", column)) });
      cell.set("aria-label", text === look.text ? null : look.text);
      cell.set("aria-selected", String(frame.named.column.has(column)));
    }
  }

  #paintBase(frame: Frame): void {
    const { table, view, base } = this;
    const { name, sentence } = table.baseName;
    const direction = this.#mark(base.head, "column", "size");
    this.#number(base, BASE_ROW);
    base.head.show({
      text: strings.base(name),
      second: table.baseParts,
      is: headerModifier(direction, frame.cursor.focus.row === BASE_ROW),
      title: sentence,
    });
    base.size.show(marginView(table.baseMargin, SIZE_COLUMN, frame.style));
    base.sample.show(marginView(table.baseMargin, SAMPLE_COLUMN, frame.style));
    this.#paintFrozen(base, BASE_ROW, frame);
    for (const { cell, column } of this.#cellsOf(base, BASE_ROW, frame)) {
      cell.show(baseView(view.columns.margin(column), frame.style, table.basesVary));
    }
  }

  #paintBody(frame: Frame): void {
    const used = new Set<number>();
    for (const { index, slot } of this.#rows) {
      used.add(slot);
      this.#body[slot] ??= { line: null, head: null };
      const body = this.#body[slot];
      const section = this.view.rows.section(index);
      if (body.head) body.head.element.hidden = section === null;
      if (body.line) body.line.element.hidden = section !== null;
      if (section) this.#paintSection(this.#headRow(body), section, index, frame);
      else this.#paintRow(this.#lineRow(body), index, frame);
    }
    this.#body.forEach(({ line, head }, slot) => {
      if (used.has(slot)) return;
      if (line) line.element.hidden = true;
      if (head) head.element.hidden = true;
    });
  }

  /** The next group's row pushes the pinned name away, whose rows are then all above. */
  #pin(top: number, { rows, pinned }: Layout): void {
    const first = pinned > 0 ? rows.span(top, 1, 0).start : 0;
    const next = rows.span(top + pinned - 1, 1, 0).start;
    const isNext = next > first && this.view.rows.section(next);
    const pushed = isNext ? rows.offset(next) - top - pinned : 0;
    this.#pinned.style.transform = `translateY(${pushed}px)`;
    const text = this.view.groupsAbove(first, top > rows.offset(first)).join(" › ");
    this.#pinned.hidden = text === "";
    if (this.#pinned.textContent !== text) this.#pinned.textContent = text;
  }

  #paintSection(slot: HeadRow, section: Section, row: number, frame: Frame): void {
    const { groups, total, isFolded } = section;
    const position = { row, column: NAMES_COLUMN };
    const [cell] = slot.cells;
    this.#put(slot, row, frame.layout);
    if (!cell) return;
    const near = frame.cursor.focus.row === position.row;
    cell.show({
      text: groups.at(-1) ?? "",
      is: `${isFolded ? "folded" : "open"} level-${groups.length}${near ? " near" : ""}`,
      title: strings.group(groups.join(" › "), total),
    });
    cell.set("aria-label", strings.group(groups.join(" › "), total));
    const choice = this.table.formChoice.peek()(groupTarget(this.view, "row", section));
    const next = this.view.rows.section(row + 1) ? undefined : this.view.rows.name(row + 1);
    slot.forms?.show(choice, next && !isFolded ? sharedWords(next) : "");
    cell.set("aria-expanded", String(!isFolded));
    cell.set("aria-colspan", String(this.view.columns.count - NAMES_COLUMN));
    this.#place(cell, position, frame, true);
  }

  #paintRow(slot: RowSlot, row: number, frame: Frame): void {
    const { view, figures } = this;
    this.#put(slot, row, frame.layout);
    const near = frame.cursor.focus.row === row;
    const direction = this.#mark(slot.head, "column", row);
    const name = view.rows.name(row);
    const isStatistic = view.rows.statistic(row) >= 0;
    const line = this.table.statistic(row);
    const look = headerView(name, direction, near, view.letterOf("row", row));
    const under = view.sectionCount > 0 ? (name?.groups?.length ?? 0) : 0;
    const { wraps, sizes } = frame.layout;
    const text = wraps ? sizes.inRow(look.text, under) : sizes.onOneLine(look.text, under);
    const is = joined(look.is, under > 0 && `under-${under}`, view.newName("row", row));
    slot.head.show({ ...look, text, is });
    slot.head.set("aria-label", text === look.text && !name?.short ? null : (name?.name ?? null));
    const isNamed = frame.named.row.has(row);
    slot.head.set("aria-selected", String(isNamed));
    const margin = view.rows.margin(row);
    slot.size.show(
      isStatistic ? statisticSize(line, frame.style) : marginView(margin, SIZE_COLUMN, frame.style),
    );
    slot.sample.show(
      isStatistic
        ? statisticSample(line, frame.style)
        : marginView(margin, SAMPLE_COLUMN, frame.style),
    );
    this.#paintFrozen(slot, row, frame);
    const { focus, isStart } = frame.cursor;
    const { columns, lettersUnder } = frame.layout;
    const hasUnder = lettersUnder(row) > 0;
    slot.element.classList.toggle("has-letters", hasUnder);
    for (const { cell, column } of this.#cellsOf(slot, row, frame)) {
      const selected = isNamed || frame.named.column.has(column) || holds(frame.range, row, column);
      const here = row === focus.row && column === focus.column;
      // An outline would suggest that the user selected the cell.
      const current = here && !isStart;
      const chosen = current ? "current" : selected ? "selected" : "";
      const fit = hasUnder ? sizes : null;
      const width = columns.size(column);
      if (isStatistic) {
        const source = view.columns.source(column);
        cell.show(statisticView(line, source, frame.style, chosen, fit, width));
      } else {
        const known = view.figures(row, column, figures) ? figures : null;
        cell.show(cellView(known, frame.style, chosen, fit, width));
      }
      cell.set("aria-selected", selected ? "true" : "false");
    }
  }

  /** Shows the sort state of a header, with its number if there are several levels. */
  #mark(cell: Painted, axis: Orientation, by: By): "none" | "ascending" | "descending" {
    const mark = this.view.sortMark(axis, by);
    const direction = mark?.direction ?? "none";
    // aria-sort is set on one header only; the others show it visually.
    cell.set("aria-sort", mark === null || mark.number === 1 ? direction : "none");
    cell.set("data-level", mark && mark.of > 1 ? String(mark.number) : null);
    return direction;
  }

  #paintFrozen(slot: RowSlot, row: number, frame: Frame): void {
    slot.size.hide(frame.layout.geometry.size === 0);
    slot.sample.hide(frame.layout.geometry.sample === 0);
    frozen(slot).forEach((cell, column) => {
      this.#place(cell, { row, column: column + NAMES_COLUMN }, frame);
    });
  }

  /** The cells of a row that are visible, each moved to its position; the others are hidden. */
  *#cellsOf(
    row: RowSlot,
    position: number,
    frame: Frame,
  ): Generator<{ cell: Painted; column: number }> {
    const { columns, left, geometry, edges } = frame.layout;
    for (const { index: column, slot } of this.#columns) {
      const cell = this.#cellSlot(row, slot);
      const width = columns.size(column);
      cell.hide(false);
      cell.move(left + columns.offset(column), width === geometry.column ? null : width);
      cell.set("data-edge", edges.has(column) ? "" : null);
      this.#place(cell, { row: position, column }, frame);
      yield { cell, column };
    }
    row.cells.forEach((cell, slot) => {
      if (!frame.usedColumns.has(slot)) cell.hide(true);
    });
  }

  #place(cell: Painted, { row, column }: Position, { cursor }: Frame, whole = false): void {
    const { focus } = cursor;
    cell.set("aria-colindex", String(column - NAMES_COLUMN + 1));
    cell.rove(row === focus.row && (whole || column === focus.column));
    cell.row = row;
    cell.column = column;
  }

  // -- geometry ------------------------------------------------------------------------------

  /** Gives the canvas its size, so that it can be scrolled to its end; before every painting. */
  size(layout: Layout, sight: number): void {
    const { geometry, sizes, rows, columns, top, least, left, loose, bandHeight } = layout;
    const { style, parentElement: scroller } = this.canvas;
    style.width = `${left + columns.length}px`;
    style.height = `${top + rows.length}px`;
    scroller?.classList.toggle("is-narrow", loose > 0);
    scroller?.classList.toggle("is-compact", sizes.isCompact);
    const { headLines, ...pixelsOf } = geometry;
    scroller?.style.setProperty("--head-lines", String(headLines));
    for (const [name, pixels] of Object.entries({ ...pixelsOf, bands: bandHeight, least, sight })) {
      // Set on the scroller, whose scroll padding keeps targets clear of the frozen parts.
      scroller?.style.setProperty(`--${name}`, `${pixels}px`);
    }
  }

  /** The position also depends on the height of the headers. */
  #put(row: RowSlot | HeadRow, index: number, { geometry, top, rows }: Layout): void {
    const at = top + rows.offset(index);
    if (row.top !== at) row.element.style.top = `${at}px`;
    row.top = at;
    const height = "head" in row ? rows.size(index) : geometry.row;
    if (row.height !== height) {
      row.height = height;
      const isWrapped = height > geometry.row;
      row.element.classList.toggle("is-wrapped", isWrapped);
      row.element.style.setProperty("--row", isWrapped ? `${height}px` : "");
    }
    this.#number(row, index);
  }

  /** Groups over the columns are rows before the first. */
  #number(row: RowSlot | HeadRow, position: number): void {
    const index = position - NAMES_ROW + this.#bandCount + 1;
    if (row.index !== index) row.element.setAttribute("aria-rowindex", String(index));
    row.index = index;
  }

  // -- elements ------------------------------------------------------------------------------

  #rowSlot(row: number): RowSlot | BodySlot | undefined {
    if (row === NAMES_ROW) return this.header;
    if (row === BASE_ROW) return this.base;
    const place = this.#rows.find(({ index }) => index === row);
    const body = place && this.#body[place.slot];
    return this.view.rows.section(row) ? body : (body?.line ?? undefined);
  }

  #lineRow(body: BodySlot): RowSlot {
    if (body.line === null) {
      body.line = this.#slots.line();
      this.canvas.append(body.line.element);
    }
    return body.line;
  }

  #headRow(body: BodySlot): HeadRow {
    if (body.head === null) {
      body.head = this.#slots.section();
      this.canvas.append(body.head.element);
    }
    return body.head;
  }

  #cellSlot(row: RowSlot, slot: number): Painted {
    const known = row.cells[slot];
    if (known) return known;
    const cell =
      row === this.header
        ? this.#slots.headerCell()
        : row === this.base
          ? this.#slots.baseCell()
          : this.#slots.bodyCell();
    row.cells[slot] = cell;
    row.element.append(cell.element);
    return cell;
  }
}

/** An element that has or contains the focus is not moved, because it would lose the focus. */
function inOrder(parent: HTMLElement, elements: readonly HTMLElement[]): void {
  const wanted = new Set<Element>(elements);
  const now = [...parent.children].filter((child) => wanted.has(child));
  if (now.every((child, i) => child === elements[i])) return;
  const { activeElement } = parent.getRootNode() as Document | ShadowRoot;
  const fixed = elements.findIndex((each) => each.contains(activeElement));
  elements.forEach((each, i) => {
    if (i !== fixed) parent.insertBefore(each, i < fixed ? (elements[fixed] ?? null) : null);
  });
}

function headerModifier(sort: string, near: boolean): string {
  return [sort === "none" ? "" : sort, near ? "near" : ""].filter(Boolean).join(" ");
}
