/** Cells as a table for the clipboard: what is seen, in full precision. */
import type { Range } from "./cursor";
import { cellsIn } from "./cursor";
import { emptyFigures, hasArrived } from "./figures";
import { metricLabel } from "./metrics";
import { strings } from "./strings";
import type { Table } from "./table";
import { type Field, toTsv } from "./tsv";

/** More than this a spreadsheet takes badly, and a page must hold it twice. */
export const MOST_CELLS = 250_000;

/** The text of the range; with `bases`, sizes and samples stand beside and above it. */
export async function tableText(table: Table, range: Range, bases: boolean): Promise<string> {
  if (cellsIn(range) > MOST_CELLS)
    throw new RangeError(strings.copyTooMany(cellsIn(range), MOST_CELLS));
  await table.gather(range.rows, range.columns);
  const [rowNames, columnNames] = await table.allNames();
  return toTsv(linesOf(table, range, rowNames, columnNames, bases));
}

function linesOf(
  table: Table,
  { rows, columns }: Range,
  rowNames: readonly string[],
  columnNames: readonly string[],
  bases: boolean,
): Field[][] {
  const { metric } = table;
  const label = metricLabel(metric.key, table.transposed.peek());
  const names = columnNames.slice(columns.start, columns.end);
  const lines: Field[][] = [
    bases ? [label, strings.size, strings.sample, ...names] : [label, ...names],
  ];
  if (bases) lines.push(...baseLines(table, columns.start, columns.end));
  const figures = emptyFigures();
  for (let row = rows.start; row < rows.end; row++) {
    const line: Field[] = [rowNames[row] ?? ""];
    const margin = table.rowMargin(row);
    if (bases) line.push(margin?.size ?? Number.NaN, margin?.sample ?? Number.NaN);
    for (let column = columns.start; column < columns.end; column++) {
      const known = table.figures(row, column, figures) && hasArrived(figures);
      line.push(known ? metric.value(figures) : Number.NaN);
    }
    lines.push(line);
  }
  return lines;
}

function baseLines(table: Table, start: number, end: number): Field[][] {
  const { baseMargin, baseName } = table;
  const sizes: Field[] = [];
  const samples: Field[] = [];
  for (let column = start; column < end; column++) {
    const margin = table.columnMargin(column);
    sizes.push(margin?.size ?? Number.NaN);
    samples.push(margin?.sample ?? Number.NaN);
  }
  return [
    [`${strings.base(baseName.name)}, ${strings.size}`, baseMargin.size, "", ...sizes],
    [`${strings.base(baseName.name)}, ${strings.sample}`, "", baseMargin.sample, ...samples],
  ];
}
