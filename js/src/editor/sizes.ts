/**
 * The known sizes of nodes, and the sizes to request.
 *
 * Sizes are cached by the meaning of a node, not by its id: a clone, a moved node or an undone edit
 * has a known size at once. Until the size of a new meaning arrives, the node's last size is shown
 * as outdated. So a size is never attributed to another audience.
 */

import type { NodeSize as Measure } from "../protocol";
import { LOW_BASE, VERY_LOW_BASE } from "../protocol/constants";
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
  /** The last valid size of each node, whatever it means now. */
  last: ReadonlyMap<NodeId, Measure>;
}

export const NO_NUMBERS: Numbers = { known: new Map(), last: new Map() };

/** Most cached meanings: a few MB, enough for long sessions with a large tree. */
export const MOST_KNOWN = 5_000;

export interface Shown {
  measure: Measure;
  /** Whether the sizes belong to the node's earlier meaning. */
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
 * The unknown meanings in the tree, once each. Muted nodes are left out, and so are nodes with an
 * error in or below them, since the service would reject them.
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

/** Adds new answers; beyond `MOST_KNOWN` the oldest are dropped. */
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

/** Stores, for every node whose meaning is known, that these are its sizes. */
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

/**
 * An OR counts every wave in which any of its parts was asked. In waves that asked only some parts,
 * it contains only respondents who meet these, so the audience changes between waves without any
 * change in behaviour. Returns the part that was asked in the fewest waves; null if all were asked
 * in the same waves, or are not counted yet.
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

/** The most important note about these sizes, or null. */
export function warning(measure: Measure): Warning | null {
  const { sample, waves } = measure;
  if (waves.length === 0)
    return { code: "no_wave", level: "alarm", sentence: words.warnings.noWave };
  if (sample === 0) return { code: "nobody", level: "alarm", sentence: words.warnings.nobody };
  if (sample < VERY_LOW_BASE) {
    return { code: "too_few", level: "alarm", sentence: words.warnings.tooFew(sample) };
  }
  if (sample < LOW_BASE)
    return { code: "few", level: "caution", sentence: words.warnings.few(sample) };
  // Samples are exact integers, so equality is exact; weighted counts would need a tolerance.
  return sample === measure.base_sample
    ? { code: "everybody", level: "note", sentence: words.warnings.everybody }
    : null;
}
