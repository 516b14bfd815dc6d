/** The rows on the screen: items, and a separate row for each group before its items. */
import type { Span } from "../../core/windower";
import type { Section } from "./arrange";

export class RowList {
  readonly count: number;
  /** For each row its item, or the complement (~) of its section's number; null without groups. */
  private readonly rows: Int32Array | null;
  private readonly lineRows: Int32Array | null;

  constructor(
    private readonly lineCount: number,
    private readonly sections: readonly Section[],
  ) {
    this.count = lineCount + sections.length;
    if (sections.length === 0) {
      this.rows = null;
      this.lineRows = null;
      return;
    }
    this.rows = new Int32Array(this.count);
    this.lineRows = new Int32Array(lineCount);
    let row = 0;
    let next = 0;
    for (let line = 0; line <= lineCount; line++) {
      while (next < sections.length && sections[next]?.at === line) this.rows[row++] = ~next++;
      if (line === lineCount) break;
      this.lineRows[line] = row;
      this.rows[row++] = line;
    }
  }

  /** The visible item in a row; -1 for a group's row. */
  line(row: number): number {
    if (this.rows === null) return row;
    return Math.max(-1, this.rows[row] ?? -1);
  }

  section(row: number): Section | null {
    const found = this.rows?.[row] ?? 0;
    return found < 0 ? (this.sections[~found] ?? null) : null;
  }

  row(line: number): number {
    return this.lineRows === null ? line : (this.lineRows[line] ?? -1);
  }

  /** The items in a span of rows. */
  lines({ start, end }: Span): Span {
    if (this.rows === null) return { start, end };
    return { start: this.linesBefore(start), end: this.linesBefore(end) };
  }

  private linesBefore(row: number): number {
    if (this.rows === null) return row;
    for (let at = row; at < this.count; at++) {
      const line = this.line(at);
      if (line >= 0) return line;
    }
    return this.lineCount;
  }
}
