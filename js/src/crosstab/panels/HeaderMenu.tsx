/** The menu of a header, with the commands for its row, column or group, and the menu of a cell. */
import { useRef } from "preact/hooks";
import { Menu, type MenuItem } from "../../ui/Menu";
import { NAMES_COLUMN, NAMES_ROW, type Position } from "../arrangement/position";
import { type LineTarget, sortTarget } from "../arrangement/target";
import type { CellDetailsState } from "../export/cellDetails";
import type { Exporter } from "../export/exporter";
import { words as exporting } from "../export/strings";
import { strings } from "../strings";
import type { Controller } from "../view/controller";
import { words } from "./strings";

/** Menu items have a uniform signature; commands need no event. */
interface Item extends MenuItem {
  run(): void;
}

interface Props {
  controller: Controller;
  exporter: Exporter;
  /** null without a kernel. */
  details: CellDetailsState | null;
}

export function HeaderMenu(props: Props) {
  const { controller } = props;
  const position = controller.menu.value;
  if (!position) return null;
  const target = controller.cursor.targetIn(position);
  const key = `${position.row} ${position.column}`;
  return target ? (
    <PositionMenu
      key={key}
      {...{ controller, position }}
      label={words.menuOf(target.whole)}
      items={itemsOf(controller, position, target)}
    />
  ) : (
    <PositionMenu
      key={key}
      {...{ controller, position }}
      label={words.cellMenu}
      items={cellItems(props, position)}
    />
  );
}

interface PositionMenuProps {
  controller: Controller;
  position: Position;
  label: string;
  items: Item[];
}

function PositionMenu({ controller, position, label, items }: PositionMenuProps) {
  const { viewport } = controller;
  const anchor = useRef<HTMLElement | null>(null);
  anchor.current ??= viewport.painter.elementAt(position) ?? viewport.scroller;
  return (
    <Menu
      anchor={anchor}
      label={label}
      items={items.map((item) => ({
        ...item,
        run: () => {
          controller.viewport.focus();
          item.run();
        },
      }))}
      onClose={() => {
        controller.menu.value = null;
      }}
    />
  );
}

function cellItems({ controller, exporter, details }: Props, { row, column }: Position): Item[] {
  const { actions, arranging, table } = controller;
  const sorts = [
    sortTarget(table.view, { row: NAMES_ROW, column }),
    sortTarget(table.view, { row, column: NAMES_COLUMN }),
  ];
  const { chosen } = exporter;
  return [
    ...sorts.flatMap((sort) =>
      sort
        ? {
            label: words.sortBy(sort.side, sort.name),
            run: () => actions.setSort(sort.side, [{ by: sort.by, direction: "descending" }]),
          }
        : [],
    ),
    {
      label: words.filterMenu,
      keys: "Ctrl+F",
      run: () => {
        arranging.value = true;
      },
    },
    ...(details && row >= 0 && column >= 0
      ? [{ label: exporting.openCell, keys: "Enter", run: () => void details.open(), apart: true }]
      : []),
    {
      label: chosen > 0 ? strings.copyCells(chosen) : strings.copyTable,
      keys: "Ctrl+C",
      run: () => void exporter.copy("table"),
      apart: true,
    },
    ...(details ? [{ label: exporting.copyCode, run: () => void exporter.copy("code") }] : []),
  ];
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
    if (command.refusal(target)) return [];
    return [{ label: command.label(target), run: () => command.run(target) }];
  });
  return [...own, ...others.map((item, i) => ({ ...item, apart: i === 0 }))];
}

function sortItems({ actions, table }: Controller, position: Position): Item[] {
  const sort = sortTarget(table.view, position);
  if (!sort) return [];
  const { side, by } = sort;
  const levels = table.view.arranger.plan(side).sort ?? [];
  const only = (direction: "descending" | "ascending") => () =>
    actions.setSort(side, [{ by, direction }]);
  return [
    { label: words.highest, keys: "Enter", run: only("descending") },
    { label: words.lowest, run: only("ascending") },
    ...(levels.length > 0 && !levels.some((level) => level.by === by)
      ? [{ label: words.addLevel, keys: "Shift+Enter", run: () => actions.sort(sort, true) }]
      : []),
    ...(levels.length > 0 ? [{ label: words.noSort, run: () => actions.setSort(side, []) }] : []),
  ];
}

function foldItems({ actions }: Controller, target: LineTarget): Item[] {
  if (target.axis === "column") return [];
  return target.isFolded
    ? [{ label: words.unfold, keys: "→", run: () => actions.fold(target, false) }]
    : [{ label: words.fold, keys: "←", run: () => actions.fold(target, true) }];
}

function widthItems(
  { actions, viewport: { layout } }: Controller,
  { column }: Position,
  target: LineTarget,
): Item[] {
  const now = layout.columns.size(column);
  return [
    {
      label: words.wider,
      keys: "Shift+Alt+→",
      run: () => actions.widen(target, now, 1),
      apart: true,
    },
    { label: words.narrower, keys: "Shift+Alt+←", run: () => actions.widen(target, now, -1) },
    {
      label: words.fit,
      run: () => actions.setWidth(target, layout.sizes.fittingColumn(target.name)),
    },
    { label: words.usual, run: () => actions.setWidth(target, null) },
  ];
}
