/**
 * Undo and redo of one value. Values are immutable and share unchanged parts, so a step costs a
 * reference and not a copy.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** Steps that can be undone. */
export const MOST_STEPS = 300;
/** Milliseconds without an edit after which a gesture ends. */
export const GESTURE_PAUSE = 1_000;

export interface StepOptions {
  /** Describes the step: "Undo: remove". */
  label?: string;
  /** Steps of the same gesture (typing a name) merge into one. */
  gesture?: string | null;
  time?: number;
}

interface Step<T> {
  label: string;
  gesture: string | null;
  time: number;
  /** The value before an undo step, or after a redo step. */
  value: T;
}

interface Steps<T> {
  /** Oldest first. */
  past: readonly Step<T>[];
  now: T;
  /** Undone steps, the next to redo first. */
  future: readonly Step<T>[];
}

/** A value restored by undo or redo, and the label of the step. */
export interface Restored<T> {
  value: T;
  label: string;
}

export interface UndoStack<T> {
  readonly now: T;
  /** Labels of the next undo and redo steps; or null. */
  readonly undoable: ReadonlySignal<string | null>;
  readonly redoable: ReadonlySignal<string | null>;
  /** Records a new value as a step; an equal value adds no step. Returns whether it was a step. */
  record(next: T, options?: StepOptions): boolean;
  /** One step back or forward; null at the end. */
  undo(): Restored<T> | null;
  redo(): Restored<T> | null;
  /** Changes every value of the stack, for a change that is not a step. */
  amend(change: (value: T) => T): void;
}

export function createUndoStack<T>(initial: T): UndoStack<T> {
  const steps = signal<Steps<T>>({ past: [], now: initial, future: [] });

  function record(next: T, { label = "", gesture = null, time = 0 }: StepOptions = {}): boolean {
    const { past, now, future } = steps.peek();
    const last = past.at(-1);
    const merges =
      last !== undefined &&
      gesture !== null &&
      last.gesture === gesture &&
      time - last.time <= GESTURE_PAUSE &&
      future.length === 0;
    if (sameJson(next, now)) {
      if (next !== now) steps.value = { past, now: next, future };
      return false;
    }
    const before = merges ? past.slice(0, -1) : past;
    const value = merges ? last.value : now;
    // A gesture that ends at its first value is not a step.
    const idle = merges && sameJson(next, value);
    const done = idle ? before : [...before, { label, gesture, time, value }].slice(-MOST_STEPS);
    steps.value = { past: done, now: next, future: [] };
    return true;
  }

  function undo(): Restored<T> | null {
    const { past, now, future } = steps.peek();
    const step = past.at(-1);
    if (!step) return null;
    // The next edit starts a new gesture, however soon it comes.
    const undone = { ...step, gesture: null, value: now };
    steps.value = { past: past.slice(0, -1), now: step.value, future: [undone, ...future] };
    return { value: step.value, label: step.label };
  }

  function redo(): Restored<T> | null {
    const { past, now, future } = steps.peek();
    const [step, ...rest] = future;
    if (!step) return null;
    const redone = { ...step, value: now };
    steps.value = { past: [...past, redone], now: step.value, future: rest };
    return { value: step.value, label: step.label };
  }

  return {
    get now() {
      return steps.peek().now;
    },
    undoable: computed(() => steps.value.past.at(-1)?.label ?? null),
    redoable: computed(() => steps.value.future[0]?.label ?? null),
    record,
    undo,
    redo,
    amend: (change) => {
      const { past, now, future } = steps.peek();
      const each = (step: Step<T>) => ({ ...step, value: change(step.value) });
      steps.value = { past: past.map(each), now: change(now), future: future.map(each) };
    },
  };
}

/** Whether two values are the same JSON. */
export function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
