/**
 * A list of rows with a few buttons each: arrow keys move between rows, Tab moves to their buttons.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { listKey } from "../../ui/keyboard";

interface RowsProps<T> {
  label: string;
  all: readonly T[];
  keyOf(each: T): string;
  /** Called on a click on the row, and on Enter. */
  onPress(each: T, event: MouseEvent): void;
  /** What a click on the row does, as its tooltip. */
  pressLabel(each: T): string;
  row(each: T, current: boolean): ComponentChildren;
  /** Buttons at the end of the row; each must use `tabIndex`. */
  buttons(each: T, tabIndex: number): ComponentChildren;
}

export function Rows<T>(props: RowsProps<T>) {
  const { label, all, keyOf, onPress, pressLabel, row, buttons } = props;
  const list = useRef<HTMLUListElement>(null);
  const current = useSignal("");
  const at = Math.max(
    0,
    all.findIndex((each) => keyOf(each) === current.value),
  );
  const walk = (event: KeyboardEvent) => {
    if (!(event.target as Element).matches(".al-sidebar-press")) return;
    const moved = listKey(event.key, { index: at, count: all.length });
    const next = moved === null ? undefined : all[moved];
    if (moved === null || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    current.value = keyOf(next);
    list.current?.querySelectorAll<HTMLElement>(".al-sidebar-press")[moved]?.focus();
  };
  return (
    <ul ref={list} class="al-sidebar-rows" aria-label={label} onKeyDown={walk}>
      {all.map((each, index) => {
        const tabIndex = index === at ? 0 : -1;
        const enter = () => {
          current.value = keyOf(each);
        };
        return (
          <li key={keyOf(each)} class="al-sidebar-row" data-key={keyOf(each)} onFocusIn={enter}>
            <button
              type="button"
              class="al-sidebar-press"
              tabIndex={tabIndex}
              title={pressLabel(each)}
              onClick={(event) => onPress(each, event)}
            >
              {row(each, keyOf(each) === current.value)}
            </button>
            {buttons(each, tabIndex)}
          </li>
        );
      })}
    </ul>
  );
}
