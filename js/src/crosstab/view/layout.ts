/** Where everything of the table stands: rows and columns along their axes, below their headers. */

import type { Section } from "../arrangement/arrange";
import { evenTrack, type Track, variedTrack } from "../arrangement/track";
import type { Table } from "../data/table";
import { BAND, type Geometry, looseWidth, originOf, SECTION } from "./geometry";

export interface Layout {
  readonly geometry: Geometry;
  readonly rows: Track;
  readonly columns: Track;
  /** Columns before which one head over columns ends, or another begins. */
  readonly edges: ReadonlySet<number>;
  /** How many heads stand above each other over the columns. */
  readonly bands: number;
  /** Heights of those heads, and of all that stays above the first row. */
  readonly bandHeight: number;
  readonly top: number;
  /** Where the first column begins, and how far it scrolls before it meets the frozen part. */
  readonly left: number;
  readonly loose: number;
}

function layoutOf(table: Table, geometry: Geometry): Layout {
  const widths = table.columnWidths;
  const bands = table.bandCount;
  const bandHeight = bands * BAND;
  return {
    geometry,
    rows:
      table.sectionCount === 0
        ? evenTrack(table.rowCount, geometry.row)
        : variedTrack(table.rowCount, (row) => (table.section(row) ? SECTION : geometry.row)),
    columns:
      widths.size === 0
        ? evenTrack(table.columnCount, geometry.column)
        : variedTrack(
            table.columnCount,
            (column) => widths.get(table.sourceColumn(column)) ?? geometry.column,
          ),
    edges: edgesOf(bands === 0 ? [] : table.band(0)),
    bands,
    bandHeight,
    top: bandHeight + geometry.head + geometry.base,
    left: originOf(geometry),
    loose: looseWidth(geometry),
  };
}

/** The first column has an edge already. */
function edgesOf(heads: readonly Section[]): ReadonlySet<number> {
  return new Set(heads.flatMap(({ at, count }) => (at > 0 ? [at, at + count] : [count])));
}

/** The same layout as long as nothing that it depends on has changed. */
export class Layouts {
  private held: Layout | null = null;
  private key = "";

  constructor(private readonly table: Table) {}

  of(geometry: Geometry): Layout {
    const key = `${this.table.layoutVersion} ${Object.values(geometry)}`;
    if (this.held === null || key !== this.key) this.held = layoutOf(this.table, geometry);
    this.key = key;
    return this.held;
  }
}
