/** The appearance of rows of statistics, whose values come as texts: means among shares. */
import type { StatisticLine } from "../../protocol";
import { joinedLetters } from "../data/marksBlock";
import { formatCount, formatSize, HIDDEN } from "../metrics/format";
import { lowBaseMark } from "../metrics/metrics";
import { strings } from "../strings";
import type { CellStyle } from "../table/displaySettings";
import type { Chosen } from "./cellStyle";
import type { Sizes } from "./geometry";
import type { CellView } from "./painted";

const ABSENT: CellView = { text: "", is: "absent" };

type Style = Pick<CellStyle, "metrics" | "lowBase">;
type Fit = Pick<Sizes, "isBeside" | "lettersIn">;

/** The parts of a text such as "3.4 ▲" or "3.4 A B". */
function partsOf(cell = "") {
  const [value = "", ...marks] = cell.split(" ");
  const arrow = marks.includes("▲") ? "higher" : marks.includes("▼") ? "lower" : "";
  return { value, arrow, letters: arrow ? "" : joinedLetters(marks.join(" ")) };
}

/** The lines of the letters that have no space beside the value. */
function under(cell: string | undefined, fit: Fit, width: number): readonly string[] {
  const { value, letters } = partsOf(cell);
  if (letters === "" || fit.isBeside(letters, width, value)) return [];
  return fit.lettersIn(letters, width);
}

/** Lines below its values that a row needs; widths: of the columns in its cells, if shown. */
export function statisticUnder(
  { cells }: Pick<StatisticLine, "cells">,
  fit: Fit,
  widths: ReadonlyMap<number, number>,
): number {
  return [...widths].reduce((most, [at, width]) => {
    return Math.max(most, under(cells[at], fit, width).length);
  }, 0);
}

/**
 * A value on the line of the first metric, and what it has changed by on the line of that.
 *
 * fit: how letters fit into a column, in a row that has lines for them.
 */
export function statisticView(
  line: StatisticLine | undefined,
  column: number,
  style: Style,
  chosen: Chosen,
  fit: Fit | null = null,
  width = 0,
): CellView {
  if (!line) return { ...ABSENT, is: `absent ${chosen}`.trim() };
  const { value, arrow, letters } = partsOf(line.cells[column]);
  const below = fit ? under(line.cells[column], fit, width).join("\n") : "";
  const sample = line.samples?.[column + 1] ?? Number.NaN;
  const star = value === HIDDEN ? "" : lowBaseMark(sample, style.lowBase);
  const at = style.metrics.findIndex(({ key }) => key !== "change");
  const texts = style.metrics.map(({ key }, i) =>
    key === "change" ? (line.changes?.[column] ?? "") : i === at ? value : "",
  );
  const isOne = texts.length === 1;
  const low = star === "*" ? "low" : "verylow";
  return {
    text: texts.join("\n"),
    is: ["statistic", arrow, isOne && star && low, below && "under", chosen]
      .filter(Boolean)
      .join(" "),
    title: [strings.gaveAmount(sample), line.unchanged?.[column]].filter(Boolean).join("\n"),
    letters: below || letters,
    ...(!isOne && star && { marks: texts.map((_, i) => (i === at ? star : "")).join("\n") }),
  };
}

/** Those in the base who gave an amount, weighted; and in its title the statistic of them. */
export function statisticSize(
  line: StatisticLine | undefined,
  { numbers }: Pick<CellStyle, "numbers">,
): CellView {
  if (line?.size === undefined) return ABSENT;
  return { text: formatSize(line.size, numbers), title: strings.ofBaseAll(line.base) };
}

/** How many in the base gave an amount. */
export function statisticSample(
  line: StatisticLine | undefined,
  { lowBase }: Pick<CellStyle, "lowBase">,
): CellView {
  const sample = line?.samples?.[0];
  if (sample === undefined) return ABSENT;
  return {
    text: formatCount(sample) + lowBaseMark(sample, lowBase),
    title: strings.gaveAmount(sample),
  };
}
