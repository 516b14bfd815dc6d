/** The appearance of cells and headers: from values to text and CSS modifiers. */

import { NOTHING } from "../../core/numbers";
import { wholeName } from "../arrangement/banner";
import type { Direction } from "../arrangement/order";
import { SIZE_COLUMN } from "../arrangement/position";
import type { Margin } from "../arrangement/queryAxis";
import { type CellCounts, hasArrived } from "../data/cellCounts";
import { joinedLetters } from "../data/marksBlock";
import { type Name, nameInTable } from "../data/names";
import { formatCount, formatSize, HIDDEN, USUAL } from "../metrics/format";
import { heatSign, heatStep } from "../metrics/heat";
import { isTestKnown, significance, sinceWaveBefore } from "../metrics/marks";
import { LOW_BASES, lowBaseMark, type Metric, metricOf, whyEmpty } from "../metrics/metrics";
import { strings } from "../strings";
import { areLettersBeside, type CellStyle } from "../table/displaySettings";
import type { Sizes } from "./geometry";
import type { CellView } from "./painted";

const ABSENT: CellView = { text: "", is: "absent" };
const WAITING = "…";
const WITHHELD: CellView = { text: NOTHING, title: strings.withheld, is: "none" };

/** "current" for the cursor's cell, "selected" for the others of the selection. */
export type Chosen = "current" | "selected" | "";

/** One metric of a cell; a value that is not shown has the reason as its title. */
interface Line {
  readonly text: string;
  readonly mark?: string;
  readonly title?: string;
  readonly hasValue: boolean;
}

/**
 * fit: how letters fit into a column, in a row that has lines for them; else they have space.
 */
export function cellView(
  figures: CellCounts | null,
  style: CellStyle,
  chosen: Chosen,
  fit: Pick<Sizes, "isBeside" | "lettersIn"> | null = null,
  width = 0,
): CellView {
  if (figures?.isWithheld) return { ...WITHHELD, is: joined("none", chosen) };
  if (figures === null || !hasArrived(figures)) return { ...ABSENT, is: joined("absent", chosen) };
  const broken = (letters: string) => fit?.lettersIn(letters, width).join("\n") ?? letters;
  const lines = style.metrics.map((metric) => lineOf(metric, figures, style, broken));
  // Letters beside a value that is not shown would give it away.
  const hasLetters = areLettersBeside(style) && lines[0]?.hasValue === true;
  const beside = hasLetters ? joinedLetters(figures.letters ?? "") : "";
  const isUnder = beside !== "" && fit?.isBeside(beside, width) === false;
  const [only] = lines;
  const marks = lines.map(({ mark = "" }) => mark);
  const isOld = figures.isOld === true;
  const look = {
    text: lines.map(({ text }) => text).join("\n"),
    is: joined(
      !lines.some(({ hasValue }) => hasValue) && "none",
      isOld && "old",
      ...heatNames(figures, style),
      significanceName(figures, style),
      lines.length === 1 && markName(only?.mark),
      isUnder && "under",
      chosen,
    ),
    title: titleOf(lines),
    bar: barOf(figures, style),
    letters: isUnder ? broken(beside) : beside,
  };
  return lines.length > 1 && marks.some(Boolean) ? { ...look, marks: marks.join("\n") } : look;
}

/** Each reason once. */
function titleOf(lines: readonly Line[]): string {
  const titles = lines.flatMap(({ title }) => title ?? []);
  return titles.length > 1 ? [...new Set(titles)].join("\n") : (titles[0] ?? "");
}

function lineOf(
  metric: Metric,
  figures: CellCounts,
  style: CellStyle,
  broken: (letters: string) => string,
): Line {
  if (metric.key === "letters") return lettersLine(figures.letters, broken);
  if (!metric.byPage && !isTestKnown(figures)) return { text: WAITING, hasValue: false };
  const value = metric.value(figures);
  const why = whyEmpty(figures, value, metric.key);
  if (why !== null) return { text: NOTHING, title: why, hasValue: false };
  const denominator = metric.denominator(figures);
  if (denominator < style.hideUnder)
    return { text: HIDDEN, title: strings.hidden(style.hideUnder), hasValue: false };
  const mark = lowBaseMark(denominator, style.lowBase);
  return { text: metric.format(value, style.numbers), mark, hasValue: true };
}

/** All letters, on as many lines as they need. */
function lettersLine(received: string | undefined, broken: (letters: string) => string): Line {
  if (received === undefined) return { text: WAITING, hasValue: false };
  const text = broken(joinedLetters(received));
  return { text, mark: text.replace(/[^\n]/g, ""), hasValue: true };
}

