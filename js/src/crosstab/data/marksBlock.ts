/** The tests of the cells of a rectangle, as the kernel sends them. */
import type { MarksHeader } from "../../protocol";
import type { CellCounts } from "./cellCounts";
import type { Block } from "./cells";
import { type Bytes, Tile } from "./tiles";

export class MarksBlock implements Block {
  readonly complete = true;
  readonly bytes: number;
  private readonly planes;

  constructor(
    readonly header: MarksHeader,
    buffer: Bytes,
  ) {
    const tile = new Tile(header, buffer);
    this.bytes = tile.bytes;
    this.planes = {
      z: tile.reader("z"),
      p: tile.reader("p"),
      freedom: tile.reader("freedom"),
      level: tile.reader("level"),
      reason: tile.reader("reason"),
      letters: tile.reader("letters"),
    };
  }

  read(row: number, column: number, out: CellCounts): void {
    const { planes, header } = this;
    out.z = planes.z(row, column);
    out.p = planes.p(row, column);
    out.freedom = planes.freedom(row, column);
    out.level = planes.level(row, column);
    out.untested = header.problem || (header.reasons?.[planes.reason(row, column)] ?? "");
    out.letters = header.no_letters ? "" : header.texts[planes.letters(row, column)];
  }
}

export function withoutTests(out: CellCounts): void {
  out.z = out.p = out.freedom = out.level = Number.NaN;
  out.untested = "";
  out.letters = undefined;
}
