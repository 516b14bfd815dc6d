/**
 * Parses a crosstab that was saved in a notebook. The data is untrusted: anything that does not
 * match the format is rejected with a message, and nothing of it is rendered. `render/mime_payload.py`
 * writes the format; the reference page `saved-crosstab` documents it.
 */

import { type PlaneLayout, Tile } from "../../crosstab/data/tiles";
import { strings as crosstab } from "../../crosstab/strings";
import type {
  AxisBanner,
  HeatScale,
  HeatScales,
  MarksHeader,
  StatisticLines,
} from "../../protocol";
import { MOST_DECIMALS, MOST_METRICS } from "../../protocol/constants";

/** More cells, items or letters than any table of ours: protects the reader from hostile tables. */
const MOST_CELLS = 50_000;
const MOST_LINES = 10_000;
const MOST_LETTERS = 1_000;
const MOST_HEADS = 8;

/** Why the data is not a saved table. */
export class Unreadable extends Error {}

export interface SavedSide {
  /** The number of rows or columns in the whole table. */
  readonly count: number;
  readonly names: readonly string[];
  readonly banner: AxisBanner;
  /** Whether items are part of their groups, such as an age within a gender. */
  readonly isNested: boolean;
}

export interface SavedCrosstab {
  readonly rows: SavedSide;
  readonly columns: SavedSide;
  readonly base: {
    readonly name: string;
    readonly sentence: string;
    readonly size: number | null;
    readonly sample: number | null;
  };
  readonly heat: HeatScales | null;
  /** Grid traits by name, each with a value of the right type. */
  readonly looks: Readonly<Record<string, unknown>>;
  /** Whom the figures are of, in a line; "" in tables of earlier versions. */
  readonly baseLine: string;
  /** Whether a cell counts those of the base who answered. */
  readonly answered: boolean;
  /** The label of weighted bases; "" without a weight. */
  readonly weightedBase: string;
  readonly notes: readonly string[];
  readonly scope: string;
  readonly source: string;
  /** Rows of means and other statistics, as texts. */
  readonly statistics: StatisticLines;
  /** The values of every saved cell, and the tests of those that have some. */
  readonly tile: Tile;
  readonly marks: SavedMarks;
}

/** Texts about the tests. */
export type SavedMarks = Omit<MarksHeader, "rows" | "columns" | "complete" | "planes" | "reasons">;

export function readSaved(value: unknown): SavedCrosstab {
  const document = object(value, "it is not an object");
  if (document.version !== 1)
    throw new Unreadable(`its version is ${figure(document.version) ?? "not a number"}`);
  const rows = sideOf(document.rows, "rows");
  const columns = sideOf(document.columns, "columns");
  const cells = rows.names.length * columns.names.length;
  if (cells === 0 || cells > MOST_CELLS) throw new Unreadable(`it has ${cells} cells`);
  const base = object(document.base ?? {}, "its base is not an object");
  return {
    rows,
    columns,
    base: {
      name: words(base.name),
      sentence: words(base.sentence),
      size: figure(base.size),
      sample: figure(base.sample),
    },
    heat: heatOf(document.heat),
    looks: looksOf(object(document.looks ?? {}, "its display settings are not an object")),
    baseLine: words(document.base_line),
    answered: document.answered === true,
    // Before the base line, it was shown with every table.
    weightedBase: words(document.weighted_base) || (document.base_line ? "" : crosstab.size),
    notes: notesOf(document.notes),
    scope: words(document.scope),
    source: words(document.source),
    statistics: statisticsOf(document.statistics, columns.names),
    tile: tileOf(document.planes, rows.names.length, columns.names.length),
    marks: marksOf(document.marks),
  };
}

function sideOf(value: unknown, what: string): SavedSide {
  const side = object(value, `it has no ${what}`);
  const { names } = side;
  if (!Array.isArray(names) || names.length > MOST_LINES) {
    throw new Unreadable(`its ${what} have no names`);
  }
  const count = wholeNumber(side.count) ?? names.length;
  return {
    count: Math.max(count, names.length),
    names: names.map(words),
    banner: {
      runs: runsOf(side.heads, names.length),
      nets: netsOf(side.nets, names.length),
    },
    isNested: side.nested === true,
  };
}

/** Groups with the number of items in each; the numbers must sum to all items. */
function runsOf(value: unknown, lines: number): [string[], number][] {
  if (value === undefined) return [[[], lines]];
  const runs = (Array.isArray(value) ? value : []).map((run): [string[], number] => {
    const [heads, count] = Array.isArray(run) ? run : [];
    const isRun = Array.isArray(heads) && heads.length <= MOST_HEADS;
    return [isRun ? heads.map(words) : [], isRun ? (wholeNumber(count) ?? 0) : 0];
  });
  const sum = runs.reduce((all, [, count]) => all + count, 0);
  if (sum !== lines || runs.some(([, count]) => count < 1)) {
    throw new Unreadable("its groups do not cover its rows or columns");
  }
  return runs;
}

function statisticsOf(value: unknown, columns: readonly string[]): StatisticLines {
  const { lines, note } = object(value ?? {}, "its statistics are not an object");
  const listed = Array.isArray(lines) ? lines.slice(0, MOST_LINES) : [];
  return {
    columns,
    lines: listed.map((each) => {
      const { name, base, cells } = object(each, "a row of its statistics is not an object");
      const texts = Array.isArray(cells) ? cells.map(words) : [];
      if (texts.length !== columns.length) {
        throw new Unreadable("its statistics do not have the columns of the table");
      }
      return { name: words(name), base: words(base), cells: texts };
    }),
    note: words(note),
  };
}

