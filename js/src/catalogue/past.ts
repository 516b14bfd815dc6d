/** Undo and redo of the selection, whoever changed it. Pure: every function gives a new past. */
import type { Selection } from "./selection";

/** Steps that can be undone. */
const STEPS = 200;

export interface Past {
  /** Oldest first. */
  readonly before: readonly Selection[];
  readonly now: Selection;
  /** What was undone, the next to redo first. */
  readonly after: readonly Selection[];
}

export function startingWith(now: Selection): Past {
  return { before: [], now, after: [] };
}

/** The past with one more step; the same selection again adds no step. */
export function followedBy(past: Past, next: Selection): Past {
  if (JSON.stringify(next) === JSON.stringify(past.now)) return { ...past, now: next };
  return { before: [...past.before, past.now].slice(-STEPS), now: next, after: [] };
}

/** One step back, or null. */
export function undone({ before, now, after }: Past): Past | null {
  const back = before.at(-1);
  return back ? { before: before.slice(0, -1), now: back, after: [now, ...after] } : null;
}

/** One undone step forth again, or null. */
export function redone({ before, now, after }: Past): Past | null {
  const [forth, ...rest] = after;
  return forth ? { before: [...before, now], now: forth, after: rest } : null;
}
