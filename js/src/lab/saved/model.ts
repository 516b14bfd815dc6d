/**
 * A stub model of a grid on a saved table: it has the traits of a fully counted crosstab, and
 * answers the grid's requests from the saved values. So the live components render it, with the
 * same formulas.
 */

import type { AnyModel } from "@anywidget/types";
import type { Answer } from "../../core/answers";
import { stubModel } from "../../core/stubModel";
import type { Key } from "../../crosstab/arrangement/plan";
import {
  emptyFigures,
  KERNEL_METRICS,
  PARTS,
  ROW_BASES,
  readCounts,
} from "../../crosstab/data/cellCounts";
import { MarksBlock } from "../../crosstab/data/marksBlock";
import type { Tile, TileLayout } from "../../crosstab/data/tiles";
import { metricOf } from "../../crosstab/metrics/metrics";
import type { MarksHeader, TableProgress, TableState } from "../../protocol";
import { DISPLAY, PLANES } from "../../protocol/constants";
import type { SavedCrosstab } from "./format";
import { measured } from "./measured";

type Args = Record<string, unknown>;

export function savedModel(saved: SavedCrosstab): AnyModel {
  return stubModel(traitsOf(saved), async (op, args) => answer(saved, op, args as Args));
}

function traitsOf(saved: SavedCrosstab) {
  const { rows, columns, base, heat, looks, scope, source, statistics, tile } = saved;
  const table: TableState = {
    generation: 1,
    rows: rows.names.length,
    columns: columns.names.length,
    base: base.name,
    bases: 0,
    answered: saved.answered,
    scope,
    kept: null,
    banners: [rows, columns].some(
      ({ banner }) => banner.nets.length > 0 || banner.runs.some(([groups]) => groups.length > 0),
    ),
    statistics: statistics.lines.map(({ name }) => {
      return { name, short: "", before: rows.names.length, groups: [] };
    }),
    of_statistics: false,
  };
  const progress: TableProgress = {
    generation: 1,
    version: 1,
    phase: "done",
    cells: table.rows * table.columns,
    base_size: base.size,
    base_sample: base.sample,
    heat,
    base_line: saved.baseLine,
    source,
    weighted_base: saved.weightedBase,
    base_varies: !Number.isNaN(tile.at("row_own_base_sample", 0, 0)),
    notes: saved.notes,
    error: null,
  };
  return {
    _channel: "channel",
    _table: table,
    _progress: progress,
    _question: { statistics: statistics.lines.map(({ name }) => name) },
    _selected_cells: { rows: [], columns: [] },
    _arrangement: {},
    transposed: false,
    ...DISPLAY,
    ...withSavedTests(saved),
    _levels: [looks.level ?? DISPLAY.level],
  };
}

const TEST_PLANES = [...KERNEL_METRICS, "level", "previous", "letters"] as const;

/** The plane that marks of a kind need; arrows by default. */
const NEEDED: { readonly [kind: string]: "letters" | "previous" } = {
  letters: "letters",
  "previous wave": "previous",
};

/** Whether the table was saved with these tests. */
export function hasTests({ tile }: SavedCrosstab, plane: (typeof TEST_PLANES)[number]): boolean {
  return tile.has(plane);
}

/** Whether a metric can be shown: those that the kernel computes are saved where they were shown. */
export function canShow(saved: SavedCrosstab, metric: string): boolean {
  return metricOf(metric).byPage || saved.tile.has(metric);
}

/** The settings without tests that were not saved. */
function withSavedTests(saved: SavedCrosstab): SavedCrosstab["looks"] {
  const { looks } = saved;
  const { significance = "arrows", metrics, heat = "index" } = looks;
  const shown = (Array.isArray(metrics) ? metrics : ["index"]).filter((key) =>
    canShow(saved, String(key)),
  );
  return {
    ...looks,
    metrics: shown.length > 0 ? shown : ["column_percentage"],
    heat: heat === "z" && !hasTests(saved, "level") ? "index" : heat,
    significance: hasTests(saved, NEEDED[String(significance)] ?? "level") ? significance : "none",
  };
}

function answer(saved: SavedCrosstab, op: string, args: Args): Answer<unknown> {
  switch (op) {
    case "tile": {
      const [rows, columns] = [placesOf(args.rows), placesOf(args.columns)];
      return cut(saved.tile, rows, columns);
    }
    case "marks":
      return cutMarks(saved, placesOf(args.rows), placesOf(args.columns));
    case "names":
      return { data: { names: namesOf(saved, args) }, buffers: [] };
    case "banners":
      return { data: { rows: saved.rows.banner, columns: saved.columns.banner }, buffers: [] };
    case "statistics":
      return { data: saved.statistics, buffers: [] };
    case "measure":
      return measure(saved, args);
    default:
      throw new Error(`a saved table does not answer ${op}`);
  }
}

