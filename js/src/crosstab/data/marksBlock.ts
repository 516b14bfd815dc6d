/** The tests of the cells of a rectangle, as the kernel sends them. */
import type { MarksHeader } from "../../protocol";
import type { CellCounts } from "./cellCounts";
import type { Block } from "./cells";
import { type Bytes, Tile } from "./tiles";

export class MarksBlock implements Block {
  readonly complete = true;
  private readonly tile: Tile;

  constructor(
    readonly header: MarksHeader,
    buffer: Bytes,
  ) {
    this.tile = new Tile(header, buffer);
  }

  get bytes(): number {
    return this.tile.bytes;
  }

  read(row: number, column: number, out: CellCounts): void {
    const { tile, header } = this;
    out.z = tile.at("z", row, column);
    out.p = tile.at("p", row, column);
    out.freedom = tile.at("freedom", row, column);
    out.level = tile.at("level", row, column);
    out.untested = header.problem || tile.reasonAt(row, column);
    out.letters = header.no_letters ? "" : header.texts[tile.at("letters", row, column)];
  }
}

export function withoutTests(out: CellCounts): void {
  out.z = out.p = out.freedom = out.level = Number.NaN;
  out.untested = "";
  out.letters = undefined;
}
