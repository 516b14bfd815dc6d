/** The rows on the screen: items and statistics, and a separate row for each group before its items. */
import type { Span } from "../../core/windower";
import type { Extra, Section } from "./arrange";

export class RowList {
  readonly count: number;
  /** For each row its item, or the complement (~) of the number of its section or statistic; null without any. */
  private readonly rows: Int32Array | null;
  private readonly lineRows: Int32Array | null;
  /** Sections and statistics, in their order. */
  private readonly heads: readonly (Section | Extra)[];

  constructor(
    private readonly lineCount: number,
    sections: readonly Section[],
    extras: readonly Extra[] = [],
  ) {
    this.heads = headsOf(sections, extras);
    const { heads } = this;
    this.count = lineCount + heads.length;
    if (heads.length === 0) {
      this.rows = null;
      this.lineRows = null;
      return;
    }
    this.rows = new Int32Array(this.count);
    this.lineRows = new Int32Array(lineCount);
    let row = 0;
    let next = 0;
    for (let line = 0; line <= lineCount; line++) {
      while (next < heads.length && heads[next]?.at === line) this.rows[row++] = ~next++;
      if (line === lineCount) break;
      this.lineRows[line] = row;
      this.rows[row++] = line;
    }
  }

  /** The visible item in a row; -1 for the row of a group or of a statistic. */
  line(row: number): number {
    if (this.rows === null) return row;
    return Math.max(-1, this.rows[row] ?? -1);
  }

  section(row: number): Section | null {
    const head = this.head(row);
    return head && !("statistic" in head) ? head : null;
  }

  /** The number of the statistic in a row; -1 for another row. */
  statistic(row: number): number {
    const head = this.head(row);
    return head && "statistic" in head ? head.statistic : -1;
  }

  private head(row: number): Section | Extra | null {
    const found = this.rows?.[row] ?? 0;
    return found < 0 ? (this.heads[~found] ?? null) : null;
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

/** Each statistic after the sections that are before it. */
function headsOf(sections: readonly Section[], extras: readonly Extra[]): (Section | Extra)[] {
  const heads: (Section | Extra)[] = [];
  let next = 0;
  for (let at = 0; at <= sections.length; at++) {
    for (let extra = extras[next]; extra && extra.sections <= at; extra = extras[++next])
      heads.push(extra);
    const section = sections[at];
    if (section) heads.push(section);
  }
  return heads;
}
