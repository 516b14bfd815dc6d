/** Where everything of the table stands: rows and columns along their axes, below their headers. */

import type { Section } from "../arrangement/arrange";
import { depthOf } from "../arrangement/banner";
import { evenTrack, type Track, variedTrack } from "../arrangement/track";
import type { Table } from "../data/table";
import { strings } from "../strings";
import {
  BAND,
  FEW,
  type Geometry,
  type GeometryChoice,
  looseWidth,
  originOf,
  rowHeight,
  SECTION,
  type Sizes,
  sizesFor,
  type TextWidth,
} from "./geometry";

export interface Layout {
  readonly geometry: Geometry;
  readonly sizes: Sizes;
  readonly rows: Track;
  readonly columns: Track;
  /** Columns before which one head over columns ends, or another begins. */
  readonly edges: ReadonlySet<number>;
  /** How many heads stand above each other over the columns. */
  readonly bands: number;
  /** Heights of those heads, and of all that stays above the first row. */
  readonly bandHeight: number;
  readonly top: number;
  /** Height of what stays over the rows while their group's own row is out of sight. */
  readonly pinned: number;
  /** Where the first column begins, and how far it scrolls before it meets the frozen part. */
  readonly left: number;
  readonly loose: number;
}

function layoutOf(table: Table, sizes: Sizes): Layout {
  const { geometry } = sizes;
  const bands = table.bandCount;
  const bandHeight = bands * BAND;
  return {
    geometry,
    sizes,
    rows: rowTrack(table, sizes),
    columns: columnTrack(table, sizes),
    edges: edgesOf(bands === 0 ? [] : table.band(0)),
    bands,
    bandHeight,
    top: bandHeight + geometry.head + geometry.base,
    pinned: table.sectionCount > 0 ? SECTION : 0,
    left: originOf(geometry),
    loose: looseWidth(geometry),
  };
}

function rowTrack(table: Table, { geometry, rowLines }: Sizes): Track {
  const { rowCount, sectionCount } = table;
  const wraps = table.axes[table.rowSide].count <= FEW;
  if (sectionCount === 0 && !wraps) return evenTrack(rowCount, geometry.row);
  return variedTrack(rowCount, (row) => {
    if (table.section(row)) return SECTION;
    const name = wraps ? table.rowName(row) : undefined;
    const depth = sectionCount > 0 ? (name?.heads?.length ?? 0) : 0;
    return name ? rowHeight(geometry, rowLines(name.name, depth)) : geometry.row;
  });
}

function columnTrack(table: Table, { geometry, columnWidth }: Sizes): Track {
  const widths = table.columnWidths;
  const varies = table.columnCount <= FEW;
  if (widths.size === 0 && !varies) return evenTrack(table.columnCount, geometry.column);
  return variedTrack(table.columnCount, (column) => {
    const name = varies ? table.columnName(column)?.name : undefined;
    const own = name === undefined ? geometry.column : columnWidth(name);
    return widths.get(table.sourceColumn(column)) ?? own;
  });
}

/** The first column has an edge already. */
function edgesOf(heads: readonly Section[]): ReadonlySet<number> {
  return new Set(heads.flatMap(({ at, count }) => (at > 0 ? [at, at + count] : [count])));
}

/** The same layout as long as nothing that it depends on has changed. */
export class Layouts {
  private held: Layout | null = null;
  private key: readonly unknown[] = [];

  constructor(
    private readonly table: Table,
    private readonly text: TextWidth,
  ) {}

  of(width: number): Layout {
    const { table, text } = this;
    const { room, density, margins } = table.showing;
    const rows = table.axes[table.rowSide];
    const columns = table.axes[table.columnSide];
    const key = [
      ...[width, table.layoutVersion, rows.names.here, columns.names.here, table.baseName.name],
      ...[table.arranger.names, room.peek(), density.peek(), margins.peek()],
      table.asked.peek(),
    ];
    if (this.held !== null && key.every((part, i) => part === this.key[i])) return this.held;
    this.key = key;
    const choice: GeometryChoice = {
      ...{ width, text, ...room.peek() },
      asked: table.asked.peek(),
      rowNames: [
        strings.base(table.baseName.name),
        strings.baseParts,
        ...rows.names.here.map(({ name }) => name),
      ],
      columnNames: columns.names.here.map(({ name }) => name),
      columns: table.columnCount,
      depth: table.sectionCount > 0 ? depthOf(rows.banner) : 0,
      name: table.arranger.names,
      density: density.peek(),
      margins: margins.peek(),
    };
    this.held = layoutOf(table, sizesFor(choice));
    return this.held;
  }
}
