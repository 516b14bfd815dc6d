/** The tests of the cells of a rectangle, as the kernel sends them. */
import type { MarksHeader } from "../../protocol";
import type { Block } from "./blocks";
import { type CellCounts, KERNEL_METRICS } from "./cellCounts";
import { type Bytes, Tile } from "./tiles";

const TESTS = [...KERNEL_METRICS, "p", "freedom", "level", "previous"] as const;

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

  /** The letters of its cells that have some, without spaces where one letter is a column. */
  *letters(): Generator<[row: number, column: number, letters: string]> {
    const { rows, columns, texts, no_letters: problem } = this.header;
    if (problem || !texts.some(Boolean)) return;
    const joined = texts.map(joinedLetters);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const letters = joined[this.tile.at("letters", row, column)];
        if (letters) yield [row, column, letters];
      }
    }
  }

  read(row: number, column: number, out: CellCounts): void {
    const { tile, header } = this;
    for (const name of TESTS) out[name] = tile.at(name, row, column);
    out.untested = header.problem || tile.reasonAt(row, column);
    out.unchanged = header.unchanged?.[tile.at("unchanged", row, column)];
    out.letters = header.no_letters ? "" : header.texts[tile.at("letters", row, column)];
  }
}

/** Without spaces; letters of more than 26 columns, such as AB, need the space between them. */
export function joinedLetters(letters: string): string {
  return /\w\w/.test(letters) ? letters : letters.replaceAll(" ", "");
}

export function withoutTests(out: CellCounts): void {
  for (const name of TESTS) out[name] = Number.NaN;
  out.untested = "";
  out.unchanged = "";
  out.letters = undefined;
}
