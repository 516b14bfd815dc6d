/**
 * Cells of the table as sheets, one for each metric: names, bases and values, for all export
 * formats. No DOM.
 */

import { NOTHING } from "../../core/numbers";
import type { Span } from "../../core/windower";
import { METRICS as FACTS } from "../../protocol/constants";
import type { Margin } from "../arrangement/queryAxis";
import type { TableView } from "../arrangement/tableView";
import { type CellCounts, emptyFigures, hasArrived } from "../data/cellCounts";
import { HIDDEN } from "../metrics/format";
import { lowBaseMark, type Metric, type MetricKey, whyEmpty } from "../metrics/metrics";
import { strings } from "../strings";
import type { CellStyle } from "../table/displaySettings";
import type { Table } from "../table/table";

/** A value in full precision, and as shown. */
export interface Cell {
  /** NaN for none; letters are text. */
  readonly value: number | string;
  readonly text: string;
  readonly mark: "" | "*" | "**";
}

/** A row of values, or a group's row. */
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
  /** Those of its values as shown. */
  readonly decimals: number;
  /** The labels of the metrics on this page. */
  readonly label: string;
  readonly base: string;
  /** Whom the figures are of, in a line, and what there is to note about them. */
  readonly baseLine: string;
  readonly notes: readonly string[];
  /** Waves and weight, and the source. */
  readonly about: readonly string[];
  /** Whether weighted bases are not those of respondents. */
  readonly isWeighted: boolean;
  /** Column groups, outermost first, one name for each column; "" for none. */
  readonly bands: readonly (readonly string[])[];
  readonly columns: readonly string[];
  /** The base, and the columns' own counts; null if they were not requested. */
  readonly bases: {
    readonly all: Margin;
    readonly columns: readonly (Margin | undefined)[];
  } | null;
  readonly lines: readonly Line[];
}

/** Larger tables are slow in spreadsheets, and the page must hold them twice. */
export const MOST_CELLS = 250_000;

/** Visible rows and columns that are copied, including group rows. */
export interface Extract {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/** Reads cells and loads missing ones; with `bases`, the bases too. */
export async function readSheets(table: Table, extract: Extract, bases: boolean): Promise<Sheet[]> {
  const { view } = table;
  const style = table.settings.style.peek();
  const values = extract.rows.length * extract.columns.length * style.metrics.length;
  if (values > MOST_CELLS) throw new RangeError(strings.copyTooMany(values, MOST_CELLS));
  const tested = style.metrics.some(({ byPage }) => !byPage);
  await view.gather(spanOf(extract.rows), spanOf(extract.columns), tested);
  const names = await Promise.all([view.rows.allNames(), view.columns.allNames()]);
  return style.metrics.map((metric) => sheetOf(table, extract, metric, style, names, bases));
}

/** The span from the first to the last of increasing numbers. */
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
  const { view, baseName, baseMargin, baseLine, session } = table;
  const progress = session.progress.peek();
  // Letters need the letters of the columns to be readable.
  const lettered = (name: string, letter: string) =>
    metric.key === "letters" && letter !== "" ? strings.lettered(name, letter) : name;
  const lines: Line[] = [];
  for (const row of rows) {
    const section = view.rows.section(row);
    if (view.rows.statistic(row) >= 0) {
      lines.push(statisticLine(table, row, columns, metric, style));
      continue;
    }
    lines.push(
      section
        ? { kind: "head", name: section.groups.at(-1) ?? "", level: section.groups.length - 1 }
        : {
            kind: "row",
            name: lettered(rowNames[row] ?? "", view.letterOf("row", row)),
            own: bases ? view.rows.margin(row) : undefined,
            cells: cellsOf(table, row, columns, metric, style),
          },
    );
  }
  return {
    metric: metric.key,
    decimals: FACTS[metric.key].decimals && (style.numbers.decimals ?? FACTS[metric.key].decimals),
    label: view.metricLabel(metric.key),
    base: baseName.name,
    baseLine,
    notes: progress?.notes ?? [],
    about: [session.state.peek()?.scope ?? "", progress?.source ?? ""].filter(Boolean),
    isWeighted: progress?.weighted_base !== "",
    bands: bandsOf(view, columns),
    columns: columns.map((column) =>
      lettered(columnNames[column] ?? "", view.letterOf("column", column)),
    ),
    bases: bases
      ? { all: baseMargin, columns: columns.map((column) => view.columns.margin(column)) }
      : null,
    lines,
  };
}

/** A row of a statistic, whose values are texts in their own unit: with the first of the metrics. */
function statisticLine(
  table: Table,
  row: number,
  columns: readonly number[],
  metric: Metric,
  style: CellStyle,
): Line {
  const { view } = table;
  const line = table.statistic(row);
  const isFirst = style.metrics.find(({ key }) => key !== "change") === metric;
  const cells = columns.map((column): Cell => {
    const source = view.columns.source(column);
    const [value = ""] = (line?.cells[source] ?? "").split(" ");
    const change = line?.changes?.[source] ?? "";
    const text = metric.key === "change" ? change : isFirst ? value : "";
    const mark = isFirst
      ? lowBaseMark(line?.samples?.[source + 1] ?? Number.NaN, style.lowBase)
      : "";
    return text === "" ? NOT_HERE : { value: text, text, mark: text === HIDDEN ? "" : mark };
  });
  const own = { size: line?.size ?? Number.NaN, sample: line?.samples?.[0] ?? Number.NaN };
  return { kind: "row", name: view.rows.name(row)?.name ?? "", own, cells };
}

function bandsOf(view: TableView, columns: readonly number[]): string[][] {
  return Array.from({ length: view.bandCount }, (_, level) => {
    const groups = view.band(level);
    return columns.map((column) => {
      const over = groups.find(({ at, count }) => column >= at && column < at + count);
      return over?.groups[level] ?? "";
    });
  });
}

function cellsOf(
  { view, isBehind }: Table,
  row: number,
  columns: readonly number[],
  metric: Metric,
  style: CellStyle,
): Cell[] {
  const figures = emptyFigures();
  return columns.map((column) => {
    const here = view.figures(row, column, figures) && hasArrived(figures);
    if (figures.isOld && isBehind) throw new Error(strings.notBehind);
    const letters = metric.key === "letters" ? (figures.letters ?? "") : null;
    if (here) return cellOf(figures, metric, style, letters);
    return figures.isWithheld ? { ...NOT_HERE, text: NOTHING } : NOT_HERE;
  });
}

const NOT_HERE: Cell = { value: Number.NaN, text: "", mark: "" };

/** Suppressed values are not copied. */
export function cellOf(
  figures: CellCounts,
  metric: Metric,
  style: Pick<CellStyle, "numbers" | "lowBase" | "hideUnder">,
  letters: string | null,
): Cell {
  if (letters !== null) return { value: letters, text: letters, mark: "" };
  const value = metric.value(figures);
  const denominator = metric.denominator(figures);
  if (whyEmpty(figures, value) !== null) return { ...NOT_HERE, text: NOTHING };
  if (denominator < style.hideUnder) return { ...NOT_HERE, text: HIDDEN };
  const mark = lowBaseMark(denominator, style.lowBase);
  return { value, text: metric.format(value, style.numbers), mark };
}

/** Rows and columns by their positions in the query, without group rows. */
export function sourcesOf(view: TableView, { rows, columns }: Extract) {
  return view.inQuery(view.rows.sources(rows), view.columns.sources(columns));
}
