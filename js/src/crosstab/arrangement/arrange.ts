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

/** An item by its position in the query, or a row of a statistic, whose node is `~` of its number. */
export type Node = number | Group;

/** A row of a statistic, and where it is among the rows of a query. */
export interface Placed {
  readonly name: string;
  /** The name without words that its group has in common; "" where it is the name. */
  readonly short: string;
  /** How many items come before it. */
  readonly before: number;
  readonly groups: readonly string[];
}

/** A visible row of a statistic, among visible items and sections. */
export interface Extra {
  readonly statistic: number;
  /** The number of items before it, and of sections. */
  readonly at: number;
  readonly sections: number;
}

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
  /** Its first item in the query, which identifies it in moves; `~` of a statistic without one. */
  readonly first: number;
  readonly isFolded: boolean;
}

export interface Shown {
  /** Positions in the query; null where all items are visible in the order of the query. */
  readonly order: Int32Array | null;
  readonly count: number;
  /** Parents come before their children. */
  readonly sections: readonly Section[];
  readonly extras: readonly Extra[];
}

export function arranged(
  banner: Banner,
  wishes: ArrangeOptions,
  statistics: readonly Placed[] = [],
): Group {
  const { compare, moves, hidden, passes } = wishes;
  const whole = treeOf(banner, statistics);
  if (compare) sort(whole, compare, banner.nets);
  if (moves.length > 0) moveAll(whole, moves);
  if (hidden.size === 0 && passes === null) return whole;
  const isKept = (line: number) =>
    line < 0 || (!hidden.has(line) && (passes === null || banner.nets.has(line) || passes(line)));
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
  const extras: Extra[] = [];
  const lay = (group: Group): number => {
    let total = 0;
    for (const child of group.children) {
      if (typeof child === "number") {
        const [at, before] = [order.length, sections.length];
        if (child < 0) extras.push({ statistic: ~child, at, sections: before });
        else order.push(child);
        total += 1;
      } else total += laySection(child);
    }
    return total;
  };
  const laySection = (group: Group): number => {
    const [at, place, beyond] = [order.length, sections.length, extras.length];
    const { groups } = group;
    const folded = isFolded(groups);
    // Reserves the index, so that the group comes before its subgroups.
    sections.length += 1;
    const total = lay(group);
    if (folded) {
      order.length = at;
      sections.length = place + 1;
      extras.length = beyond;
    }
    const first = firstOf(group);
    sections[place] = { groups, at, count: order.length - at, total, first, isFolded: folded };
    return total;
  };
  lay(whole);
  const isNatural = order.length === banner.count && order.every((line, i) => line === i);
  const shown = { order: isNatural ? null : Int32Array.from(order), count: order.length };
  return { ...shown, sections, extras };
}

/** The groups of one level, outermost 0, over the visible items. */
export function bandOf({ sections }: Shown, level: number): Section[] {
  return sections.filter(({ groups, count }) => groups.length === level + 1 && count > 0);
}

export function treeOf({ runs }: Banner, statistics: readonly Placed[] = []): Group {
  const whole: Group = { groups: [], children: [] };
  const open = [whole];
  const add = (groups: readonly string[], child: number) => {
    open.length = 1 + shared(open.at(-1)?.groups ?? [], groups);
    while (open.length <= groups.length) {
      const group: Group = { groups: groups.slice(0, open.length), children: [] };
      open.at(-1)?.children.push(group);
      open.push(group);
    }
    open.at(-1)?.children.push(child);
  };
  let next = 0;
  const addUpTo = (line: number) => {
    for (let placed = statistics[next]; placed && placed.before <= line; placed = statistics[next])
      add(placed.groups, ~next++);
  };
  let line = 0;
  for (const { groups, end } of runs) {
    for (; line < end; line++) {
      addUpTo(line);
      add(groups, line);
    }
  }
  addUpTo(Number.POSITIVE_INFINITY);
  return whole;
}

function shared(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

/** Sorts the items within each group, before its nets; groups and statistics stay where they are. */
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
      if (child < 0) return;
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
  const isItem = (child: Node) => typeof child === "number" && child >= 0;
  const isHollow =
    nets !== null &&
    children.some(isItem) &&
    left.every((child) => typeof child === "number" && (child < 0 || nets.has(child)));
  return { groups, children: isHollow ? [] : left };
}

function firstOf({ children }: Group): number {
  const firsts = children.map((child) => (typeof child === "number" ? child : firstOf(child)));
  const items = firsts.filter((first) => first >= 0);
  return items.length > 0 ? Math.min(...items) : Math.max(...firsts);
}

/** An item (or, with `level`, a group by its first item) with its siblings, in order. */
export function siblingsOf(whole: Group, line: number, level?: number): number[] {
  const [parent] = located(pathsOf(whole).get(line), line, level);
  const isLine = level === undefined;
  return (parent?.children ?? [])
    .filter((child) => (typeof child === "number") === isLine && !(isLine && Number(child) < 0))
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