function marksOf(value: unknown): SavedMarks {
  const saved = object(value ?? {}, "its tests are not an object");
  const listed = (value: unknown) =>
    (Array.isArray(value) ? value.slice(0, MOST_CELLS) : []).map(words);
  return {
    texts: listed(saved.texts),
    column_letters: listed(saved.column_letters),
    method: words(saved.method),
    short: words(saved.short),
    problem: words(saved.problem),
    previous_method: words(saved.previous_method),
    unchanged: [],
    letters_legend: words(saved.letters_legend),
    letters_method: words(saved.letters_method),
    no_letters: words(saved.no_letters),
  };
}

function notesOf(value: unknown): string[] {
  const listed = Array.isArray(value) ? value.slice(0, MOST_HEADS) : [];
  return listed.map(words).filter(Boolean);
}

function netsOf(value: unknown, lines: number): number[] {
  const places = (Array.isArray(value) ? value : []).map(wholeNumber);
  return places.filter((place): place is number => place !== null && place < lines);
}

// -- values
// ----------------------------------------------------------------------------------------

const WIDTHS = { uint16: 2, float32: 4, float64: 8 } as const;

/** The planes of whole rows and columns; where cells have the same, they are saved once. */
const OWN: Readonly<Record<string, string>> = {
  row_own_size: "row_size",
  row_own_sample: "row_sample",
  column_own_size: "column_size",
  column_own_sample: "column_sample",
};

/** The planes one after another, as a kernel sends them. */
function tileOf(value: unknown, rows: number, columns: number): Tile {
  const saved = object(value, "it has no values");
  const own = Object.entries(OWN)
    .filter(([name, ofCells]) => !Object.hasOwn(saved, name) && Object.hasOwn(saved, ofCells))
    .map(([name, ofCells]): [string, unknown] => [name, saved[ofCells]]);
  const planes = [...Object.entries(saved), ...own];
  const parts = planes.map(([name, plane]) => planeOf(name, plane, rows, columns));
  const offsets: number[] = [];
  let length = 0;
  for (const { bytes } of parts) {
    offsets.push(length);
    length += Math.ceil(bytes.length / 8) * 8;
  }
  const body = new Uint8Array(length);
  parts.forEach(({ bytes }, i) => {
    body.set(bytes, offsets[i]);
  });
  const headers = parts.map(({ header }, i) => ({ ...header, offset: offsets[i] ?? 0 }));
  return new Tile({ rows, columns, complete: true, planes: headers }, body);
}

function planeOf(name: string, value: unknown, rows: number, columns: number) {
  const plane = object(value, `its plane ${name} is not an object`);
  const [down, across] = Array.isArray(plane.shape) ? plane.shape : [];
  const { dtype } = plane;
  if (!isKind(dtype) || (down !== rows && down !== 1) || (across !== columns && across !== 1)) {
    throw new Unreadable(`its plane ${name} does not have the shape of the table`);
  }
  const bytes = decoded(plane.data);
  if (bytes.length !== WIDTHS[dtype] * down * across) {
    throw new Unreadable(`its plane ${name} does not have the length of its shape`);
  }
  const header: Omit<PlaneLayout, "offset"> = { name, dtype, shape: [down, across] };
  return { header, bytes };
}

function isKind(dtype: unknown): dtype is keyof typeof WIDTHS {
  return typeof dtype === "string" && Object.hasOwn(WIDTHS, dtype);
}

function decoded(data: unknown): Uint8Array {
  try {
    return Uint8Array.from(atob(String(data)), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Unreadable("its values are not base64");
  }
}

// -- settings
// ---------------------------------------------------------------------------------------

function heatOf(value: unknown): HeatScales | null {
  const { index, difference } = (value ?? {}) as Record<string, unknown>;
  const scales = { index: scaleOf(index), difference: scaleOf(difference) };
  return scales.index && scales.difference ? (scales as HeatScales) : null;
}

function scaleOf(value: unknown): HeatScale | null {
  const { low, high } = (value ?? {}) as Record<string, unknown>;
  const [least, most] = [figure(low), figure(high)];
  return least === null || most === null ? null : { low: least, high: most };
}

/** The names of settings in notebooks of versions 1.0 and 2.0. */
const EARLIER: ReadonlyMap<string, string> = new Map([
  ["blank_under", "hide_under"],
  ["low_base", "stars"],
]);

/** The display settings; a value of the wrong type is replaced by the default. */
function looksOf(value: Record<string, unknown>): Record<string, unknown> {
  const known: Record<string, (value: unknown) => boolean> = {
    metrics: (value) => Array.isArray(value) && value.length <= MOST_METRICS,
    heat: (value) => typeof value === "string",
    bars: (value) => typeof value === "boolean",
    decimals: (value) => value === null || (wholeNumber(value) ?? 9) <= MOST_DECIMALS,
    units: (value) => typeof value === "string",
    stars: (value) => Array.isArray(value) && value.every((each) => wholeNumber(each) !== null),
    hide_under: (value) => (figure(value) ?? -1) >= 0,
    significance: (value) => typeof value === "string",
    level: (value) => figure(value) !== null,
  };
  // Own properties only: every object inherits "constructor" and others.
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, value]) => [EARLIER.get(name) ?? name, value] as const)
      .filter(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value)),
  );
}

function object(value: unknown, otherwise: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Unreadable(otherwise);
  }
  return value as Record<string, unknown>;
}

function words(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MOST_LETTERS) : "";
}

function figure(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
