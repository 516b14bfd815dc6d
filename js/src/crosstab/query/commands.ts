/**
 * Commands for rows and columns of the query, offered in header menus, and as buttons while headers
 * are selected. Rename and Nest open a panel.
 */
import type { Signal } from "@preact/signals";
import type { QuerySummary, QuestionForms } from "../../protocol";
import type { Side } from "../arrangement/plan";
import type { LineCommand, LineTarget } from "../arrangement/target";
import { joinedBins } from "./messages";
import type { QueryEditor } from "./queryEditor";
import { words } from "./strings";

/** The panel that asks for a new name, or for questions to nest under an item. */
export interface OpenPanel {
  readonly kind: "rename" | "nest" | "bins";
  readonly target: LineTarget;
  /** The question whose bins are changed. */
  readonly forms?: QuestionForms;
  /** Beside which it opens; by default the header with the focus. */
  readonly anchor?: HTMLElement;
}

/** Answers needed for a top-2 and a bottom-2 box. */
const FOUR = 4;

export function headerCommands(
  { summary, edit }: Pick<QueryEditor, "summary" | "edit">,
  open: Signal<OpenPanel | null>,
  /** The name of a row or column at a position of the query; undefined while it is not loaded. */
  nameAt: (side: Side, position: number) => string | undefined,
): readonly LineCommand[] {
  const now = () => summary.peek();
  const send = (change: Parameters<QueryEditor["edit"]>[0]) => void edit(change);
  const isAsked = (target: LineTarget) => isOfQuery(target, now());
  const panel = (kind: OpenPanel["kind"]) => (target: LineTarget) => {
    open.value = { kind, target };
  };
  /** The name of neighbouring bins when joined, such as 18–34. */
  const bin = ({ side, together }: LineTarget) => {
    const apart = together.some((at, i) => i > 0 && at !== (together[i - 1] ?? at) + 1);
    return apart ? "" : joinedBins(together.map((at) => nameAt(side, at) ?? ""));
  };
  const joinInto = (target: LineTarget) => {
    const name = bin(target);
    return name && words.joinInto(name);
  };
  /** A command that needs at least two rows or columns. */
  const joins = (id: "net" | "merge"): LineCommand => ({
    id,
    name: (target) => (id === "merge" && joinInto(target)) || words.verbs[id],
    hint: words.hints[id],
    label: (target) =>
      (id === "merge" && joinInto(target)) || words[id](target.side, target.together.length),
    refusal: (target) =>
      !isAsked(target)
        ? words.isBase
        : target.together.length < 2
          ? words.selectMore(target.side)
          : "",
    run: (target) => {
      const { side, together } = target;
      const name = id === "merge" ? bin(target) : "";
      send({ do: id, axis: side, places: together, ...(name && { name }) });
    },
  });
  return [
    joins("net"),
    joins("merge"),
    {
      id: "nest",
      name: () => words.verbs.nest,
      hint: words.hints.nest,
      label: () => words.verbs.nest,
      refusal: (target) => (isAsked(target) ? "" : words.isBase),
      run: panel("nest"),
    },
    {
      id: "rename",
      name: () => words.verbs.rename,
      label: () => words.verbs.rename,
      refusal: (target) => {
        if (!isAsked(target)) return words.isBase;
        const isOne = target.together.length === 1 && !isGroup(target);
        return isOne ? "" : words.selectOne(target.side);
      },
      run: panel("rename"),
    },
    {
      id: "boxes",
      label: () => words.boxes,
      refusal: (target) => (isAsked(target) && isScale(target) ? "" : words.isBase),
      // The survey decides which end of the scale is the top.
      run: ({ side, lines }) => send({ do: "boxes", axis: side, places: lines }),
    },
    {
      id: "remove",
      name: () => words.verbs.remove,
      label: ({ side, together }) => words.removeItems(side, together.length),
      refusal: (target) => (isAsked(target) ? "" : words.isBase),
      run: ({ side, together }) => send({ do: "remove", axis: side, places: together }),
    },
    {
      id: "remove-base",
      label: () => words.removeBase,
      refusal: (target) => (baseOf(target, now()) === null ? words.isBase : ""),
      run: (target) => {
        const gone = baseOf(target, now());
        const all = Array.from({ length: now()?.base_count ?? 0 }, (_, at) => at);
        send({ do: "bases", keep: all.filter((at) => at !== gone), picked: [], saved: [] });
      },
    },
  ];
}

/** Whether it is an item of the query, and not the base. */
function isOfQuery(target: LineTarget, summary: QuerySummary | undefined): boolean {
  const { side, lines } = target;
  return (summary?.[side].count ?? 0) > 0 && lines.length > 0 && baseOf(target, summary) === null;
}

/** The position of the base that a group, or a column without a group, shows; null for others. */
function baseOf(
  { side, level, lines }: LineTarget,
  summary: QuerySummary | undefined,
): number | null {
  if (!summary?.side_by_side || side !== "columns") return null;
  const each = summary.columns.count;
  if (each > 0 && level !== 0) return null;
  return Math.floor((lines[0] ?? 0) / Math.max(1, each));
}

function isGroup({ level }: LineTarget): boolean {
  return level !== undefined;
}

/** A group of enough answers; Python checks whether rows without a group are a scale. */
function isScale(target: LineTarget): boolean {
  return isGroup(target) ? target.lines.length >= FOUR : target.groups.length === 0;
}
