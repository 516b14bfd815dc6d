/**
 * What the question bar adds to the menu of a line: renaming and removing it, nets, boxes, nesting.
 * Edits are made by the desk; what needs more than a click opens a panel.
 */
import type { Signal } from "@preact/signals";
import type { LineCommand, LineTarget } from "../lines/target";
import type { Picked } from "../protocol";
import type { QuestionDesk } from "./desk";
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
  const edit = (change: Parameters<QuestionDesk["edit"]>[0]) => void desk.edit(change);
  const boxes = (id: string, lowFirst: boolean): LineCommand => ({
    id,
    label: (target) => (isScale(target) ? words.line[lowFirst ? "boxesLow" : "boxesHigh"] : null),
    run: ({ side, lines }) => edit({ do: "boxes", axis: side, places: lines, lowFirst }),
  });
  const asks = (kind: LineQuestion["kind"]) => (target: LineTarget) => {
    asking.value = { kind, target };
  };
  return [
    {
      id: "rename",
      label: (target) => (isHead(target) ? null : words.line.rename),
      run: asks("rename"),
    },
    {
      id: "net",
      label: (target) => {
        const { length } = together(desk, target);
        return length > 1 ? words.line.net(length) : null;
      },
      run: (target) => edit({ do: "net", axis: target.side, places: together(desk, target) }),
    },
    boxes("boxes-low", true),
    boxes("boxes-high", false),
    { id: "nest", label: () => words.line.nest, run: asks("nest") },
    {
      id: "remove",
      label: () => words.line.remove,
      run: (target) => edit({ do: "remove", axis: target.side, places: together(desk, target) }),
    },
  ];
}

function isHead({ level }: LineTarget): boolean {
  return level !== undefined;
}

/** A head over answers enough; lines without heads may be a scale, which Python finds out. */
function isScale(target: LineTarget): boolean {
  return isHead(target) ? target.lines.length >= FOUR : target.heads.length === 0;
}

/** All lines under a head; all that are selected, if the line is one of them. */
function together({ host }: QuestionDesk, target: LineTarget): readonly number[] {
  const { lines, side } = target;
  const selected = host.trait<Partial<Picked> | undefined>("_picked").peek()?.[side] ?? [];
  return !isHead(target) && lines.every((line) => selected.includes(line)) ? selected : lines;
}
