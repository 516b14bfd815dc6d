/** The offsets of all rows and columns, below and beside their headers. */

import type { StatisticLine } from "../../protocol";
import type { Section } from "../arrangement/arrange";
import { depthOf } from "../arrangement/banner";
import type { Range } from "../arrangement/position";
import type { Orientation, TableView } from "../arrangement/tableView";
import { evenTrack, type Track, variedTrack } from "../arrangement/track";
import { nameInTable } from "../data/names";
import { strings } from "../strings";
import { areLettersBeside, type CellStyle } from "../table/displaySettings";
import type { Table } from "../table/table";
import type { CursorState } from "./cursor";
import {
  FEW,
  FEW_ROWS,
  type Geometry,
  type GeometryChoice,
  looseWidth,
  originOf,
  rowHeight,
  type Sizes,
  sizesFor,
} from "./geometry";
import { statisticUnder } from "./statisticStyle";
import type { TextMeasure } from "./text";

export interface Layout {
  readonly geometry: Geometry;
  readonly sizes: Sizes;
  readonly rows: Track;
  readonly columns: Track;
  /** Lines of a row below its values that letters of significance need. */
  lettersUnder(row: number): number;
  /** Whether names of rows wrap; in a large table each is on one line. */
  readonly wraps: boolean;
  /** Columns before which a group over columns begins or ends. */
  readonly edges: ReadonlySet<number>;
  /** Where each level of groups over the columns starts, and the column names below them. */
  readonly bandTops: readonly number[];
  /** Levels of those groups, and their height. */
  readonly bands: number;
  readonly bandHeight: number;
  /** Height of everything above the first row. */
  readonly top: number;
  /** Height of that and of the first rows, which stay in view beside other parts. */
  readonly least: number;
  /** Height of the pinned group name while the group's own row is scrolled away. */
  readonly pinned: number;
  /** Where the first column starts, and how far it scrolls until it reaches the frozen part. */
  readonly left: number;
  readonly loose: number;
}

/** The visible part of the table, in pixels. */
export interface Sight {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
}

/** The state of one painting. */
export interface Frame {
  readonly layout: Layout;
  readonly cursor: CursorState;
  readonly style: CellStyle;
  readonly range: Range | null;
  readonly usedColumns: ReadonlySet<number>;
  /** Visible rows and columns that are selected by their headers. */
  readonly named: Readonly<Record<Orientation, ReadonlySet<number>>>;
}

function layoutOf(
  view: TableView,
  sizes: Sizes,
  style: CellStyle,
  statistics: readonly StatisticLine[],
): Layout {
  const { geometry } = sizes;
  const bands = view.bandCount;
  const wraps = view.rows.items.count <= FEW_ROWS && !sizes.isLow;
  const columns = columnTrack(view, sizes);
  const bandTops = bandsOf(view, sizes, columns.track);
  const bandHeight = bandTops.at(-1) ?? 0;
  const inStatistics = statisticsUnder(view, sizes, columns.track, statistics);
  const under = lettersUnder(view, sizes, columns.least, style, inStatistics);
  const rows = rowTrack(view, sizes, wraps, under);
  const top = bandHeight + geometry.head + geometry.base;
  return {
    geometry,
    sizes,
    rows,
    columns: columns.track,
    lettersUnder: under ?? none,
    wraps,
    bandTops,
    edges: edgesOf(bands === 0 ? [] : view.band(0)),
    bands,
    bandHeight,
    top,
    least: top + rows.offset(firstRows(view)),
    pinned: view.sectionCount > 0 ? geometry.group : 0,
    left: originOf(geometry),
    loose: looseWidth(geometry),
  };
}

function rowTrack(
  { rows, sectionCount }: TableView,
  { geometry, rowLines }: Sizes,
  wraps: boolean,
  lettersUnder: Layout["lettersUnder"] | null,
): Track {
  if (sectionCount === 0 && !wraps && !lettersUnder) return evenTrack(rows.count, geometry.row);
  return variedTrack(rows.count, (row) => {
    if (rows.section(row)) return geometry.group;
    const name = wraps ? rows.name(row) : undefined;
    const depth = sectionCount > 0 ? (name?.groups?.length ?? 0) : 0;
    const height = geometry.row + geometry.line * (lettersUnder?.(row) ?? 0);
    if (!name) return height;
    return Math.max(height, rowHeight(geometry, rowLines(nameInTable(name), depth)));
  });
}

function none(): number {
  return 0;
}

/** The same for each statistic. */
function statisticsUnder(
  { columns }: TableView,
  sizes: Sizes,
  { size }: Track,
  statistics: readonly StatisticLine[],
): readonly number[] {
  if (statistics.length === 0) return [];
  const widths = new Map<number, number>();
  for (let at = 0; at < columns.count; at++) widths.set(columns.source(at), size(at));
  return statistics.map((line) => statisticUnder(line, sizes, widths));
}

