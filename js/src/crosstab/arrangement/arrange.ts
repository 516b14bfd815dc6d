/**
 * Arranges the items of one axis: sorted, moved, hidden, filtered, with groups kept together and
 * nets after the items of their group. Pure. Items are identified by their positions in the query.
 * `widgets/crosstab/ordering.py` has the same rules for what Python asks for without a page.
 */
import type { Move } from "../../protocol";
import type { Banner } from "./banner";

export type { Move };

/** A group with its items and subgroups; the root has no names and holds the whole axis. */
export interface Group {
  readonly groups: readonly string[];
  readonly children: Node[];
}

export type Node = number | Group;

export interface ArrangeOptions {
  /** Compares two items; null keeps the order of the query. */
  readonly compare: ((a: number, b: number) => number) | null;
  readonly moves: readonly Move[];
  readonly hidden: ReadonlySet<number>;
  /** Whether an item passes the filters; null without filters. */
  readonly passes: ((line: number) => boolean) | null;
}

/** A visible group: `count` items from `at`, counted among visible items. */
export interface Section {
  readonly groups: readonly string[];
  readonly at: number;
  readonly count: number;
  /** Its items, including those of collapsed groups. */
  readonly total: number;
  /** Its first item in the query, which identifies it in moves. */
  readonly first: number;
  readonly isFolded: boolean;
}

export interface Shown {
  /** Positions in the query; null where all items are visible in the order of the query. */
  readonly order: Int32Array | null;
  readonly count: number;
  /** Parents come before their children. */
  readonly sections: readonly Section[];
}

export function arranged(banner: Banner, wishes: ArrangeOptions): Group {
  const { compare, moves, hidden, passes } = wishes;
  const whole = treeOf(banner);
  if (compare) sort(whole, compare, banner.nets);
  if (moves.length > 0) moveAll(whole, moves);
  if (hidden.size === 0 && passes === null) return whole;
  const isKept = (line: number) =>
    !hidden.has(line) && (passes === null || banner.nets.has(line) || passes(line));
  return filtered(whole, isKept, passes === null ? null : banner.nets);
}

/** The visible items in order; items of collapsed groups are left out. */
export function laidOut(
  whole: Group,
  banner: Banner,
  isFolded: (groups: readonly string[]) => boolean,
): Shown {
  const order: number[] = [];
  const sections: Section[] = [];
  const lay = (group: Group): number => {
    let total = 0;
    for (const child of group.children) {
      if (typeof child === "number") {
        order.push(child);
        total += 1;
      } else total += laySection(child);
    }
    return total;
  };
  const laySection = (group: Group): number => {
    const [at, place] = [order.length, sections.length];
    const { groups } = group;
    const folded = isFolded(groups);
    // Reserves the index, so that the group comes before its subgroups.
    sections.length += 1;
    const total = lay(group);
    if (folded) {
      order.length = at;
      sections.length = place + 1;
    }
    const first = firstOf(group);
    sections[place] = { groups, at, count: order.length - at, total, first, isFolded: folded };
    return total;
  };
  lay(whole);
  const isNatural = order.length === banner.count && order.every((line, i) => line === i);
  return { order: isNatural ? null : Int32Array.from(order), count: order.length, sections };
}

/** The groups of one level, outermost 0, over the visible items. */
export function bandOf({ sections }: Shown, level: number): Section[] {
  return sections.filter(({ groups, count }) => groups.length === level + 1 && count > 0);
}

export function treeOf({ runs }: Banner): Group {
  const whole: Group = { groups: [], children: [] };
  const open = [whole];
  let line = 0;
  for (const { groups, end } of runs) {
    open.length = 1 + shared(open.at(-1)?.groups ?? [], groups);
    while (open.length <= groups.length) {
      const group: Group = { groups: groups.slice(0, open.length), children: [] };
      open.at(-1)?.children.push(group);
      open.push(group);
    }
    for (; line < end; line++) open.at(-1)?.children.push(line);
  }
  return whole;
}

