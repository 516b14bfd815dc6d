/**
 * Sizes of the grid's parts in CSS pixels, computed from the width of the widget and the content.
 */
import type { Span } from "../../core/windower";
import type { Density } from "../../protocol";
import { LINE, ROW } from "../../ui/lines";
import { strings } from "../strings";
import type { Margins } from "../table/displaySettings";
import { brokenLetters, hyphenated, letterApart, linesOf, shortened, type TextWidth } from "./text";

export interface Geometry {
  /** Width of the row headers. */
  readonly name: number;
  /** Widths of the base columns; 0 for a hidden one. */
  readonly size: number;
  readonly sample: number;
  /** Width of the frozen part: names and bases, or only names in a narrow widget. */
  readonly frozen: number;
  /** Width of a column whose name is not loaded, and of all columns in a large table. */
  readonly column: number;
  /** Heights of a line of text, of a row, and of the row of a group. */
  readonly line: number;
  readonly row: number;
  readonly group: number;
  /** Heights of the column headers and of the base row, and lines of a column's name. */
  readonly head: number;
  readonly headLines: number;
  readonly base: number;
  /**
   * Space right of a value for the low-base mark, left of it for the sign, and above the lines of a
   * row.
   */
  readonly pad: number;
  readonly sign: number;
  readonly inset: number;
}

/** The sizes of a table, with those that depend on a name. */
export interface Sizes {
  readonly geometry: Geometry;
  readonly isCompact: boolean;
  /** Whether there is so little height that names of rows take one line each. */
  readonly isLow: boolean;
  /** The width that the loaded row names need. */
  readonly fittingNames: number;
  columnWidth(name: string): number;
  /** The width of a column with its name on one line, or on several if it is very long. */
  fittingColumn(name: string): number;
  /** Lines of a row's name, at least as many as a cell has. */
  rowLines(name: string, depth: number): number;
  /** Lines of the name of a group over columns of this width. */
  groupLines(name: string, width: number): number;
  /** Names with hyphens where their words are wider than a line; a letter may have its own line. */
  inColumn(name: string, width: number): string;
  inRow(name: string, depth: number): string;
  /**
   * Whether letters have space in a column of this width beside a value, or beside any; and their
   * lines else.
   */
  isBeside(letters: string, width: number, value?: string): boolean;
  lettersIn(letters: string, width: number): readonly string[];
  /** A row's name on one line. */
  onOneLine(name: string, depth: number): string;
}

export interface GeometryChoice {
  readonly width: number;
  /** The height that the table can have; 0 while it is not known. */
  readonly height?: number;
  readonly text: TextWidth;
  /** Heights of a line of text, and of a row of one line. */
  readonly line?: number;
  readonly group?: number;
  /** Loaded names; row names include the label of the base, whose second line does not wrap. */
  readonly baseParts?: string;
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
  /** The questions named in the corner, over the metrics. */
  readonly asked?: string;
  /** Number of columns, and of group levels over the rows. */
  readonly columns: number;
  readonly depth?: number;
  /** The number of metrics in a cell, and the longest text of values and counts. */
  readonly cellLines?: number;
  readonly values?: readonly string[];
  readonly size?: string;
  readonly sample?: string;
  /** The letters of significance that have space beside a value. */
  readonly beside?: string;
  /** Width of the row names, if the user set it. */
  readonly name?: number | undefined;
  readonly density?: Density;
  readonly margins?: Margins;
  /** Whether a letter is before the name of each column. */
  readonly isLettered?: boolean;
}

/** Up to this many columns, each is as wide as its content; above, all have the same width. */
export const FEW = 128;
/** Names of up to this many rows wrap; above, each is on one line. */
export const FEW_ROWS = 1_000;

// All sizes are those of a font with lines of 16 pixels; with others they grow or shrink.
/** "auto" is compact in a narrower table. */
const SHORT = 800;
/** For each density: the font's scale, and the padding of lines and values. */
const SPACING = {
  comfortable: {
    ...{ scale: 1, row: 8, over: 10 },
    wide: { pad: 12, sign: 3, gap: 8, head: 2, margin: 12, around: 14 },
  },
  compact: {
    ...{ scale: 0.92, row: 4, over: 6 },
    wide: { pad: 10, sign: 2, gap: 8, head: 2, margin: 8, around: 12 },
  },
} as const;
/** As many columns as a table has in view, if it has them: names and columns give way to that. */
const IN_VIEW = 10;
/** The parts of the width that names have: the least, the usual and the most. */
const NAMES = { least: 0.16, usual: 0.28, most: 0.4 };
/** "auto" is compact where less than this is left for names beside as many columns. */
const NAMES_LEFT = 0.22;
const NAME_LEAST = 84;
/** Names of rows have as much as this where they need it and it is not more than their part. */
const NAME_READABLE = 140;
const NAME_MOST = 480;
const INDENT = 14;
const COLUMN_MOST = 132;
const GROUP_AROUND = 14;
const MOST_LINES = 3;
const MOST_HEAD_LINES = 8;
/** Columns of figures that have space beside the base columns, else those scroll with them. */
const FEWEST_BESIDE = 3;
/** Rows that stay in view under long names of columns, with what is around them in a low table. */
const ROWS_LEFT = 6;
const WIDEN = 8;
/** Letters, and the names of the base columns, are smaller than values: see the style sheets. */
const LETTERS_SCALE = 0.78;
const LETTERS_GAP = 5;
const HEADER_SCALE = 0.85;

