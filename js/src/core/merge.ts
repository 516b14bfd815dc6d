/**
 * Merges two changes of one value, as two pages made them to what both had before. Values are JSON.
 *
 * It is clear where the pages changed different fields, or added different things to one list, whose
 * things are plain, or have an `id` or a `question`. Everything else is not: who decides it is a
 * person.
 */
import { sameJson } from "./undo";

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;

class Unclear extends Error {}

/** The value with both changes; undefined where it is not clear which. */
export function merged<T>(base: T, theirs: T, mine: T): T | undefined {
  try {
    const found = both(base, theirs, mine);
    refuseTwins(found, new Set());
    return found as T;
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

/** Whether the positions in two values are those of one table. */
export function sameTable(one: unknown, other: unknown): boolean {
  const of = (value: unknown) => (isFields(value) ? value.generation : undefined);
  return of(one) === of(other);
}

function both(base: Json, theirs: Json, mine: Json): Json {
  if (sameJson(base, mine) || sameJson(theirs, mine)) return theirs;
  if (sameJson(base, theirs)) return mine;
  if (isFields(theirs) && isFields(mine)) return fields(base ?? {}, theirs, mine);
  if (Array.isArray(theirs) && Array.isArray(mine)) return lists(base ?? [], theirs, mine);
  throw new Unclear();
}

function fields(base: Json, theirs: Fields, mine: Fields): Fields {
  if (!isFields(base)) throw new Unclear();
  const known = Object.keys(base).length > 0 ? [base, theirs, mine] : [theirs, mine];
  const things = new Set(known.map(({ id, generation }) => JSON.stringify([id, generation])));
  if (things.size > 1) throw new Unclear();
  // Without answers, a picked question means all of them.
  const isPick = "question" in theirs && !("id" in theirs);
  if (isPick && known.some(({ datapoints }) => isEmpty(datapoints))) throw new Unclear();
  const found: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = both(base[name], theirs[name], mine[name]);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function lists(base: Json, theirs: readonly Json[], mine: readonly Json[]): Json[] {
  if (!Array.isArray(base)) throw new Unclear();
  const [old, their, my] = [byKey(base), byKey(theirs), byKey(mine)];
  const inAll = (key: string) => old.has(key) && their.has(key) && my.has(key);
  const order = (of: Map<string, Json>) => [...of.keys()].filter(inAll).join("\n");
  const [was, theirOrder, myOrder] = [order(old), order(their), order(my)];
  if (was !== theirOrder && was !== myOrder && theirOrder !== myOrder) throw new Unclear();
  // In the order of who changed it, with what the other one added.
  const [first, second] = was === theirOrder ? [my, their] : [their, my];
  const keys = [...first.keys()].filter((key) => second.has(key) || !wasRemoved(key, old, first));
  let before = -1;
  for (const key of second.keys()) {
    const at = keys.indexOf(key);
    if (at >= 0) before = at;
    else if (!wasRemoved(key, old, second)) keys.splice(++before, 0, key);
  }
  return keys.map((key) => {
    if (!their.has(key)) return my.get(key);
    return my.has(key) ? both(old.get(key), their.get(key), my.get(key)) : their.get(key);
  });
}

/** Whether what one of them has was removed by the other; unclear where this one changed it. */
function wasRemoved(key: string, old: Map<string, Json>, has: Map<string, Json>): boolean {
  if (!old.has(key)) return false;
  if (!sameJson(old.get(key), has.get(key))) throw new Unclear();
  return true;
}

function byKey(list: readonly Json[]): Map<string, Json> {
  const found = new Map(list.map((each) => [keyOf(each), each]));
  if (found.size < list.length) throw new Unclear();
  return found;
}

function keyOf(item: Json): string {
  const named = isFields(item) ? (item.id ?? item.question) : item;
  if (typeof named !== "string" && typeof named !== "number") throw new Unclear();
  return JSON.stringify(named);
}

/** Two pages may have moved one node to two groups. */
function refuseTwins(value: Json, seen: Set<Json>): void {
  if (Array.isArray(value)) for (const each of value) refuseTwins(each, seen);
  if (!isFields(value)) return;
  if (value.id !== undefined && seen.size === seen.add(value.id).size) throw new Unclear();
  for (const each of Object.values(value)) refuseTwins(each, seen);
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: Json): boolean {
  return !Array.isArray(value) || value.length === 0;
}
