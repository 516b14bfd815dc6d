/**
 * Cells of the table as a sheet: the names, bases and figures of a range, ready to be written down
 * in one form or another. A table that shows several metrics makes a sheet for each: every one of
 * them pastes as a table of its own. No DOM.
 */
import { cellsIn, type Range } from "../cursor";
import { emptyFigures, type Figures, hasArrived } from "../figures";
import { HIDDEN } from "../format";
import type { CellStyle } from "../looks";
import { lowBaseMark, type Metric, type MetricKey, metricLabel, whyEmpty } from "../metrics";
import { strings } from "../strings";
import type { Margin, Table } from "../table";

/** A figure: in full, and as it is seen. */
export interface Cell {
  /** NaN for none; letters are text. */
  readonly value: number | string;
  readonly text: string;
  readonly mark: "" | "*" | "**";
}

/** A row of figures, or the head over some. */
export type Line =
  | { readonly kind: "head"; readonly name: string; readonly level: number }
  | {
      readonly kind: "row";
      readonly name: string;
      readonly own: Margin | undefined;
      readonly cells: readonly Cell[];
    };

export interface Sheet {
  readonly metric: MetricKey;
  /** What the figures are, as the page calls them. */
  readonly label: string;
  readonly base: string;
  /** Heads over the columns, outermost first, a name for each column; "" where there is none. */
  readonly bands: readonly (readonly string[])[];
  readonly columns: readonly string[];
  /** The base, and the columns' own figures; null where they were not asked for. */
  readonly bases: {
    readonly all: Margin;
    readonly columns: readonly (Margin | undefined)[];
  } | null;
  readonly lines: readonly Line[];
}

/** More than this a spreadsheet takes badly, and a page must hold it twice. */
export const MOST_CELLS = 250_000;

/** Reads a range, bringing here what is not; with `bases`, sizes and samples stand around it. */
export async function readSheets(table: Table, range: Range, bases: boolean): Promise<Sheet[]> {
  const { style } = table;
  const figures = cellsIn(range) * style.metrics.length;
  if (figures > MOST_CELLS) throw new RangeError(strings.copyTooMany(figures, MOST_CELLS));
  await table.gather(range.rows, range.columns);
  const [rows, columns] = await table.allNames();
  if (style.metrics.some(({ key }) => key === "letters")) await gatherLetters(table, range);
  const shown = { rows, columns: columns.slice(range.columns.start, range.columns.end) };
  return style.metrics.map((metric) => sheetOf(table, range, metric, style, shown, bases));
}

function sheetOf(
  table: Table,
  range: Range,
  metric: Metric,
  style: CellStyle,
  names: { rows: readonly string[]; columns: readonly string[] },
  bases: boolean,
): Sheet {
  // Letters say nothing without those by which lines are called.
  const lettered = (name: string, letter: string) =>
    metric.key === "letters" && letter !== "" ? strings.lettered(name, letter) : name;
  const lines: Line[] = [];
  for (let row = range.rows.start; row < range.rows.end; row++) {
    const section = table.section(row);
    lines.push(
      section
        ? { kind: "head", name: section.heads.at(-1) ?? "", level: section.heads.length - 1 }
        : {
            kind: "row",
            name: lettered(names.rows[row] ?? "", table.letterOf("row", row)),
            own: bases ? table.rowMargin(row) : undefined,
            cells: cellsOf(table, row, range, metric, style),
          },
    );
  }
  const { start, end } = range.columns;
  const places = Array.from({ length: end - start }, (_, i) => start + i);
  return {
    metric: metric.key,
    label: metricLabel(metric.key, table.transposed.peek()),
    base: table.baseName.name,
    bands: bandsOf(table, places),
    columns: names.columns.map((name, i) =>
      lettered(name, table.letterOf("column", range.columns.start + i)),
    ),
    bases: bases
      ? { all: table.baseMargin, columns: places.map((column) => table.columnMargin(column)) }
      : null,
    lines,
  };
}

function bandsOf(table: Table, columns: readonly number[]): string[][] {
  return Array.from({ length: table.bandCount }, (_, level) => {
    const heads = table.band(level);
    return columns.map((column) => {
      const over = heads.find(({ at, count }) => column >= at && column < at + count);
      return over?.heads[level] ?? "";
    });
  });
}

function cellsOf(
  table: Table,
  row: number,
  { columns }: Range,
  metric: Metric,
  style: CellStyle,
): Cell[] {
  const figures = emptyFigures();
  const cells: Cell[] = [];
  for (let column = columns.start; column < columns.end; column++) {
    const here = table.figures(row, column, figures) && hasArrived(figures);
    const letters = metric.key === "letters" ? (table.lettersAt(row, column) ?? "") : null;
    cells.push(here ? cellOf(figures, metric, style, letters) : NOT_HERE);
  }
  return cells;
}

const NOT_HERE: Cell = { value: Number.NaN, text: "", mark: "" };

/** What is not shown is not taken away either. */
export function cellOf(
  figures: Figures,
  metric: Metric,
  style: Pick<CellStyle, "numbers" | "lowBase" | "blankUnder">,
  letters: string | null,
): Cell {
  if (letters !== null) return { value: letters, text: letters, mark: "" };
  const value = metric.value(figures);
  const denominator = metric.denominator(figures);
  if (whyEmpty(figures, value) !== null) return { ...NOT_HERE, text: metric.format(value) };
  if (denominator < style.blankUnder) return { ...NOT_HERE, text: HIDDEN };
  const mark = lowBaseMark(denominator, style.lowBase);
  return { value, text: metric.format(value, style.numbers), mark };
}

/** Letters are the query's: of its rows and columns, whatever way round they are seen. */
async function gatherLetters(table: Table, { rows, columns }: Range): Promise<void> {
  const down = placesIn(rows, (row) => table.sourceRow(row));
  const over = placesIn(columns, (column) => table.sourceColumn(column));
  await (table.transposed.peek()
    ? table.letters.gather(over, down)
    : table.letters.gather(down, over));
}

/** Places in the query of what stands in a span; the rows of heads have none. */
export function placesIn(
  { start, end }: { start: number; end: number },
  source: (place: number) => number,
): number[] {
  return Array.from({ length: end - start }, (_, i) => source(start + i)).filter(
    (place) => place >= 0,
  );
}