export function sizesFor({
  width,
  height = 0,
  text,
  line = LINE,
  group = ROW,
  baseParts = "",
  rowNames,
  columnNames,
  columns,
  asked = "",
  depth = 0,
  cellLines = 1,
  values = [],
  size: widestSize = "",
  sample: widestSample = "",
  beside = "",
  name: chosen,
  density = "auto",
  margins = { size: true, sample: true },
  isLettered = false,
}: GeometryChoice): Sizes {
  const grown = (pixels: number) => Math.round((pixels * line) / LINE);
  const spacing = (isCompact: boolean) => {
    const { scale, row, over, wide: spaces } = SPACING[isCompact ? "compact" : "comfortable"];
    const space = eachOf(spaces, grown);
    const wide: TextWidth = (words, isBold) => scale * text(words, isBold);
    const letters: TextWidth = (words) => LETTERS_SCALE * wide(words, true);
    const value = largest(values, (each) => wide(each));
    const ahead = beside
      ? Math.max(space.sign + space.gap, letters(beside) + grown(LETTERS_GAP))
      : space.sign + space.gap;
    const counts = [widestSize, widestSample.split("*")[0] ?? ""];
    const count = space.head + largest(counts, (each) => wide(each));
    const least = Math.ceil(Math.max(ahead + value, count) + space.pad);
    const margin = (label: string, widest: string, mark: number) => {
      const word = largest(label.split(" "), (each) => HEADER_SCALE * wide(each));
      return Math.ceil(Math.max(word, wide(widest) + mark) + space.margin);
    };
    const size = margins.size ? margin(strings.size, widestSize, 0) : 0;
    const sample = margins.sample ? margin(strings.sampleShort, widestSample, space.pad / 2) : 0;
    return { isCompact, row, over, space, wide, letters, value, least, size, sample };
  };
  const inView = Math.min(columns, IN_VIEW);
  const fitsAt = ({ size, sample, least }: ReturnType<typeof spacing>) =>
    width * (1 - NAMES_LEFT) - size - sample >= inView * least;
  const comfortable = spacing(false);
  const isTight = width > 0 && (width < grown(SHORT) || !fitsAt(comfortable));
  const isCompact = density === "compact" || (density === "auto" && isTight);
  const given = isCompact ? spacing(true) : comfortable;
  const { row, over, space, wide, letters, value, least: leastColumn, size, sample } = given;

  const around = space.head + space.pad;
  const headOf = (name: string) => (isLettered ? strings.letterFirst(name, "W") : name);
  const columnIn = (lines: number, label: string): number => {
    const name = headOf(label);
    const most = Math.max(grown(COLUMN_MOST), leastColumn);
    const word = largest(name.split(/\s+/), (each) => wide(each, true));
    let found = Math.min(most, Math.max(leastColumn, Math.ceil(word + around)));
    while (found < most && linesOf(name, found - around, wide, true) > lines) found += grown(WIDEN);
    return Math.min(found, most);
  };

  const padding = space.around + grown(INDENT) * depth;
  const corner = 0.6 * wide(asked, true) + space.around;
  const parts = wide(baseParts) + space.around;
  const wished = Math.max(largest(rowNames, (each) => wide(each)) + padding, parts, corner);
  const part = (share: number) => Math.min(wished, share * width);
  const leastName = Math.max(
    grown(NAME_LEAST),
    part(NAMES.least),
    Math.min(part(NAMES.most), parts),
    Math.min(part(NAMES.most), grown(NAME_READABLE)),
  );
  const beyond = width - size - sample;
  // The fewest lines with which all columns are visible at once, else as many in view as may be.
  const widthsIn = (lines: number) => columnNames.map((each) => columnIn(lines, each));
  const total = (own: readonly number[]) => own.reduce((a, b) => a + b, 0);
  const fits = (lines: number, names: number) =>
    columns <= FEW && names + total(widthsIn(lines)) <= beyond;
  const lines =
    [1, 2, MOST_LINES].find((few) => fits(few, part(NAMES.usual))) ??
    [2, MOST_LINES].find((few) => fits(few, leastName));
  const widest =
    lines === undefined && width > 0
      ? Math.max(leastColumn, Math.floor((beyond - leastName) / inView))
      : Number.POSITIVE_INFINITY;
  const columnWidth = (label: string) => Math.min(widest, columnIn(lines ?? MOST_LINES, label));
  const own = columnNames.map(columnWidth);
  const column = largest(own, Number, leastColumn);
  const counted = lines === undefined ? inView : columns;
  const firstOnes = columns > FEW ? [] : own.slice(0, counted);
  const across = total(firstOnes) + (counted - firstOnes.length) * column;

  // Row names get the width that columns leave; longer names wrap.
  const most = width > 0 ? Math.min(part(NAMES.most), beyond - across) : grown(NAME_MOST);
  const liked = Math.max(leastName, Math.min(wished, most));
  // Names that wrap have the part of a column that would be cut.
  const cut = lines === undefined && columns > 0 && width > 0 ? (beyond - liked) % column : 0;
  const widened = Math.max(liked, Math.min(part(NAMES.most), liked + cut));
  const name = chosen ?? Math.ceil(widened);
  const lead = name + size + sample;
  const isNarrow = width > 0 && width - lead < Math.min(columns, FEWEST_BESIDE) * column;
  // The corner names every metric of a cell; the labels of the bases take two lines.
  const askedLines =
    asked === "" ? 0 : Math.min(3, linesOf(asked, name - space.around, wide, true));
  const labelLines = Math.max(cellLines + askedLines, size > 0 || sample > 0 ? 2 : 1);
  const insideOf = (wideness: number) => wideness - around;
  const needed = largest(columnNames, (each, i) => {
    const inside = insideOf(columns > FEW ? column : (own[i] ?? column));
    return linesOf(headOf(each), inside, wide, true);
  });
  const baseHeight = row + 2 * line - 2;
  const rowsLeft = ROWS_LEFT * (row + line) + baseHeight + 3 * group;
  const headMost = height > 0 ? Math.floor((height - rowsLeft) / line) : MOST_HEAD_LINES;
  const headLines = Math.min(needed, Math.max(2, Math.min(MOST_HEAD_LINES, headMost)));
  const insideAt = (level: number) => name - space.around - grown(INDENT) * level;
  const written = new Map<string, string>();
  const once = (key: string, made: () => string): string => {
    const known = written.get(key) ?? made();
    written.set(key, known);
    return known;
  };
  return {
    geometry: {
      name,
      size,
      sample,
      frozen: isNarrow ? name : lead,
      column,
      line,
      row: row + line * cellLines,
      group,
      head: over + line * Math.max(labelLines, headLines),
      headLines: Math.max(labelLines, headLines),
      base: baseHeight,
      pad: space.pad,
      sign: space.sign,
      inset: row / 2,
    },
    isCompact,
    isLow: height > 0 && headMost < 2,
    fittingNames: Math.ceil(wished),
    columnWidth,
    fittingColumn: (label) => {
      const wanted = Math.ceil(wide(headOf(label), true)) + around;
      return wanted <= 2 * column ? wanted : Math.max(columnWidth(label), 2 * column);
    },
    rowLines: (label, level) => {
      return Math.max(cellLines, Math.min(MOST_LINES, linesOf(label, insideAt(level), wide)));
    },
    groupLines: (label, wideness) =>
      Math.min(MOST_LINES, linesOf(label, wideness - grown(GROUP_AROUND), wide, true)),
    inColumn: (label, wideness) =>
      once(`${wideness}|${label}`, () => {
        const inside = insideOf(wideness);
        const name = label.replace(/\s+/g, " ");
        return hyphenated(isLettered ? letterApart(name, inside, wide) : name, inside, wide, true);
      }),
    inRow: (label, level) =>
      once(`row ${level} ${label}`, () => hyphenated(label, insideAt(level), wide)),
    isBeside: (label, wideness, text) =>
      letters(label) + grown(LETTERS_GAP) + (text ? wide(text) : value) + space.pad <= wideness,
    lettersIn: (label, wideness) => brokenLetters(label, wideness - grown(LETTERS_GAP), letters),
    onOneLine: (label, level) =>
      once(`one ${level} ${label}`, () => shortened(label, insideAt(level), wide)),
  };
}

