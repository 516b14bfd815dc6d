/**
 * What the question bar adds to the menu of a line: renaming and removing it, nets, boxes, nesting.
 * Edits are made by the desk; what needs more than a click opens a panel.
 */
import type { Signal } from "@preact/signals";
import type { LineCommand, LineTarget } from "../lines/target";
import type { QuestionDesk } from "./desk";
import type { QuestionTold } from "./protocol";
import { words } from "./strings";

/** A line that waits for what a panel asks: its new name, or what it is nested under. */
export interface LineQuestion {
  readonly kind: "rename" | "nest";
  readonly target: LineTarget;
}

/** Answers that make two boxes of two. */
const FOUR = 4;

export function lineCommands(
  desk: QuestionDesk,
  asking: Signal<LineQuestion | null>,
): readonly LineCommand[] {
  const told = () => desk.told.peek();
  const edit = (change: Parameters<QuestionDesk["edit"]>[0]) => void desk.edit(change);
  const boxes = (id: string, lowFirst: boolean): LineCommand => ({
    id,
    label: (target) =>
      isAsked(target, told()) && isScale(target)
        ? words.line[lowFirst ? "boxesLow" : "boxesHigh"]
        : null,
    run: ({ side, lines }) => edit({ do: "boxes", axis: side, places: lines, lowFirst }),
  });
  const asks = (kind: LineQuestion["kind"]) => (target: LineTarget) => {
    asking.value = { kind, target };
  };
  return [
    {
      id: "rename",
      label: (target) => (isAsked(target, told()) && !isHead(target) ? words.line.rename : null),
      run: asks("rename"),
    },
    {
      id: "net",
      label: (target) => {
        const { length } = target.together;
        return isAsked(target, told()) && length > 1 ? words.line.net(length) : null;
      },
      run: ({ side, together }) => edit({ do: "net", axis: side, places: together }),
    },
    boxes("boxes-low", true),
    boxes("boxes-high", false),
    {
      id: "nest",
      label: (target) => (isAsked(target, told()) ? words.line.nest : null),
      run: asks("nest"),
    },
    {
      id: "remove",
      label: (target) =>
        isAsked(target, told()) ? words.line.remove(target.together.length) : null,
      run: ({ side, together }) => edit({ do: "remove", axis: side, places: together }),
    },
    {
      id: "remove-base",
      label: (target) => (baseOf(target, told()) === null ? null : words.line.removeBase),
      run: (target) => {
        const gone = baseOf(target, told());
        const all = Array.from({ length: told()?.baseCount ?? 0 }, (_, place) => place);
        const keep = all.filter((place) => place !== gone);
        edit({ do: "bases", keep, picked: [], saved: [] });
      },
    },
  ];
}

/** Whether it is of the lines that were asked for, and not the base that stands for none. */
function isAsked(target: LineTarget, told: QuestionTold | undefined): boolean {
  return (told?.[target.side].count ?? 0) > 0 && baseOf(target, told) === null;
}

/** Which of several bases a head stands for, or a column where the bases are all columns. */
function baseOf({ side, level, lines }: LineTarget, told: QuestionTold | undefined): number | null {
  if (!told?.sideBySide || side !== "columns") return null;
  const each = told.columns.count;
  if (each > 0 && level !== 0) return null;
  return Math.floor((lines[0] ?? 0) / Math.max(1, each));
}

function isHead({ level }: LineTarget): boolean {
  return level !== undefined;
}

/** A head over answers enough; lines without heads may be a scale, which Python finds out. */
function isScale(target: LineTarget): boolean {
  return isHead(target) ? target.lines.length >= FOUR : target.heads.length === 0;
}
