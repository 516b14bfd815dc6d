/**
 * The visible table: which item of the query is in which row and column. Only this module knows
 * about transposition: its callers use visible rows and columns. Groups of rows have rows of their
 * own; groups of columns are above the column names. No DOM.
 */
import { type Signal, signal } from "@preact/signals";
import type { Trait } from "../../core/traits";
import type { Span } from "../../core/windower";
import { type CellCounts, hasArrived } from "../data/cellCounts";
import type { CellCache } from "../data/cells";
import type { ReadCells } from "../data/last";
import type { Name } from "../data/names";
import type { Tile } from "../data/tiles";
import type { Marks } from "../metrics/marks";
import { type MetricKey, metricLabel, metricMeaning } from "../metrics/metrics";
import { bandOf, type Section } from "./arrange";
import { Arranger, type ArrangerOptions } from "./arranger";
import { depthOf, wholeName } from "./banner";
import { type By, type SortMark, sortMark } from "./order";
import { across, type Side } from "./plan";
import type { Margin, QueryAxis } from "./queryAxis";
import { RowList } from "./rows";

/** Of the visible table; a `Side` is an axis of the query. */
export type Orientation = "row" | "column";

type Axes = Readonly<Record<Side, QueryAxis>>;

/** The visible rows, or the visible columns, by position from 0. */
export class ViewAxis {
  private list = new RowList(0, []);

  constructor(
    private readonly axes: Axes,
    private readonly transposed: Trait<boolean>,
    private readonly orientation: Orientation,
  ) {}

  /** The axis of the query that is shown here. */
  get side(): Side {
    const side = this.orientation === "row" ? "rows" : "columns";
    return this.transposed.peek() ? across(side) : side;
  }

  get items(): QueryAxis {
    return this.axes[this.side];
  }

  get count(): number {
    return this.orientation === "row" ? this.list.count : this.items.count;
  }

  /** The visible items in a span of positions; group rows do not count. */
  lines(positions: Span): Span {
    return this.list.lines(positions);
  }

  /** The visible item at a position; -1 for a group's row. */
  line(position: number): number {
    return this.list.line(position);
  }

  /** The position in the query; -1 for a group's row, and where nothing is shown. */
  source(position: number): number {
    const line = this.line(position);
    return line < 0 ? -1 : this.items.source(line);
  }

  /** The positions in the query of all items at some positions. */
  sources(positions: readonly number[]): number[] {
    return positions.map((position) => this.source(position)).filter((source) => source >= 0);
  }

  /** The visible position of an item of the query; -1 for a hidden one. */
  position(source: number): number {
    const line = this.items.line(source);
    return line < 0 ? -1 : this.list.row(line);
  }

  /** The number of the statistic in a row; -1 for another row. */
  statistic(position: number): number {
    return this.list.statistic(position);
  }

  /** The group whose row this is; null for the row of an item. */
  section(position: number): Section | null {
    return this.list.section(position);
  }

  /** The audience, or the group of a group's row. */
  name(position: number): Name | undefined {
    const section = this.section(position);
    if (section) return { name: section.groups.at(-1) ?? "", sentence: "", groups: section.groups };
    const placed = this.items.statistics[this.statistic(position)];
    if (placed) return { ...placed, sentence: "" };
    return this.items.names.at(this.source(position));
  }

  /** The name of an audience outside of the table; "" while it is not loaded. */
  wholeName(position: number): string {
    const name = this.items.names.at(this.source(position));
    return name ? wholeName(name) : "";
  }

  margin(position: number): Margin | undefined {
    return this.items.margins.get(this.source(position));
  }

  /** All names in visible order. */
  async allNames(): Promise<string[]> {
    await this.items.names.all();
    return Array.from({ length: this.count }, (_, position) => this.name(position)?.name ?? "");
  }

  lay(): void {
    const { count, sections, extras } = this.items.shown;
    const isRow = this.orientation === "row";
    this.list = new RowList(count, isRow ? sections : [], isRow ? extras : []);
  }
}

const NO_LETTERS: ReadonlyMap<number, string> = new Map();

interface TableViewOptions extends Omit<ArrangerOptions, "rowSide"> {
  readonly transposed: Trait<boolean>;
  readonly cells: CellCache<Tile, CellCounts>;
  readonly marks: Marks;
  /** Reads the last figures of a cell by its position in the query; false where there are none. */
  readonly last: ReadCells<CellCounts>;
  showsLetters(): boolean;
}

export class TableView {
  readonly rows: ViewAxis;
  readonly columns: ViewAxis;
  readonly axes: Axes;
  readonly transposed: Trait<boolean>;
  readonly arranger: Arranger;
  /**
   * The questions of axes without groups, shown in the corner; "" where groups name the questions.
   */
  readonly asked: Signal<string> = signal("");
  /** Increases whenever rows or columns may have changed position. */
  layoutVersion = 0;

  constructor(private readonly options: TableViewOptions) {
    const { axes, transposed } = options;
    this.axes = axes;
    this.transposed = transposed;
    this.rows = new ViewAxis(axes, transposed, "row");
    this.columns = new ViewAxis(axes, transposed, "column");
    this.arranger = new Arranger({
      ...options,
      rowSide: () => this.rows.side,
      onArranged: () => {
        this.lay();
        options.onArranged();
      },
    });
  }

  along(orientation: Orientation): ViewAxis {
    return orientation === "row" ? this.rows : this.columns;
  }

  /** Whether an axis of the query is shown as rows or as columns. */
  orientationOf(side: Side): Orientation {
    return side === this.rows.side ? "row" : "column";
  }

