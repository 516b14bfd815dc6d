/**
 * Cells of the table as sheets, one for each metric: names, bases and values, ready to be written in
 * any format. No DOM.
 */

import type { Span } from "../../core/windower";
import { emptyFigures, type Figures, hasArrived } from "../data/figures";
import type { Margin, Table } from "../data/table";
import { HIDDEN } from "../metrics/format";
import {
  lowBaseMark,
  type Metric,
  type MetricKey,
  metricLabel,
  whyEmpty,
} from "../metrics/metrics";
import { strings } from "../strings";
import type { CellStyle } from "../view/cellStyle";

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

/** Rows and columns of the display that are copied; rows of groups among them. */
export interface Extract {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/** Reads cells and loads those that are missing; with `bases`, between the bases. */
export async function readSheets(table: Table, extract: Extract, bases: boolean): Promise<Sheet[]> {
  const { style } = table;
  const values = extract.rows.length * extract.columns.length * style.metrics.length;
  if (values > MOST_CELLS) throw new RangeError(strings.copyTooMany(values, MOST_CELLS));
  await table.gather(spanOf(extract.rows), spanOf(extract.columns));
  const names = await table.allNames();
  if (style.metrics.some(({ key }) => key === "letters")) await gatherLetters(table, extract);
  return style.metrics.map((metric) => sheetOf(table, extract, metric, style, names, bases));
}

/** The span from the first to the last of rising numbers. */
export function spanOf(numbers: readonly number[]): Span {
  return { start: numbers[0] ?? 0, end: (numbers.at(-1) ?? -1) + 1 };
}

function sheetOf(
  table: Table,
  { rows, columns }: Extract,
  metric: Metric,
  style: CellStyle,
  [rowNames, columnNames]: readonly [readonly string[], readonly string[]],
  bases: boolean,
): Sheet {
  // Letters say nothing without those by which lines are called.
  const lettered = (name: string, letter: string) =>
    metric.key === "letters" && letter !== "" ? strings.lettered(name, letter) : name;
  const lines: Line[] = [];
  for (const row of rows) {
    const section = table.section(row);
    lines.push(
      section
        ? { kind: "head", name: section.heads.at(-1) ?? "", level: section.heads.length - 1 }
        : {
            kind: "row",
            name: lettered(rowNames[row] ?? "", table.letterOf("row", row)),
            own: bases ? table.rowMargin(row) : undefined,
            cells: cellsOf(table, row, columns, metric, style),
          },
    );
  }
  return {
    metric: metric.key,
    label: metricLabel(metric.key, table.transposed.peek()),
    base: table.baseName.name,
    bands: bandsOf(table, columns),
    columns: columns.map((column) =>
      lettered(columnNames[column] ?? "", table.letterOf("column", column)),
    ),
    bases: bases
      ? { all: table.baseMargin, columns: columns.map((column) => table.columnMargin(column)) }
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
  columns: readonly number[],
  metric: Metric,
  style: CellStyle,
): Cell[] {
  const figures = emptyFigures();
  return columns.map((column) => {
    const here = table.figures(row, column, figures) && hasArrived(figures);
    const letters = metric.key === "letters" ? (table.lettersAt(row, column) ?? "") : null;
    return here ? cellOf(figures, metric, style, letters) : NOT_HERE;
  });
}

const NOT_HERE: Cell = { value: Number.NaN, text: "", mark: "" };

/** Hidden values are not copied either. */
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

async function gatherLetters(table: Table, extract: Extract): Promise<void> {
  const { rows, columns } = sourcesOf(table, extract);
  await table.letters.gather(rows, columns);
}

/** Rows and columns by their positions in the query; rows of groups have none. */
export function sourcesOf(table: Table, { rows, columns }: Extract) {
  const down = rows.map((row) => table.sourceRow(row)).filter((at) => at >= 0);
  const across = columns.map((column) => table.sourceColumn(column));
  return table.transposed.peek()
    ? { rows: across, columns: down }
    : { rows: down, columns: across };
}
