/**
 * What is known about the size of each node, and what is still to be asked.
 *
 * Numbers are kept under the meaning of a node, not its id: what a clone, a moved node or an undone
 * edit means was measured before and is shown at once. For a meaning that is not known yet, the
 * node's last numbers are shown as old. So a number is never shown as true of anything else.
 */

import type { AudienceSize as Measure } from "../protocol";
import {
  counting,
  type EditorDocument,
  type EditorNode,
  type GroupNode,
  meaning,
  type NodeId,
  toWire,
  type WireExpression,
  walk,
} from "./document";
import { words } from "./strings";

export type { Measure };

export interface Numbers {
  /** By meaning. Bounded: see `learn`. */
  known: ReadonlyMap<string, Measure>;
  /** The last numbers that were true of a node, whatever it means by now. */
  last: ReadonlyMap<NodeId, Measure>;
}

export const NO_NUMBERS: Numbers = { known: new Map(), last: new Map() };

/** Meanings that are remembered; a session of edits on a large tree, and a few MB at most. */
export const MOST_KNOWN = 5_000;

export interface Shown {
  measure: Measure;
  /** Whether the numbers are of what the node meant before. */
  stale: boolean;
}

export function shown(numbers: Numbers, node: EditorNode): Shown | null {
  const fresh = numbers.known.get(meaning(node));
  if (fresh) return { measure: fresh, stale: false };
  const old = numbers.last.get(node.id);
  return old ? { measure: old, stale: true } : null;
}

export interface Wanted {
  meaning: string;
  expression: WireExpression;
}

/**
 * What has to be measured: every meaning in the tree that is not known, once. What is muted is
 * left out, and so is a node with a fault in it or below it, since the service would refuse it.
 */
export function wanted(
  document: EditorDocument,
  faulty: ReadonlySet<NodeId>,
  numbers: Numbers,
): Wanted[] {
  const found = new Map<string, Wanted>();
  const visit = (node: EditorNode): boolean => {
    const children = node.kind === "group" ? counting(node) : [];
    const sound = children.map(visit).every(Boolean) && !faulty.has(node.id);
    const everyone = node.kind === "group" && children.length === 0;
    if (sound && !everyone) {
      const key = meaning(node);
      if (!numbers.known.has(key)) found.set(key, { meaning: key, expression: toWire(node) });
    }
    return sound;
  };
  visit(document.root);
  return [...found.values()];
}

/** The numbers with new answers; the oldest are forgotten beyond `MOST_KNOWN`. */
export function learn(
  numbers: Numbers,
  document: EditorDocument,
  answers: Iterable<readonly [string, Measure]>,
): Numbers {
  const known = new Map([...numbers.known, ...answers]);
  for (const key of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(key);
  }
  return settle({ known, last: numbers.last }, document);
}

/** Remembers, for every node in the tree whose meaning is known, that these are its numbers. */
export function settle(numbers: Numbers, document: EditorDocument): Numbers {
  const last = new Map<NodeId, Measure>();
  for (const { node } of walk(document.root)) {
    const measure = numbers.known.get(meaning(node)) ?? numbers.last.get(node.id);
    if (measure) last.set(node.id, measure);
  }
  return { known: numbers.known, last };
}

export type WarningLevel = "note" | "caution" | "alarm";

export interface Warning {
  code: "no_wave" | "nobody" | "everybody" | "too_few" | "few";
  level: WarningLevel;
  sentence: string;
}

/** Below this many respondents a figure is read with care … */
export const FEW = 100;
/** … and below this many not reported at all. */
const TOO_FEW = 30;

/**
 * An OR counts every wave in which any part of it was asked; in waves that asked only some, it holds
 * those who meet these alone, and from one wave to the next the audience changes while nobody has.
 * Gives the part that was asked in fewest waves; null where all were asked in the same, or are not
 * measured yet.
 */
export function narrowest(
  numbers: Numbers,
  group: GroupNode,
): { node: EditorNode; waves: number; all: number } | null {
  if (group.operator !== "or") return null;
  const parts = counting(group).map((node) => ({ node, found: shown(numbers, node) }));
  const sets = parts.flatMap(({ found }) => (found && !found.stale ? [found.measure.waves] : []));
  if (sets.length < Math.max(parts.length, 2)) return null;
  const all = new Set(sets.flat()).size;
  const least = Math.min(...sets.map((waves) => waves.length));
  const part = parts.find(({ found }) => found?.measure.waves.length === least);
  return part && least < all ? { node: part.node, waves: least, all } : null;
}

/** The one thing to know before using these numbers, or null. */
export function warning(measure: Measure): Warning | null {
  const { sample, waves } = measure;
  if (waves.length === 0)
    return { code: "no_wave", level: "alarm", sentence: words.warnings.noWave };
  if (sample === 0) return { code: "nobody", level: "alarm", sentence: words.warnings.nobody };
  if (sample < TOO_FEW) {
    return { code: "too_few", level: "alarm", sentence: words.warnings.tooFew(sample) };
  }
  if (sample < FEW) return { code: "few", level: "caution", sentence: words.warnings.few(sample) };
  // Samples are exact integers, so equality is certain where sizes would need a tolerance.
  return sample === measure.base_sample
    ? { code: "everybody", level: "note", sentence: words.warnings.everybody }
    : null;
}
