/**
 * Which line of the query stands in which row and column of the display. Heads over the rows have
 * rows of their own among them; heads over the columns stand above those, and are no columns.
 */
import type { Trait } from "../../core/traits";
import { bandOf, type Section } from "./arrange";
import type { Arranger } from "./arranger";
import type { Axis } from "./axis";
import { depthOf } from "./banner";
import { type By, type SortMark, sortMark } from "./order";
import { across, type Side } from "./plan";
import { RowList } from "./rows";

export abstract class Display {
  abstract readonly transposed: Trait<boolean>;
  abstract readonly axes: Readonly<Record<Side, Axis>>;
  abstract readonly arranger: Arranger;
  protected rows = new RowList(0, []);
  private laidOut = 0;

  get rowSide(): Side {
    return this.transposed.peek() ? "columns" : "rows";
  }

  get columnSide(): Side {
    return across(this.rowSide);
  }

  get rowCount(): number {
    return this.rows.count;
  }

  get columnCount(): number {
    return this.axes[this.columnSide].count;
  }

  /** Rises whenever rows or columns may stand elsewhere, or in another order. */
  get layoutVersion(): number {
    return this.laidOut;
  }

  /** Widths that columns were given, by their places in the query. */
  get columnWidths(): ReadonlyMap<number, number> {
    return new Map(this.arranger.plan(this.columnSide).widths);
  }

  /** How many heads stand above each other over the columns. */
  get bandCount(): number {
    return depthOf(this.axes[this.columnSide].banner);
  }

  /** The heads of one depth over the columns, outermost 0. */
  band(level: number): readonly Section[] {
    return bandOf(this.axes[this.columnSide].shown, level);
  }

  /** The head whose row this is; null for the row of an audience. */
  section(row: number): Section | null {
    return this.rows.section(row);
  }

  /** The groups over a row whose own rows are above it; `isCut`: above its own row, too. */
  headsOver(row: number, isCut: boolean): readonly string[] {
    const section = this.section(row);
    if (section) return isCut ? section.heads : section.heads.slice(0, -1);
    const line = this.rows.line(row);
    const over = this.axes[this.rowSide].shown.sections.findLast(
      ({ at, count }) => line >= at && line < at + count,
    );
    return over?.heads ?? [];
  }

  /** How many rows of heads stand before a row. */
  sectionsBefore(row: number): number {
    return this.rows.sectionsBefore(row);
  }

  /** The first row of the display that is no head's. */
  get firstLine(): number {
    return Math.max(0, this.rows.row(0));
  }

  get sectionCount(): number {
    return this.axes[this.rowSide].shown.sections.length;
  }

  /** The place in the query; -1 for the row of a head, and where no row is shown. */
  sourceRow(row: number): number {
    const line = this.rows.line(row);
    return line < 0 ? -1 : this.axes[this.rowSide].source(line);
  }

  sourceColumn(column: number): number {
    return this.axes[this.columnSide].source(column);
  }

  /** Where a row of the query is shown; -1 where it is not. */
  displayRow(source: number): number {
    const line = this.axes[this.rowSide].line(source);
    return line < 0 ? -1 : this.rows.row(line);
  }

  displayColumn(source: number): number {
    return this.axes[this.columnSide].line(source);
  }

  /** How a display column (or row) takes part in the sorting of the rows (or columns). */
  sortMark(axis: "row" | "column", by: By): SortMark | null {
    const side = axis === "row" ? this.rowSide : this.columnSide;
    const source =
      typeof by === "string" ? by : axis === "row" ? this.sourceColumn(by) : this.sourceRow(by);
    return sortMark(this.arranger.plan(side).sort ?? [], source);
  }

  /** Rows are others than before, or stand elsewhere. */
  protected layRows(): void {
    const { count, sections } = this.axes[this.rowSide].shown;
    this.rows = new RowList(count, sections);
    this.laidOut += 1;
  }
}
