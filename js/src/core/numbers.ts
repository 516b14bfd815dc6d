/**
 * The one writer of numbers, for all widgets. It does not depend on the browser's language, so that
 * a screenshot and a colleague's screen agree, and rounds as Python does (`wording.half_up`).
 */

const MINUS = "\u2212";
/** Instead of a number that is not known. */
export const NOTHING = "–";

/** A number with fixed decimals and grouped thousands, never "-0". */
export function written(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  const size = seen(Math.abs(value));
  const plain = size.toFixed(decimals);
  // Most values have no thousands: a screen of cells is written at every scroll. Not from 1,000
  // on, since 999.9 may be rounded up to it.
  const text = size < 999 ? plain : plain.replace(/(?<!\.\d*)\B(?=(\d{3})+\b)/g, ",");
  return value < 0 && /[1-9]/.test(text) ? `${MINUS}${text}` : text;
}

/**
 * Half values are rounded up in decimal, with 15 digits, as spreadsheets and Python do. The nearest
 * binary number may be below the half, so it is increased slightly.
 */
function seen(size: number): number {
  return Number(size.toPrecision(15)) * (1 + Number.EPSILON);
}

/** A count: 12,345. Counts of some services are not integers. */
export function count(value: number): string {
  return written(value, Number.isInteger(value) ? 0 : 1);
}

/** "1 question", "2 questions". */
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** A percentage: 12.3%; null is not known. */
export function percent(value: number | null, decimals = 1): string {
  return value === null ? NOTHING : atLeast(value, decimals, "%");
}

/** With a unit; a small value above zero is never written as zero. */
export function atLeast(value: number, decimals: number, unit: string): string {
  if (!Number.isFinite(value)) return NOTHING;
  const least = 10 ** -decimals;
  if (value > 0 && value < least / 2) return `<${written(least, decimals)}${unit}`;
  return `${written(value, decimals)}${unit}`;
}
