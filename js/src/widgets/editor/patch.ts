/**
 * The difference of two JSON values as a short list of patches that can be applied and taken back.
 *
 * Made for undo: a step of two hundred must not carry the whole document. Arrays of nodes are
 * compared by the nodes' ids, so that an insertion in front is one splice and not a rewrite.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** At `path` either one value takes another's place, or some elements of an array others'. */
export type Patch =
  | { path: (string | number)[]; before: Json; after: Json }
  | { path: (string | number)[]; index: number; removed: Json[]; added: Json[] };

/** What turns `before` into `after`; empty if they are equal. Objects must have equal keys. */
export function diff(before: Json, after: Json, path: (string | number)[] = []): Patch[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return diffArrays(before, after, path);
  if (isObject(before) && isObject(after) && sameKeys(before, after)) {
    return Object.keys(before).flatMap((key) =>
      diff(before[key] ?? null, after[key] ?? null, [...path, key]),
    );
  }
  return [{ path, before, after }];
}

/** `value` after the patches. Throws if they were not made for it. */
export function apply(value: Json, patches: readonly Patch[]): Json {
  return patches.reduce((current, patch) => set(current, patch.path, patch), value);
}

/** `value` before the patches. */
export function revert(value: Json, patches: readonly Patch[]): Json {
  return patches.reduceRight((current, patch) => {
    const back: Patch =
      "index" in patch
        ? { ...patch, removed: patch.added, added: patch.removed }
        : { ...patch, before: patch.after, after: patch.before };
    return set(current, patch.path, back);
  }, value);
}

function diffArrays(before: Json[], after: Json[], path: (string | number)[]): Patch[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && alike(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && alike(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const patches: Patch[] = [];
  // Elements that stay may have changed inside; their indices are those before the splice.
  const inside = (from: number, to: number) =>
    diff(before[from] ?? null, after[to] ?? null, [...path, from]);
  for (let i = 0; i < head; i++) patches.push(...inside(i, i));
  for (let i = tail; i > 0; i--) patches.push(...inside(before.length - i, after.length - i));
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  if (removed.length > 0 || added.length > 0) patches.push({ path, index: head, removed, added });
  return patches;
}

/** Whether two elements are versions of one thing: the same node, or the same plain value. */
function alike(one: Json | undefined, two: Json | undefined): boolean {
  if (isObject(one) && isObject(two)) return one.id === two.id && sameKeys(one, two);
  return one === two;
}

function set(value: Json, path: readonly (string | number)[], patch: Patch): Json {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (!("index" in patch)) return patch.after;
    if (!Array.isArray(value)) throw new TypeError("a splice needs an array");
    return value.toSpliced(patch.index, patch.removed.length, ...patch.added);
  }
  if (Array.isArray(value) && typeof key === "number") {
    return value.with(key, set(value[key] ?? null, rest, patch));
  }
  if (isObject(value)) return { ...value, [key]: set(value[key] ?? null, rest, patch) };
  throw new TypeError(`no place ${JSON.stringify(key)} in this value`);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sameKeys(one: JsonObject, two: JsonObject): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(two).length && keys.every((key) => key in two);
}
