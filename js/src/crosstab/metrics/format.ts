/** Number formats of the crosstab. */

import { atLeast, count as formatCount, NOTHING, percent, written } from "../../core/numbers";
import type { MetricName, Units } from "../../protocol";
import { DISPLAY, type METRICS, SHORT_COUNT } from "../../protocol/constants";

export { formatCount };

/** Shown instead of a value that is based on too few respondents. */
export const HIDDEN = "·";

/** Number format: decimals (null: the default of each unit) and the unit of weighted counts. */
export interface Numbers {
  readonly decimals: number | null;
  readonly units: Units;
}

export const USUAL: Numbers = DISPLAY;

const SCALES = [
  { unit: "B", worth: 1e9 },
  { unit: "M", worth: 1e6 },
] as const;
const THOUSANDS = { unit: "K", worth: 1e3 } as const;

/**
 * A weighted count: automatic 8,450, 12.3K, 1.2M; in thousands 1,234.5K; or in full.
 * more: digits beyond these.
 */
export function formatSize(value: number, { decimals, units }: Numbers = USUAL, more = 0): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (units === "full") return written(value, more);
  const places = (decimals ?? 1) + more;
  if (units === "thousands") return atLeast(value / THOUSANDS.worth, places, THOUSANDS.unit);
  const magnitude = Math.abs(value);
  // The limit after rounding: 999,950 is written 1.0M and not 1000.0K.
  const tips = (worth: number) => worth - (0.5 * worth) / 1000 / 10 ** places;
  const scale =
    SCALES.find(({ worth }) => magnitude >= tips(worth)) ?? (magnitude >= SHORT_COUNT && THOUSANDS);
  return scale ? `${written(value / scale.worth, places)}${scale.unit}` : written(value, more);
}

/** The number that a text of `formatSize` states. */
export function sizeOf(text: string): number {
  const unit = [...SCALES, THOUSANDS].find((each) => text.endsWith(each.unit));
  return Number(text.replace(/[^\d.]/g, "")) * (unit?.worth ?? 1);
}

/** A percentage: 12.3%. */
export function formatPercentage(value: number, { decimals }: Numbers = USUAL): string {
  return percent(value, decimals ?? 1);
}

/** An index, 100 being the base: 104.7. */
export function formatIndex(value: number, { decimals }: Numbers = USUAL): string {
  return written(value, decimals ?? 1);
}

/** A p-value with its sign of comparison: = 0.016, < 0.001. */
export function formatP(value: number): string {
  return value < 0.001 ? "< 0.001" : `= ${written(value, 3)}`;
}

/** A number with its sign, such as percentage points or a test statistic: +3.2, −3.2. */
export function formatSigned(value: number, decimals: number): string {
  const text = written(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** How the values of a metric are written. */
export type Kind = (typeof METRICS)[MetricName]["kind"];

/** The format of a kind; decimals: if none are chosen. */
export function formatOf(kind: Kind, decimals: number) {
  return (value: number, numbers: Numbers = USUAL): string => {
    switch (kind) {
      case "percentage":
        return formatPercentage(value, numbers);
      case "size":
        return formatSize(value, numbers);
      case "sample":
        return formatCount(value);
      case "text":
        return "";
      case "signed":
        return formatSigned(value, numbers.decimals ?? decimals);
      default:
        return written(value, numbers.decimals ?? decimals);
    }
  };
}