/** Colour and sign, where the cell's heat measure has a value on a base that is not low. */
function heatNames(
  figures: CellCounts,
  { heat, hideUnder, lowBase, significance }: CellStyle,
): (string | false)[] {
  // A suppressed value must not be visible as a colour, and a low base would show noise.
  if (heat === null || heat.metric.denominator(figures) < Math.max(hideUnder, lowBase.low))
    return [];
  const value = heat.value(figures);
  const step = heatStep(value, heat);
  // With arrows or letters, a heat sign would be ambiguous or in their position: then only the
  // colour is shown.
  const sign = significance === "none" && heatSign(value, heat);
  return [step !== 0 && `${step > 0 ? "hot" : "cold"}-${Math.abs(step)}`, sign];
}

/** "higher" or "lower" than the rest of the base, or the wave before, where the arrow is shown. */
function significanceName(figures: CellCounts, style: CellStyle): string {
  const byWaves = style.significance === "previous wave";
  if (style.significance !== "arrows" && !byWaves) return "";
  const under = metricOf(byWaves ? "column_percentage" : "z").denominator(figures);
  if (under < style.hideUnder) return "";
  const sign = (byWaves ? sinceWaveBefore : significance)(figures, style.level);
  return sign ? (sign > 0 ? "higher" : "lower") : "";
}

/** The length of the bar in percent of the cell's width. */
function barOf(figures: CellCounts, { bar, hideUnder }: CellStyle): number {
  if (bar === null || bar.denominator(figures) < hideUnder) return 0;
  const value = bar.value(figures);
  return Number.isFinite(value) ? Math.max(0, Math.min(100, Math.round(value))) : 0;
}

/** The header of a row or column; a grey bar while its name is not loaded. */
export function headerView(
  name: Name | undefined,
  sort: Direction | "none",
  near: boolean,
  letter = "",
): CellView {
  if (name === undefined) return { text: "", is: joined("absent", near && "near") };
  const whole = wholeName(name);
  const title = name.sentence && name.sentence !== name.name ? `${whole}\n${name.sentence}` : whole;
  const shown = nameInTable(name);
  const text = letter === "" ? shown : strings.letterFirst(shown, letter);
  return { text, is: joined(sort !== "none" && sort, near && "near", name.isNet && "net"), title };
}

type MarginStyle = Pick<CellStyle, "numbers" | "lowBase" | "weighted">;
const USUAL_MARGIN: MarginStyle = { numbers: USUAL, lowBase: LOW_BASES, weighted: true };

/** One count of an audience: "514 of 995" respondents where rows have bases of their own. */
export function marginView(
  margin: Margin | undefined,
  column: number,
  style: MarginStyle = USUAL_MARGIN,
): CellView {
  if (margin === undefined) return ABSENT;
  if (Number.isNaN(margin.size)) return WITHHELD;
  const { size, sample, base, isOld } = margin;
  const old = isOld && "old";
  const own = { is: joined(old), ...(base && { title: baseTitle(base, style) }) };
  if (base?.sample === 0) return { text: NOTHING, ...own };
  if (column === SIZE_COLUMN) return { text: formatSize(size, style.numbers), ...own };
  if (!base) return { text: formatCount(sample), is: joined(markOf(sample, style), old) };
  const count = formatCount(sample) + lowBaseMark(sample, style.lowBase);
  return { text: strings.ofBase(count, formatCount(base.sample)), ...own };
}

function baseTitle({ size, sample }: Margin, { numbers }: MarginStyle): string {
  return strings.rowBase(`${formatSize(size, numbers)} / ${formatCount(sample)}`);
}

/**
 * Both counts of a column, one above the other, or respondents alone in a table without a weight;
 * vary: whether rows have bases of their own.
 */
export function baseView(
  margin: Margin | undefined,
  style: MarginStyle = USUAL_MARGIN,
  vary = false,
): CellView {
  if (margin === undefined) return ABSENT;
  if (Number.isNaN(margin.size)) return WITHHELD;
  const { size, sample, base, isOld } = margin;
  const title = base ? baseTitle(base, style) : strings.baseVaries;
  const count = formatCount(sample);
  const counts = style.weighted
    ? { text: formatSize(size, style.numbers), second: count }
    : { text: count };
  const is = joined(markOf(sample, style), isOld && "old");
  return { ...counts, is, ...(vary && { title }) };
}

function markOf(denominator: number, { lowBase }: MarginStyle): string {
  return markName(lowBaseMark(denominator, lowBase));
}

function markName(mark = ""): string {
  return mark === "" ? "" : mark === "*" ? "low" : "verylow";
}

export function joined(...words: (string | false | undefined)[]): string {
  return words.filter(Boolean).join(" ");
}
