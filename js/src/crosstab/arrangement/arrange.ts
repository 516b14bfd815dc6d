/**
 * From the lines of the query to the lines that are seen: sorted, moved, hidden, filtered, with
 * groups kept together and nets kept in their place. Pure. Lines are named by their places in the
 * query; `widgets/grid/arranging.py` arranges frames by the same rules.
 */
import type { Move } from "../../protocol";
import type { Banner } from "./banner";

export type { Move };

/** A group with what is under it; the outermost one has no groups and holds the whole side. */
export interface Group {
  readonly groups: readonly string[];
  readonly children: Node[];
}

export type Node = number | Group;

export interface Wishes {
  /** Which of two lines comes first; null: as in the query. */
  readonly compare: ((a: number, b: number) => number) | null;
  readonly moves: readonly Move[];
  readonly hidden: ReadonlySet<number>;
  /** Whether a line passes the filters; null: there are none. */
  readonly passes: ((line: number) => boolean) | null;
}

/** A group as it is seen: over `count` lines from `at`, counted as they are shown. */
export interface Section {
  readonly groups: readonly string[];
  readonly at: number;
  readonly count: number;
  /** Lines that it has, those of a folded one included. */
  readonly total: number;
  /** Its first line in the query, by which it is moved. */
  readonly first: number;
  readonly isFolded: boolean;
}

export interface Shown {
  /** Positions in the query; null where all lines are shown as the query has them. */
  readonly order: Int32Array | null;
  readonly count: number;
  /** Each before what is under it. */
  readonly sections: readonly Section[];
}

export function arranged(banner: Banner, wishes: Wishes): Group {
  const { compare, moves, hidden, passes } = wishes;
  const whole = treeOf(banner);
  if (compare) sort(whole, compare, banner.nets);
  if (moves.length > 0) moveAll(whole, moves);
  if (hidden.size === 0 && passes === null) return whole;
  const isKept = (line: number) =>
    !hidden.has(line) && (passes === null || banner.nets.has(line) || passes(line));
  return kept(whole, isKept, passes === null ? null : banner.nets);
}

/** The lines of the groups one after another; those of a folded group are left out. */
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
    // It stays before what is under it.
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

/** The groups of one depth, outermost 0, over the lines that are shown. */
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

/** Lines are moved among themselves; nets and groups stay where they are. */
function sort(
  { children }: Group,
  compare: (a: number, b: number) => number,
  nets: ReadonlySet<number>,
): void {
  const free: number[] = [];
  const lines: number[] = [];
  children.forEach((child, place) => {
    if (typeof child !== "number") sort(child, compare, nets);
    else if (!nets.has(child)) {
      free.push(place);
      lines.push(child);
    }
  });
  lines.sort(compare).forEach((line, i) => {
    children[free[i] as number] = line;
  });
}

/** One after another; a move that leads out of its group, or that names no line, is passed over. */
function moveAll(whole: Group, moves: readonly Move[]): void {
  const paths = pathsOf(whole);
  for (const { line, before, level } of moves) {
    const path = paths.get(line);
    const [parent, node] = standing(path, line, level);
    if (parent === undefined || node === undefined) continue;
    const [beside, target] =
      before === null ? [parent, null] : standing(paths.get(before), before, level);
    if (beside !== parent || target === undefined || target === node) continue;
    const { children } = parent;
    children.splice(children.indexOf(node), 1);
    children.splice(
      target === null ? afterLast(children, node) : children.indexOf(target),
      0,
      node,
    );
  }
}

function afterLast(children: readonly Node[], node: Node): number {
  return 1 + children.findLastIndex((child) => typeof child === typeof node);
}

/** The line or group that moves, and what it moves within. */
function standing(
  path: readonly Group[] | undefined,
  line: number,
  level: number | undefined,
): readonly [Group | undefined, Node | undefined] | [] {
  if (path === undefined) return [];
  return level === undefined ? [path.at(-1), line] : [path[level], path[level + 1]];
}

/** For each line the groups that it is in, the whole side first. */
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

/** What is left; with `nets` a group goes when nothing but nets is left under it. */
function kept(
  { groups, children }: Group,
  isKept: (line: number) => boolean,
  nets: ReadonlySet<number> | null,
): Group {
  const left = children
    .map((child) => (typeof child === "number" ? child : kept(child, isKept, nets)))
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

/** A line, or the first lines of groups of one depth, with those of its kind beside it, in order. */
export function siblingsOf(whole: Group, line: number, level?: number): number[] {
  const [parent] = standing(pathsOf(whole).get(line), line, level);
  const isLine = level === undefined;
  return (parent?.children ?? [])
    .filter((child) => (typeof child === "number") === isLine)
    .map((child) => (typeof child === "number" ? child : firstOf(child)));
}

/** The move that brings one of some siblings before another, counted among them; past the end: last. */
export function moveTo(
  siblings: readonly number[],
  line: number,
  to: number,
  level?: number,
): Move {
  const before = siblings[to] ?? null;
  return level === undefined ? { line, before } : { line, before, level };
}

/** The move one step on (1) or back (-1); null at the end. */
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
