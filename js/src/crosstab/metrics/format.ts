/**
 * Number formats of the crosstab. They do not depend on the browser's language, so that a
 * screenshot and a colleague's screen agree.
 */

const MINUS = "\u2212";
export const NOTHING = "–";
/** Shown instead of a value that is based on too few respondents. */
export const HIDDEN = "·";

export const UNITS = ["short", "thousands", "full"] as const;
export type Units = (typeof UNITS)[number];

export const MOST_DECIMALS = 4;

/** Number format: decimals (null: the default of each unit) and the unit of weighted counts. */
export interface Numbers {
  readonly decimals: number | null;
  readonly units: Units;
}

export const USUAL: Numbers = { decimals: null, units: "short" };

const grouped = Array.from(
  { length: MOST_DECIMALS + 1 },
  (_, decimals) =>
    new Intl.NumberFormat("en-US", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }),
);

/** A number with fixed decimals and grouped thousands, never "-0". */
function written(value: number, decimals: number): string {
  const size = seen(Math.abs(value));
  // Most values have no thousands; toFixed is faster than Intl for a screen of cells.
  const text =
    size < 999 ? size.toFixed(decimals) : (grouped[decimals] as Intl.NumberFormat).format(size);
  return value < 0 && /[1-9]/.test(text) ? `${MINUS}${text}` : text;
}

/**
 * Half values are rounded up in decimal, with 15 digits, as spreadsheets and Python
 * (`wording.half_up`) do. The nearest binary number may be below the half, so it is increased
 * slightly.
 */
function seen(size: number): number {
  return Number(size.toPrecision(15)) * (1 + Number.EPSILON);
}

const SCALES = [
  { unit: "B", worth: 1e9 },
  { unit: "M", worth: 1e6 },
] as const;
const THOUSANDS = { unit: "K", worth: 1e3 } as const;
/** Below this, a weighted count needs no unit. */
const LONG = 9_999.5;

/** A weighted count: automatic 8,450, 12.3K, 1.2M; in thousands 1,234.5K; or in full. */
export function formatSize(value: number, { decimals, units }: Numbers = USUAL): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (units === "full") return written(value, 0);
  const places = decimals ?? 1;
  if (units === "thousands") return atLeast(value / THOUSANDS.worth, places, THOUSANDS.unit);
  const magnitude = Math.abs(value);
  // The limit after rounding: 999,950 is written 1.0M and not 1000.0K.
  const tips = (worth: number) => worth - (0.5 * worth) / 1000 / 10 ** places;
  const scale =
    SCALES.find(({ worth }) => magnitude >= tips(worth)) ?? (magnitude >= LONG && THOUSANDS);
  return scale ? `${written(value / scale.worth, places)}${scale.unit}` : written(value, 0);
}

/** An unweighted count in full: 12,345. Samples of some services are not integers. */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  return written(value, Number.isInteger(value) ? 0 : 1);
}

/** A percentage: 12.3%. A small share above zero is never written as zero. */
export function formatPercentage(value: number, { decimals }: Numbers = USUAL): string {
  if (!Number.isFinite(value)) return NOTHING;
  return atLeast(value, decimals ?? 1, "%");
}

/** An index, 100 being the base: 104.7. */
export function formatIndex(value: number, { decimals }: Numbers = USUAL): string {
  return Number.isFinite(value) ? written(value, decimals ?? 1) : NOTHING;
}

/** Percentage points: +3.2, −3.2. */
export function formatDifference(value: number, { decimals }: Numbers = USUAL): string {
  return signed(value, decimals ?? 1);
}

/** A p-value with its sign of comparison: = 0.016, < 0.001. */
export function formatP(value: number): string {
  return value < 0.001 ? "< 0.001" : `= ${Number.isFinite(value) ? written(value, 3) : NOTHING}`;
}

/** A test statistic, with its sign: +2.41. */
export function formatZ(value: number, { decimals }: Numbers = USUAL): string {
  return signed(value, decimals ?? 2);
}

function signed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  const text = written(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** With a unit; a small value above zero is never written as zero. */
function atLeast(value: number, decimals: number, unit: string): string {
  const least = 10 ** -decimals;
  if (value > 0 && value < least / 2) return `<${written(least, decimals)}${unit}`;
  return `${written(value, decimals)}${unit}`;
}
