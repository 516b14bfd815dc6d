/** What a cell or a header of the table looks like: figures in, words and modifiers out. */
import { SIZE_COLUMN } from "./cursor";
import { type Figures, hasArrived } from "./figures";
import { formatCount, formatSize } from "./format";
import { type HeatScale, heatOf, heatSign } from "./heat";
import { lowBaseMark, type Metric, metricOf, whyEmpty } from "./metrics";
import type { Name } from "./names";
import type { Direction } from "./order";
import type { Look } from "./painted";
import type { Margin } from "./table";

/** Shades on either side of the heat scale; each has its rule in the style sheet. */
const HEAT_STEPS = 12;

const ABSENT: Look = { text: "", is: "absent" };

export interface CellStyle {
  readonly metric: Metric;
  readonly heat: HeatScale;
}

/** `chosen`: "current" for the cursor's own cell, "selected" for the others of its range. */
export function cellLook(
  figures: Figures | null,
  style: CellStyle,
  chosen: "current" | "selected" | "",
): Look {
  if (figures === null || !hasArrived(figures)) return { ...ABSENT, is: joined("absent", chosen) };
  const value = style.metric.value(figures);
  const why = whyEmpty(figures, value);
  if (why !== null) {
    return {
      text: style.metric.format(value),
      is: joined("none", chosen),
      title: why,
    };
  }
  const index = metricOf("index").value(figures);
  const heat = heatOf(index, style.heat);
  return {
    text: style.metric.format(value),
    is: joined(
      heatStep(heat),
      heatSign(index),
      markName(style.metric.denominator(figures)),
      chosen,
    ),
  };
}

/** The header of a row or column; one that has not come is a bar in its place. */
export function headerLook(name: Name | undefined, sort: Direction | "none", near: boolean): Look {
  if (name === undefined) return { text: "", is: joined("absent", near && "near") };
  const title =
    name.sentence && name.sentence !== name.name ? `${name.name}\n${name.sentence}` : name.name;
  return { text: name.name, is: joined(sort !== "none" && sort, near && "near"), title };
}

/** One figure of an audience itself. */
export function marginLook(margin: Margin | undefined, column: number): Look {
  if (margin === undefined || Number.isNaN(margin.size)) return ABSENT;
  if (column === SIZE_COLUMN) return { text: formatSize(margin.size) };
  return { text: formatCount(margin.sample), is: markName(margin.sample) };
}

/** Both figures of a column, one above the other. */
export function baseLook(margin: Margin | undefined): Look {
  if (margin === undefined || Number.isNaN(margin.size)) return ABSENT;
  return {
    text: formatSize(margin.size),
    second: formatCount(margin.sample),
    is: markName(margin.sample),
  };
}

/** One of few classes and not a property of each cell: cells that look alike share one style. */
function heatStep(heat: number): string | false {
  const step = Math.round(HEAT_STEPS * Math.abs(heat));
  return step > 0 && `${heat > 0 ? "hot" : "cold"}-${step}`;
}

function markName(denominator: number): string {
  const mark = lowBaseMark(denominator);
  return mark === "" ? "" : mark === "*" ? "low" : "verylow";
}

function joined(...words: (string | false)[]): string {
  return words.filter(Boolean).join(" ");
}
