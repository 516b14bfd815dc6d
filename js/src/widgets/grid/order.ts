/**
 * Sort order: which item comes where, and what the next click on a header means.
 * Pure; the values come from whoever pulled them.
 */

export type Direction = "descending" | "ascending";

/** Sorted by the line (column or row) at `by`, or by a figure of each audience itself. */
export interface Sort {
  readonly by: number | "size" | "sample";
  readonly direction: Direction;
}

/** Highest first, then lowest first, then the order of the request again. */
export function nextSort(current: Sort | null, by: Sort["by"]): Sort | null {
  if (current === null || current.by !== by) return { by, direction: "descending" };
  return current.direction === "descending" ? { by, direction: "ascending" } : null;
}

/**
 * Source positions in display order. Stable: equal values keep the order of the
 * request, in both directions. What has no number comes last, in both directions.
 */
export function sortedOrder(values: ArrayLike<number>, direction: Direction): Int32Array {
  const order = Int32Array.from({ length: values.length }, (_, i) => i);
  const sign = direction === "ascending" ? 1 : -1;
  return order.sort((a, b) => {
    const left = values[a] ?? Number.NaN;
    const right = values[b] ?? Number.NaN;
    if (Number.isNaN(left) || Number.isNaN(right)) {
      return Number(Number.isNaN(left)) - Number(Number.isNaN(right)) || a - b;
    }
    return sign * (left - right) || a - b;
  });
}

/** The value of `aria-sort` for the header at `by`. */
export function ariaSort(sort: Sort | null, by: Sort["by"]): Direction | "none" {
  return sort?.by === by ? sort.direction : "none";
}