/** null where no row has such lines: by the longest letters that have arrived of a row. */
function lettersUnder(
  view: TableView,
  sizes: Sizes,
  column: number,
  style: CellStyle,
  inStatistics: readonly number[],
): Layout["lettersUnder"] | null {
  const areBeside = areLettersBeside(style);
  const found = new Map<string, number>();
  const linesOf = (letters: string): number => {
    if (areBeside && sizes.isBeside(letters, column)) return 0;
    return sizes.lettersIn(letters, column).length - (areBeside ? 0 : 1);
  };
  const longest = view.longestLetters;
  for (const letters of new Set(longest.values())) found.set(letters, linesOf(letters));
  if (Math.max(0, ...found.values(), ...inStatistics) === 0) return null;
  return (row) =>
    inStatistics[view.rows.statistic(row)] ??
    found.get(longest.get(view.rows.source(row)) ?? "") ??
    0;
}

/** Three rows with the groups' rows before them, which are three at most. */
function firstRows({ rows }: TableView): number {
  let [at, found] = [0, 0];
  for (; at < Math.min(6, rows.count) && found < 3; at++) if (!rows.section(at)) found++;
  return at;
}

function columnTrack({ columns, columnWidths }: TableView, { geometry, columnWidth }: Sizes) {
  const varies = columns.count <= FEW;
  let least = geometry.column;
  if (columnWidths.size === 0 && !varies)
    return { track: evenTrack(columns.count, geometry.column), least };
  const track = variedTrack(columns.count, (column) => {
    const name = varies ? columns.name(column)?.name : undefined;
    const own = name === undefined ? geometry.column : columnWidth(name);
    const width = columnWidths.get(columns.source(column)) ?? own;
    least = Math.min(least, width);
    return width;
  });
  return { track, least };
}

/** Names of groups wrap, as those of columns do. */
function bandsOf(view: TableView, { geometry, groupLines }: Sizes, columns: Track): number[] {
  const tops = [0];
  for (let level = 0; level < view.bandCount; level++) {
    const lines =
      columns.count > FEW
        ? [1]
        : view.band(level).map(({ groups, at, count }) => {
            const width = columns.offset(at + count) - columns.offset(at);
            return groupLines(groups.at(-1) ?? "", width);
          });
    const more = Math.max(1, ...lines) - 1;
    tops.push((tops.at(-1) ?? 0) + geometry.group + more * geometry.line);
  }
  return tops;
}

/** The first column has an edge already. */
function edgesOf(groups: readonly Section[]): ReadonlySet<number> {
  return new Set(groups.flatMap(({ at, count }) => (at > 0 ? [at, at + count] : [count])));
}

/** Caches the layout until something it depends on changes. */
export class Layouts {
  #held: Layout | null = null;
  #key: readonly unknown[] = [];

  constructor(
    private readonly table: Table,
    private readonly text: Pick<TextMeasure, "width" | "line" | "group">,
  ) {}

  /** Lays out again, as after a change of the font. */
  forget(): void {
    this.#held = null;
  }

  /** height: what the table may grow to. */
  of(width: number, height: number): Layout {
    const { view, settings, baseName, baseParts, statistics } = this.table;
    const rows = view.rows.items;
    const room = settings.room.peek();
    const given = {
      width,
      height,
      asked: view.asked.peek(),
      name: view.arranger.names,
      density: settings.density.peek(),
      margins: settings.shownMargins.peek(),
      isLettered: settings.showsLetters && view.columns.side === "columns",
    };
    const [rowNames, columnNames] = [rows.names.here, view.columns.items.names.here];
    const lettersVersion = settings.showsLetters ? view.lettersVersion : 0;
    const other = [
      room,
      view.layoutVersion,
      lettersVersion,
      rowNames,
      columnNames,
      baseName.name,
      baseParts,
      statistics,
    ];
    const key = [...Object.values(given), ...other];
    if (this.#held !== null && key.every((part, i) => part === this.#key[i])) return this.#held;
    this.#key = key;
    // The names of nets are long at first: they wrap, and the others stay where they are.
    const widening = rowNames.filter(({ isNet }) => !isNet);
    const choice: GeometryChoice = {
      ...{ ...given, ...room, text: this.text.width, line: this.text.line, group: this.text.group },
      baseParts,
      rowNames: [
        strings.base(baseName.name),
        ...widening.map(nameInTable),
        ...rows.statistics.map(nameInTable),
      ],
      columnNames: columnNames.map(nameInTable),
      columns: view.columns.count,
      depth: view.sectionCount > 0 ? depthOf(rows.banner) : 0,
    };
    const style = settings.style.peek();
    this.#held = layoutOf(view, sizesFor(choice), style, statistics?.lines ?? []);
    return this.#held;
  }
}
