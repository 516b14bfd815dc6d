/**
 * Paints the groups over the columns, one row for each level, outermost on top; the innermost are
 * directly above the column names.
 */
import { SlotPool, type Span } from "../../core/windower";
import type { Section } from "../arrangement/arrange";
import { NAMES_COLUMN, NAMES_ROW, type Position } from "../arrangement/position";
import type { TableView } from "../arrangement/tableView";
import type { Frame, Layout } from "./layout";
import type { Painted } from "./painted";

import type { HeadRow, Slots } from "./slots";

interface Band extends HeadRow {
  readonly pool: SlotPool;
  sections: readonly Section[];
  /** The groups and the slots of the cells that show them. */
  shown: { index: number; slot: number }[];
}

export class Bands {
  readonly #bands: Band[] = [];
  #count = 0;

  constructor(
    private readonly slots: Slots,
    private readonly view: TableView,
    /** Group rows are inserted before it. */
    private readonly header: Element,
  ) {}

  paint(columns: Span, frame: Frame): void {
    this.#count = frame.layout.bands;
    for (let level = 0; level < this.#count; level++) this.#paintBand(level, columns, frame);
    this.#bands.forEach(({ element }, level) => {
      element.hidden = level >= this.#count;
    });
  }

  elementAt(row: number, column: number): HTMLElement | null {
    const band = this.#bands[this.#count + row - NAMES_ROW];
    const place = band?.shown.find(({ index }) => covers(band.sections[index], column));
    return (place && band?.cells[place.slot]?.element) ?? null;
  }

  /** Left and right go from group to group, not from column to column. */
  step(key: string, { row, column }: Position): Position | null {
    const sections = this.#bands[this.#count + row - NAMES_ROW]?.sections ?? [];
    const now = sections.findIndex((section) => covers(section, column));
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const to = by === 0 ? undefined : sections[now + by];
    return to ? { row, column: to.at } : null;
  }

  #paintBand(level: number, columns: Span, frame: Frame): void {
    const band = this.#band(level);
    this.#place(band, level, frame.layout);
    band.sections = this.view.band(level);
    band.shown = band.pool.assign(spanOf(band.sections, columns));
    const used = new Set<number>();
    for (const { index, slot } of band.shown) {
      used.add(slot);
      const section = band.sections[index];
      if (section) this.#paintGroup(this.#cell(band, slot), section, level, frame);
    }
    band.cells.forEach((cell, slot) => {
      if (!used.has(slot)) cell.hide(true);
    });
    // A row without cells, before the table has a size, has no row role.
    const role = used.size > 0 ? "row" : "presentation";
    if (band.element.getAttribute("role") !== role) band.element.setAttribute("role", role);
  }

  #paintGroup(cell: Painted, { groups, at, count }: Section, level: number, frame: Frame) {
    const { columns, left, sizes } = frame.layout;
    const { focus } = frame.cursor;
    const row = NAMES_ROW + level - this.#count;
    const start = columns.offset(at);
    const within = focus.column >= at && focus.column < at + count;
    const width = columns.offset(at + count) - start;
    const name = groups.at(-1) ?? "";
    const text = sizes.inColumn(name, width);
    cell.hide(false);
    cell.move(left + start, width);
    cell.set("aria-label", text === name ? null : name);
    cell.show({
      text,
      is: within ? "near" : "",
      title: groups.join(" › "),
    });
    cell.set("aria-colindex", String(at - NAMES_COLUMN + 1));
    cell.set("aria-colspan", String(count));
    cell.rove(row === focus.row && within);
    cell.row = row;
    cell.column = within && row === focus.row ? focus.column : at;
  }

  #place(band: Band, level: number, { bandTops, geometry }: Layout): void {
    const top = bandTops[level] ?? 0;
    const height = (bandTops[level + 1] ?? top) - top;
    if (band.top === top && band.height === height) return;
    band.top = top;
    band.height = height;
    band.element.style.top = `${top}px`;
    band.element.style.height = `${height}px`;
    band.element.classList.toggle("is-wrapped", height > geometry.group);
  }

  #band(level: number): Band {
    const known = this.#bands[level];
    if (known) return known;
    const row = this.slots.band();
    row.element.setAttribute("aria-rowindex", String(level + 1));
    const made: Band = { ...row, pool: new SlotPool(), sections: [], shown: [] };
    this.#bands[level] = made;
    this.header.before(row.element);
    return made;
  }

  #cell(band: Band, slot: number): Painted {
    const known = band.cells[slot];
    if (known) return known;
    const cell = this.slots.bandCell();
    band.cells[slot] = cell;
    band.element.append(cell.element);
    return cell;
  }
}

/** The groups over a span of columns. */
function spanOf(sections: readonly Section[], columns: Span): Span {
  const isIn = ({ at, count }: Section) => at + count > columns.start && at < columns.end;
  const start = sections.findIndex(isIn);
  if (start < 0) return { start: 0, end: 0 };
  const rest = sections.slice(start).findIndex((section) => !isIn(section));
  return { start, end: rest < 0 ? sections.length : start + rest };
}

function covers(section: Section | undefined, column: number): boolean {
  return section !== undefined && column >= section.at && column < section.at + section.count;
}
