/**
 * Undo and redo as plain JSON, fit to live in the state model beside the document: a second view
 * shares it and a reload keeps it. Pure; the clock is an argument.
 */
import type { EditorDocument } from "./document";
import { apply, diff, type Json, type Patch, revert } from "./patch";

/** One thing that was done. */
export interface Step {
  /** What it was, in words: "Undo remove condition". */
  label: string;
  /** Steps of the same gesture share this (typing a name) and melt into one. */
  gesture: string | null;
  /** Milliseconds since the epoch. */
  time: number;
  patches: Patch[];
}

export interface History {
  past: Step[];
  future: Step[];
}

/** Enough to walk back through a working session. */
export const MOST_STEPS = 300;
/** What the steps may weigh together as JSON, far below the size a comm message should have. */
export const MOST_CHARACTERS = 256 * 1024;
/** A pause of this many milliseconds ends a gesture. */
export const GESTURE_PAUSE = 1_000;

/** The history after `before` became `after`; the same history if they are equal. */
export function record(
  history: History,
  before: EditorDocument,
  after: EditorDocument,
  step: { label: string; gesture?: string | null; time: number },
): History {
  const gesture = step.gesture ?? null;
  const last = history.past.at(-1);
  const melts =
    last !== undefined &&
    gesture !== null &&
    last.gesture === gesture &&
    step.time - last.time <= GESTURE_PAUSE &&
    history.future.length === 0;
  const start = melts ? revert(asJson(before), last.patches) : asJson(before);
  const patches = diff(start, asJson(after));
  if (!melts && patches.length === 0) return history;
  const kept = melts ? history.past.slice(0, -1) : history.past;
  // A gesture that ended where it began has done nothing.
  if (patches.length === 0) return { past: kept, future: [] };
  const done: Step = { label: step.label, gesture, time: step.time, patches };
  return { past: trimmed([...kept, done]), future: [] };
}

export interface Moved {
  document: EditorDocument;
  history: History;
  /** The label of the step that was undone or redone. */
  label: string;
}

/** One step back, or `null` at the beginning. */
export function undo(document: EditorDocument, history: History): Moved | null {
  const step = history.past.at(-1);
  if (!step) return null;
  return {
    document: asDocument(revert(asJson(document), step.patches)),
    history: { past: history.past.slice(0, -1), future: [step, ...history.future] },
    label: step.label,
  };
}

/** One step forth, or `null` at the end. */
export function redo(document: EditorDocument, history: History): Moved | null {
  const [step, ...future] = history.future;
  if (!step) return null;
  // The next edit is a gesture of its own, however soon it comes.
  const past = [...history.past, { ...step, gesture: null }];
  return {
    document: asDocument(apply(asJson(document), step.patches)),
    history: { past, future },
    label: step.label,
  };
}

/** The newest steps that fit: by number, and by weight unless a single step is heavier. */
function trimmed(past: Step[]): Step[] {
  let weight = 0;
  let kept = 0;
  for (const step of past.toReversed()) {
    weight += JSON.stringify(step.patches).length;
    if (kept === MOST_STEPS || (kept > 0 && weight > MOST_CHARACTERS)) break;
    kept++;
  }
  return kept === past.length ? past : past.slice(-kept);
}

// Documents are plain JSON; their interfaces only lack the index signature that says so.
function asJson(document: EditorDocument): Json {
  return document as unknown as Json;
}

function asDocument(json: Json): EditorDocument {
  return json as unknown as EditorDocument;
}
