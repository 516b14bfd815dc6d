/**
 * How numbers are written in the grid: always in one way, whatever the browser's
 * language, so that a screenshot and a colleague's screen agree.
 */

const MINUS = "\u2212";
export const NOTHING = "–";
/** Instead of a value that rests on too few respondents. */
export const HIDDEN = "·";

export const UNITS = ["short", "thousands", "full"] as const;
export type Units = (typeof UNITS)[number];

export const MOST_DECIMALS = 4;

/** How numbers are written: decimals, null for each kind's own, and sizes in which unit. */
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

/** A number with so many decimals, its thousands grouped, never "-0". */
function written(value: number, decimals: number): string {
  const size = seen(Math.abs(value));
  // Most figures have no thousands, and a screen of cells has many figures: this is the faster way.
  const text =
    size < 999 ? size.toFixed(decimals) : (grouped[decimals] as Intl.NumberFormat).format(size);
  return value < 0 && /[1-9]/.test(text) ? `${MINUS}${text}` : text;
}

/**
 * As a spreadsheet and Python (`wording.half_up`) have it: half goes up by the decimal number of
 * 15 digits. The binary number nearest to it may be less than half, so it is made a hair more.
 */
function seen(size: number): number {
  return Number(size.toPrecision(15)) * (1 + Number.EPSILON);
}

const SCALES = [
  { unit: "B", worth: 1e9 },
  { unit: "M", worth: 1e6 },
] as const;
const THOUSANDS = { unit: "K", worth: 1e3 } as const;
/** Shorter than this a number of people needs no unit. */
const LONG = 9_999.5;

/** A number of people: in short 8,450, 12.3K, 1.2M; in thousands 1,234.5K; or in full, whole. */
export function formatSize(value: number, { decimals, units }: Numbers = USUAL): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (units === "full") return written(value, 0);
  const places = decimals ?? 1;
  if (units === "thousands") return atLeast(value / THOUSANDS.worth, places, THOUSANDS.unit);
  const magnitude = Math.abs(value);
  // Where rounding tips over: 999,950 is written 1.0M and not 1000.0K.
  const tips = (worth: number) => worth - (0.5 * worth) / 1000 / 10 ** places;
  const scale =
    SCALES.find(({ worth }) => magnitude >= tips(worth)) ?? (magnitude >= LONG && THOUSANDS);
  return scale ? `${written(value / scale.worth, places)}${scale.unit}` : written(value, 0);
}

/** A count, in full: 12,345. Services may answer samples that are not whole. */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  return written(value, Number.isInteger(value) ? 0 : 1);
}

/** A share of 100: 12.3%. A share that is small, but not nothing, never reads as zero. */
export function formatPercentage(value: number, { decimals }: Numbers = USUAL): string {
  if (!Number.isFinite(value)) return NOTHING;
  return atLeast(value, decimals ?? 1, "%");
}

/** An index, 100 being the base: 104.7. */
export function formatIndex(value: number, { decimals }: Numbers = USUAL): string {
  return Number.isFinite(value) ? written(value, decimals ?? 1) : NOTHING;
}

/** Points above or below: +3.2, −3.2. */
export function formatDifference(value: number, { decimals }: Numbers = USUAL): string {
  return signed(value, decimals ?? 1);
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

/** With a unit; what is small, but not nothing, never reads as nothing. */
function atLeast(value: number, decimals: number, unit: string): string {
  const least = 10 ** -decimals;
  if (value > 0 && value < least / 2) return `<${written(least, decimals)}${unit}`;
  return `${written(value, decimals)}${unit}`;
}