/**
 * A rectangle of the table, encoded as the kernel does: values that depend on the row or column
 * only are sent once.
 */
function cut(whole: Tile, rows: readonly number[], columns: readonly number[]): Answer<unknown> {
  const values: number[] = [];
  const planes = [...PLANES, ...PARTS, ...ROW_BASES].map((name) => {
    const down = name.startsWith("column_own") ? [0] : rows;
    const across = name.startsWith("row_own") ? [0] : columns;
    const offset = 8 * values.length;
    for (const row of down) for (const column of across) values.push(whole.at(name, row, column));
    return {
      name,
      dtype: "float64" as const,
      shape: [down.length, across.length] as const,
      offset,
    };
  });
  return packed({ rows: rows.length, columns: columns.length, complete: true, planes }, values);
}

/** A level from -99 to 99 is saved as one above 0, which is a cell without a test. */
function levelOf(saved: number): number {
  return saved === 0 ? Number.NaN : saved - 100;
}

function cutMarks(
  { tile, marks }: SavedCrosstab,
  rows: readonly number[],
  columns: readonly number[],
): Answer<unknown> {
  const values: number[] = [];
  const shape = [rows.length, columns.length] as const;
  const planes = TEST_PLANES.map((name) => {
    const offset = 8 * values.length;
    for (const row of rows)
      for (const column of columns) {
        const value = tile.at(name, row, column);
        values.push(name === "level" || name === "previous" ? levelOf(value) : value);
      }
    return { name, dtype: "float64" as const, shape, offset };
  });
  const letters = columns.map((column) => marks.column_letters[column] ?? "");
  const about = { complete: true, reasons: [], ...marks, column_letters: letters };
  return packed({ rows: rows.length, columns: columns.length, planes, ...about }, values);
}

function packed(header: TileLayout, values: readonly number[]): Answer<unknown> {
  return { data: header, buffers: [new DataView(Float64Array.from(values).buffer)] };
}

function namesOf({ rows, columns, base }: SavedCrosstab, { axis, start, stop }: Args) {
  if (axis === "base") return [[base.name, base.sentence, [], false, true]];
  const { names, banner, isNested } = axis === "rows" ? rows : columns;
  const [once, twice] = [new Set<string>(), new Set<string>()];
  for (const name of names) (once.has(name) ? twice : once).add(name);
  const groups = banner.runs.flatMap(([path, count]) => Array<readonly string[]>(count).fill(path));
  const nets = new Set(banner.nets);
  return names
    .map((name, i) => {
      return [name, "", groups[i] ?? [], nets.has(i), !isNested && !twice.has(name)];
    })
    .slice(Number(start), Number(stop));
}

function measure(saved: SavedCrosstab, args: Args): Answer<unknown> {
  const { tile } = saved;
  const tests = testsOf(saved);
  const isRows = args.side === "rows";
  const figures = emptyFigures();
  const valuesOf = (row: number, column: number) => {
    tests.read(row, column, figures);
    return readCounts(tile, row, column, figures);
  };
  const key = { of: args.of as Key["of"], metric: String(args.metric) };
  const values = measured(
    {
      count: isRows ? tile.rows : tile.columns,
      others: isRows ? tile.columns : tile.rows,
      own: (line, metric) =>
        isRows ? tile.at(`row_own_${metric}`, line, 0) : tile.at(`column_own_${metric}`, 0, line),
      figures: (line, other) => (isRows ? valuesOf(line, other) : valuesOf(other, line)),
    },
    key,
  );
  const shape = [values.length, 1] as const;
  const plane = { name: "measure", dtype: "float64" as const, shape, offset: 0 };
  return packed({ rows: values.length, columns: 1, complete: true, planes: [plane] }, [...values]);
}

function testsOf(saved: SavedCrosstab): MarksBlock {
  const every = (count: number) => Array.from({ length: count }, (_, at) => at);
  const { data, buffers } = cutMarks(saved, every(saved.tile.rows), every(saved.tile.columns));
  return new MarksBlock(data as MarksHeader, buffers[0] as DataView);
}

function placesOf(asked: unknown): number[] {
  if (Array.isArray(asked)) return asked;
  const { start, stop } = asked as { start: number; stop: number };
  return Array.from({ length: stop - start }, (_, i) => start + i);
}