  /** Maps a pair of row and column values to the axes of the query. */
  inQuery<T>(row: T, column: T): Record<Side, T> {
    return this.transposed.peek() ? { rows: column, columns: row } : { rows: row, columns: column };
  }

  transpose(): void {
    this.transposed.set(!this.transposed.peek());
  }

  /** Called for another order, other row groups, or another table. */
  lay(): void {
    this.rows.lay();
    this.columns.lay();
    this.layoutVersion += 1;
    const { rows, columns } = this.axes;
    this.options.cells.setOrder(rows.shown.order, columns.shown.order);
    this.options.marks.setOrder(rows.shown.order, columns.shown.order);
  }

  /** How a header is marked that was added last: "new", and the first of neighbours "new first". */
  newName(orientation: Orientation, position: number): string {
    const { items } = this.along(orientation);
    const isNew = (at: number) => items.fresh.has(this.along(orientation).source(at));
    if (items.fresh.size === 0 || !isNew(position)) return "";
    return isNew(position - 1) ? "new" : "new first";
  }

  // -- cells ---------------------------------------------------------------------------------

  /**
   * Reads the values of a cell, or the last ones until it is counted; false where there are none, and
   * in a group's row.
   */
  figures(row: number, column: number, out: CellCounts): boolean {
    const line = this.rows.line(row);
    if (line < 0) return false;
    const { cells, marks } = this.options;
    const { rows, columns } = this.inQuery(line, column);
    marks.read(rows, columns, out);
    const isHere = cells.figures(rows, columns, out);
    out.isOld = false;
    if (isHere && (out.isWithheld || hasArrived(out))) return true;
    const place = this.inQuery(this.rows.source(row), this.columns.source(column));
    out.isOld = this.options.last(place.rows, place.columns, out);
    if (!out.isOld) out.size = Number.NaN;
    out.isWithheld = false;
    return isHere || out.isOld;
  }

  /**
   * The letter that identifies a column of the query in tests, whether it is shown as a row or
   * column.
   */
  letterOf(orientation: Orientation, position: number): string {
    const axis = this.along(orientation);
    if (axis.side !== "columns" || !this.options.showsLetters()) return "";
    return this.options.marks.headOf(axis.source(position));
  }

  /** The longest letters that have arrived of each row, by its position in the query. */
  get longestLetters(): ReadonlyMap<number, string> {
    return this.options.showsLetters() ? this.options.marks.longest(this.rows.side) : NO_LETTERS;
  }

  /** Increases when letters arrive. */
  get lettersVersion(): number {
    return this.options.marks.version;
  }

  /** Tests the cells of a rectangle, once it stays in view. */
  test(rows: Span, columns: Span): void {
    const shown = this.inQuery(this.rows.lines(rows), columns);
    this.options.marks.need(shown.rows, shown.columns);
  }

  need(rows: Span, columns: Span): void {
    const shown = this.inQuery(this.rows.lines(rows), columns);
    this.options.cells.need(shown.rows, shown.columns);
  }

  covers(rows: Span, columns: Span): boolean {
    const shown = this.inQuery(this.rows.lines(rows), columns);
    return this.options.cells.covers(shown.rows, shown.columns);
  }

  /** Loads all cells of a rectangle; tested: with their tests. */
  async gather(rows: Span, columns: Span, tested: boolean): Promise<void> {
    const shown = this.inQuery(this.rows.lines(rows), columns);
    await this.options.cells.gather(shown.rows, shown.columns);
    if (tested) await this.options.marks.gather(shown.rows, shown.columns);
  }

  // -- groups --------------------------------------------------------------------------------

  /** The number of group levels over the columns. */
  get bandCount(): number {
    return depthOf(this.columns.items.banner);
  }

  /** The groups of one level over the columns, outermost 0. */
  band(level: number): readonly Section[] {
    return bandOf(this.columns.items.shown, level);
  }

  get sectionCount(): number {
    return this.rows.items.shown.sections.length;
  }

  /**
   * The groups of a row whose own rows are above it; with `isCut`, also for a group's row itself.
   */
  groupsAbove(row: number, isCut: boolean): readonly string[] {
    const section = this.rows.section(row);
    if (section) return isCut ? section.groups : section.groups.slice(0, -1);
    const placed = this.rows.items.statistics[this.rows.statistic(row)];
    if (placed) return placed.groups;
    const line = this.rows.line(row);
    const over = this.rows.items.shown.sections.findLast(
      ({ at, count }) => line >= at && line < at + count,
    );
    return over?.groups ?? [];
  }

  /** The first row that is not a group's row. */
  get firstLine(): number {
    return Math.max(0, this.rows.position(this.rows.items.source(0)));
  }

  // -- arrangement ---------------------------------------------------------------------------

  /** Column widths set by the user, by position in the query. */
  get columnWidths(): ReadonlyMap<number, number> {
    return new Map(this.arranger.plan(this.columns.side).widths);
  }

  /** The sort state of a column (or row), by which rows (or columns) are sorted. */
  sortMark(orientation: Orientation, by: By): SortMark | null {
    const [sorted, other] =
      orientation === "row" ? [this.rows, this.columns] : [this.columns, this.rows];
    const source = typeof by === "string" ? by : other.source(by);
    return sortMark(this.arranger.plan(sorted.side).sort ?? [], source);
  }

  // -- words ---------------------------------------------------------------------------------

  /** The name of a metric; row and column percentages swap names when the table is transposed. */
  metricLabel(key: MetricKey): string {
    return metricLabel(key, this.transposed.value);
  }

  metricMeaning(key: MetricKey): string {
    return metricMeaning(key, this.transposed.value);
  }
}
