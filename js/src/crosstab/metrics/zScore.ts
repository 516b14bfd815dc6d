/**
 * z-score: the difference between a column's share and that of the rest of the base, in standard
 * errors of the pooled share, as `CrosstabResult.test(vs="rest", base="unweighted")` computes it in
 * Python. A positive z means that the share in the column is larger.
 */
import type { CellCounts } from "../data/cellCounts";

/** A smaller part of a base is a rounding error of sums of weights. */
const SIZE_ROUNDING = 1e-9;

/**
 * The share in a column and in the rest of its base, 0 to 1, and the standard error of the
 * difference.
 */
export interface AgainstRest {
  readonly share: number;
  readonly other: number;
  readonly error: number;
}

export function againstRest(f: CellCounts): AgainstRest {
  const rest = f.baseSize - f.columnSize;
  const others = f.baseSample - f.columnSample;
  const share = part(f.size, f.columnSize);
  const other = part(f.rowSize - f.size, rest > SIZE_ROUNDING * f.baseSize ? rest : 0);
  const error = standardError(share, f.columnSample, other, others);
  // Without respondents on one side there is no comparison.
  return { share, other, error: f.columnSample > 0 && others > 0 ? error : Number.NaN };
}

export function zScore(f: CellCounts): number {
  const { share, other, error } = againstRest(f);
  // Where all or none on both sides are in the row, the variance and the difference are zero.
  return error === 0 ? 0 : (share - other) / error;
}

/** A share from 0 to 1; rounded counts may make a part larger than the whole. */
function part(size: number, whole: number): number {
  return whole > 0 ? Math.max(0, Math.min(1, size / whole)) : Number.NaN;
}

function standardError(share: number, n: number, other: number, m: number): number {
  const common = (share * n + other * m) / (n + m);
  return Math.sqrt(Math.max(0, common * (1 - common) * (1 / n + 1 / m)));
}

/** Confidence levels, in percent as they are written, and their two-sided critical values. */
const CRITICAL = { 0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004 };
export const LEVELS = [0.9, 0.95, 0.99] as const;
export type Level = (typeof LEVELS)[number];

/** Tests beside the values: arrows against the rest of the base, letters between columns. */
export const SIGNIFICANCE = ["arrows", "letters", "none"] as const;
export type Significance = (typeof SIGNIFICANCE)[number];
export const DEFAULT_LEVEL: Level = 0.95;

/** Fewer respondents on either side are not tested; same as `min_base` in Python. */
const MIN_TESTED = 30;

/**
 * Whether the column's share is significantly above (1) or below (-1) that of the rest of the base,
 * or not (0); null where there is no test.
 */
export function significance(f: CellCounts, level: Level): -1 | 0 | 1 | null {
  const z = zScore(f);
  const fewest = Math.min(f.columnSample, f.baseSample - f.columnSample);
  if (f.isUntested || Number.isNaN(z) || fewest < MIN_TESTED) return null;
  return Math.abs(z) < CRITICAL[level] ? 0 : z > 0 ? 1 : -1;
}
