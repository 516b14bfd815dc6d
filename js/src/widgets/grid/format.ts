/**
 * How numbers are written in the grid: always in one way, whatever the browser's
 * language, so that a screenshot and a colleague's screen agree.
 */

/** Thin and unbreakable, between a number and its per cent sign. */
const THIN = "\u202f";
export const NOTHING = "–";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** The bounds are where rounding tips over: 999,950 is written 1.0M and not 1000.0k. */
const UNITS = [
  { unit: "B", worth: 1e9, from: 999_950_000 },
  { unit: "M", worth: 1e6, from: 999_950 },
  { unit: "K", worth: 1e3, from: 9_999.5 },
] as const;

/** A number of people, short: 8,450, 12.3K, 1.2M. */
export function formatSize(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  const scale = UNITS.find(({ from }) => Math.abs(value) >= from);
  if (scale !== undefined) return `${oneDecimal.format(value / scale.worth)}${scale.unit}`;
  return grouped.format(value);
}

/** A count, in full: 12,345. Services may answer samples that are not whole. */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  return Number.isInteger(value) ? grouped.format(value) : oneDecimal.format(value);
}

/** A share of 100: 12.3 %. A share that is small, but not nothing, never reads as zero. */
export function formatPercentage(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (value > 0 && value < 0.05) return `<0.1${THIN}%`;
  return `${oneDecimal.format(value)}${THIN}%`;
}

/** An index, 100 being the base: 104.7. */
export function formatIndex(value: number): string {
  return Number.isFinite(value) ? oneDecimal.format(value) : NOTHING;
}
