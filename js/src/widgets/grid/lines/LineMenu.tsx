/** What can be done with the line, or the head, whose header is asked for its menu. */
import { useRef } from "preact/hooks";
import { Menu, type MenuItem } from "../../../shared/Menu";
import type { Controller } from "../controller";
import { FROZEN_COLUMNS } from "../cursor";
import type { Position } from "../keyboard";
import { words } from "./strings";
import { type LineTarget, sortTarget, targetIn } from "./target";

/** As the menu has it; what runs needs no event. */
interface Item extends MenuItem {
  run(): void;
}

export function LineMenu({ controller }: { controller: Controller }) {
  const position = controller.menu.value;
  const target = position && targetIn(controller.table, position, controller.selection);
  return target ? <Lines key={target.name} {...{ controller, position, target }} /> : null;
}

interface Props {
  controller: Controller;
  position: Position;
  target: LineTarget;
}

function Lines({ controller, position, target }: Props) {
  const anchor = useRef<HTMLElement | null>(null);
  anchor.current ??= controller.painter.elementAt(position) ?? controller.scroller;
  return (
    <Menu
      anchor={anchor}
      label={words.menuOf(target.name)}
      items={itemsOf(controller, position, target).map((item) => ({
        ...item,
        run: () => {
          controller.focus();
          item.run();
        },
      }))}
      onClose={() => {
        controller.menu.value = null;
      }}
    />
  );
}

function itemsOf(controller: Controller, position: Position, target: LineTarget): Item[] {
  const { actions, table } = controller;
  const isRow = target.axis === "row";
  const [back, on] = isRow ? [words.up, words.down] : [words.left, words.right];
  const own = [
    ...(target.level === undefined
      ? sortItems(controller, position)
      : foldItems(controller, target)),
    {
      label: back,
      keys: isRow ? "Alt+↑" : "Alt+←",
      run: () => actions.step(target, -1),
      apart: true,
    },
    { label: on, keys: isRow ? "Alt+↓" : "Alt+→", run: () => actions.step(target, 1) },
    ...(isRow || target.level !== undefined ? [] : widthItems(controller, position, target)),
    { label: words.hide, keys: "H", run: () => actions.hide(target), apart: true },
  ];
  const others = table.lineCommands.value.flatMap((command) => {
    const label = command.label(target);
    return label === null ? [] : [{ label, run: () => command.run(target) }];
  });
  return [...own, ...others.map((item, i) => ({ ...item, apart: i === 0 }))];
}

function sortItems({ actions, table, selectLine }: Controller, position: Position): Item[] {
  const sort = sortTarget(table, position);
  if (!sort) return [];
  const { side, by } = sort;
  const levels = table.arranger.plan(side).sort ?? [];
  const only = (direction: "descending" | "ascending") => () =>
    actions.setSort(side, [{ by, direction }]);
  return [
    { label: words.highest, keys: "Enter", run: only("descending") },
    { label: words.lowest, run: only("ascending") },
    ...(levels.length > 0 && !levels.some((level) => level.by === by)
      ? [{ label: words.addLevel, keys: "Shift+Enter", run: () => actions.sort(sort, true) }]
      : []),
    ...(levels.length > 0 ? [{ label: words.noSort, run: () => actions.setSort(side, []) }] : []),
    { label: words.select, keys: "Ctrl+Space", run: () => selectLine(position), apart: true },
  ];
}

function foldItems({ actions }: Controller, target: LineTarget): Item[] {
  if (target.axis === "column") return [];
  return target.isFolded
    ? [{ label: words.unfold, keys: "→", run: () => actions.fold(target, false) }]
    : [{ label: words.fold, keys: "←", run: () => actions.fold(target, true) }];
}

function widthItems(
  { actions, layout }: Controller,
  { column }: Position,
  target: LineTarget,
): Item[] {
  const now = layout.columns.size(column - FROZEN_COLUMNS);
  return [
    {
      label: words.wider,
      keys: "Shift+Alt+→",
      run: () => actions.widen(target, now, 1),
      apart: true,
    },
    { label: words.narrower, keys: "Shift+Alt+←", run: () => actions.widen(target, now, -1) },
    { label: words.fit, run: () => actions.fit(target, layout.geometry.column) },
    { label: words.usual, run: () => actions.setWidth(target, null) },
  ];
}