function shared(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

/** Sorts the items within each group, before its nets; groups keep their positions. */
function sort(
  { children }: Group,
  compare: (a: number, b: number) => number,
  nets: ReadonlySet<number>,
): void {
  const places: number[] = [];
  const lines: number[] = [];
  const last: number[] = [];
  children.forEach((child, place) => {
    if (typeof child === "number") {
      places.push(place);
      (nets.has(child) ? last : lines).push(child);
    } else sort(child, compare, nets);
  });
  [...lines.sort(compare), ...last].forEach((line, i) => {
    children[places[i] as number] = line;
  });
}

/** Applies moves one after another; a move out of its group, or of an unknown item, is ignored. */
function moveAll(whole: Group, moves: readonly Move[]): void {
  const paths = pathsOf(whole);
  for (const { line, before, level } of moves) {
    const path = paths.get(line);
    const [parent, node] = located(path, line, level);
    if (parent === undefined || node === undefined) continue;
    const [beside, target] =
      before === null ? [parent, null] : located(paths.get(before), before, level);
    if (beside !== parent || target === undefined || target === node) continue;
    const { children } = parent;
    const last = children.findLastIndex((child) => typeof child === typeof node);
    children.splice(children.indexOf(node), 1);
    children.splice(target === null ? last : children.indexOf(target), 0, node);
  }
}

/** The item or group that moves, after the group that contains it. */
function located(
  path: readonly Group[] | undefined,
  line: number,
  level: number | undefined,
): readonly [Group | undefined, Node | undefined] | [] {
  if (path === undefined) return [];
  return level === undefined ? [path.at(-1), line] : [path[level], path[level + 1]];
}

/** The groups of each item, the root first. */
function pathsOf(whole: Group): Map<number, readonly Group[]> {
  const paths = new Map<number, readonly Group[]>();
  const walk = (path: readonly Group[]) => {
    for (const child of path.at(-1)?.children ?? []) {
      if (typeof child === "number") paths.set(child, path);
      else walk([...path, child]);
    }
  };
  walk([whole]);
  return paths;
}

/** The remaining tree; with `nets`, a group is removed when only nets remain in it. */
function filtered(
  { groups, children }: Group,
  isKept: (line: number) => boolean,
  nets: ReadonlySet<number> | null,
): Group {
  const left = children
    .map((child) => (typeof child === "number" ? child : filtered(child, isKept, nets)))
    .filter((child) => (typeof child === "number" ? isKept(child) : child.children.length > 0));
  const isHollow =
    nets !== null && left.every((child) => typeof child === "number" && nets.has(child));
  return { groups, children: isHollow ? [] : left };
}

function firstOf({ children }: Group): number {
  let least = Number.POSITIVE_INFINITY;
  for (const child of children)
    least = Math.min(least, typeof child === "number" ? child : firstOf(child));
  return least;
}

/** An item (or, with `level`, a group by its first item) with its siblings, in order. */
export function siblingsOf(whole: Group, line: number, level?: number): number[] {
  const [parent] = located(pathsOf(whole).get(line), line, level);
  const isLine = level === undefined;
  return (parent?.children ?? [])
    .filter((child) => (typeof child === "number") === isLine)
    .map((child) => (typeof child === "number" ? child : firstOf(child)));
}

/** The move to index `to` among the siblings; past the end: last. */
export function moveTo(
  siblings: readonly number[],
  line: number,
  to: number,
  level?: number,
): Move {
  const before = siblings[to] ?? null;
  return level === undefined ? { line, before } : { line, before, level };
}

/** The move by one position forwards (1) or backwards (-1); null at the end. */
export function stepOf(
  siblings: readonly number[],
  line: number,
  by: 1 | -1,
  level?: number,
): Move | null {
  const at = siblings.indexOf(line);
  const to = by < 0 ? at - 1 : at + 2;
  if (at < 0 || to < 0 || to > siblings.length) return null;
  return moveTo(siblings, line, to, level);
}