function eachOf<K extends string>(
  sizes: Readonly<Record<K, number>>,
  change: (size: number) => number,
): Record<K, number> {
  const changed = Object.entries<number>(sizes).map(([name, size]) => [name, change(size)]);
  return Object.fromEntries(changed);
}

function largest<T>(items: readonly T[], of: (item: T, at: number) => number, least = 0): number {
  return items.reduce((most, item, at) => Math.max(most, of(item, at)), least);
}

/** Height of a row with this many lines. */
export function rowHeight({ inset, line }: Geometry, lines: number): number {
  return 2 * inset + line * lines;
}

/** Where the first column starts in the canvas. */
export function originOf(geometry: Geometry): number {
  return geometry.name + geometry.size + geometry.sample;
}

/** The scroll distance until the first column reaches the frozen part. */
export function looseWidth(geometry: Geometry): number {
  return originOf(geometry) - geometry.frozen;
}

/** Whole items in a page, with one item of overlap for orientation. */
export function pageLength(viewport: number, item: number): number {
  return Math.max(1, Math.floor(viewport / item) - 1);
}

/** A span with as many items again on either side, within the axis. */
export function withSurroundings({ start, end }: Span, count: number): Span {
  const length = end - start;
  return { start: Math.max(0, start - length), end: Math.min(count, end + length) };
}
