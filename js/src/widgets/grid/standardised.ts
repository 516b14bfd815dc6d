/**
 * z: the difference between a column's share and that of everyone else in the base, in standard
 * errors. The same figure as `CrosstabResult.compare_to_rest(base="unweighted")` gives in Python: the
 * errors are those of one share for both. A positive z says that the column is in the row more often.
 */
import type { Figures } from "./figures";

/** A smaller part of a base than sums of weights can tell from nothing. */
const SIZE_ROUNDING = 1e-9;

/** A column's share and that of the rest of its base, of 1 each, and their difference's error. */
export interface AgainstRest {
  readonly share: number;
  readonly other: number;
  readonly error: number;
}

export function againstRest(f: Figures): AgainstRest {
  const rest = f.baseSize - f.columnSize;
  const others = f.baseSample - f.columnSample;
  const share = part(f.size, f.columnSize);
  const other = part(f.rowSize - f.size, rest > SIZE_ROUNDING * f.baseSize ? rest : 0);
  const error = standardError(share, f.columnSample, other, others);
  // Nobody on either side: nothing to compare.
  return { share, other, error: f.columnSample > 0 && others > 0 ? error : Number.NaN };
}

export function standardised(f: Figures): number {
  const { share, other, error } = againstRest(f);
  // Nothing varies where all, or none, of both sides are in the row: nothing differs then.
  return error === 0 ? 0 : (share - other) / error;
}

/** A share of 1; a service that rounds its sizes may tell of a part that outgrows the whole. */
function part(size: number, whole: number): number {
  return whole > 0 ? Math.max(0, Math.min(1, size / whole)) : Number.NaN;
}

function standardError(share: number, n: number, other: number, m: number): number {
  const common = (share * n + other * m) / (n + m);
  return Math.sqrt(Math.max(0, common * (1 - common) * (1 / n + 1 / m)));
}
