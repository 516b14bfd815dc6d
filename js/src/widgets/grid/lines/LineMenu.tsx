/** What can be done with the line, or the head, whose header is asked for its menu. */
import { useRef } from "preact/hooks";
import { Menu, type MenuItem } from "../../../shared/Menu";
import type { Controller } from "../controller";
import { FROZEN_COLUMNS } from "../cursor";
import { words } from "./strings";
import { type LineTarget, sortTarget, targetAt } from "./target";

/** As the menu has it; what runs needs no event. */
interface Item extends MenuItem {
  run(): void;
}

export function LineMenu({ controller }: { controller: Controller }) {
  const position = controller.menu.value;
  const target = position && targetAt(controller.table, position);
  return target ? <Lines key={target.name} controller={controller} target={target} /> : null;
}

function Lines({ controller, target }: { controller: Controller; target: LineTarget }) {
  const anchor = useRef<HTMLElement | null>(null);
  const position = controller.menu.peek();
  if (anchor.current === null && position)
    anchor.current = controller.painter.elementAt(position) ?? controller.scroller;
  return (
    <Menu
      anchor={anchor}
      label={words.menuOf(target.name)}
      items={itemsOf(controller, target).map((item) => ({
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

function itemsOf(controller: Controller, target: LineTarget): Item[] {
  const { actions, table } = controller;
  const isRow = target.axis === "row";
  const [back, on] = isRow ? [words.up, words.down] : [words.left, words.right];
  const own = [
    ...(target.level === undefined ? sortItems(controller) : foldItems(controller, target)),
    {
      label: back,
      keys: isRow ? "Alt+↑" : "Alt+←",
      run: () => actions.step(target, -1),
      apart: true,
    },
    { label: on, keys: isRow ? "Alt+↓" : "Alt+→", run: () => actions.step(target, 1) },
    ...(isRow || target.level !== undefined ? [] : widthItems(controller, target)),
    { label: words.hide, keys: "H", run: () => actions.hide(target), apart: true },
  ];
  const others = table.lineCommands.value.flatMap((command) => {
    const label = command.label(target);
    return label === null ? [] : [{ label, run: () => command.run(target) }];
  });
  return [...own, ...others.map((item, i) => ({ ...item, apart: i === 0 }))];
}

function sortItems({ actions, table, cursor, selectLine }: Controller): Item[] {
  const { focus } = cursor.peek();
  const sort = sortTarget(table, focus);
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
    { label: words.select, keys: "Ctrl+Space", run: () => selectLine(focus), apart: true },
  ];
}

function foldItems({ actions }: Controller, target: LineTarget): Item[] {
  if (target.axis === "column") return [];
  return target.isFolded
    ? [{ label: words.unfold, keys: "→", run: () => actions.fold(target, false) }]
    : [{ label: words.fold, keys: "←", run: () => actions.fold(target, true) }];
}

function widthItems({ actions, cursor, layout }: Controller, target: LineTarget): Item[] {
  const now = layout.columns.size(cursor.peek().focus.column - FROZEN_COLUMNS);
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
