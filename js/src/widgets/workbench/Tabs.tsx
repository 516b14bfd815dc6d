/** Tabs over parts that share a place; arrow keys walk, as in the WAI-ARIA pattern. */
import { useRef } from "preact/hooks";
import type { PaneName, Stack } from "./layout";
import { words } from "./strings";

interface TabsProps {
  label: string;
  class: string;
  stack: Stack;
  chosen: PaneName | undefined;
  /** The id of a pane's element. */
  idOf(pane: PaneName): string;
  onChoose(pane: PaneName): void;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs({ label, class: name, stack, chosen, idOf, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const walk = (event: KeyboardEvent) => {
    const at = chosen ? stack.indexOf(chosen) : 0;
    const step = STEPS[event.key];
    const next =
      step !== undefined
        ? (at + step + stack.length) % stack.length
        : { Home: 0, End: stack.length - 1 }[event.key];
    const pane = next === undefined ? undefined : stack[next];
    if (pane === undefined || next === undefined) return;
    event.preventDefault();
    onChoose(pane);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div
      ref={list}
      class={`al-tabs ${name}`}
      role="tablist"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={walk}
    >
      {stack.map((pane) => (
        <button
          key={pane}
          type="button"
          role="tab"
          id={`${idOf(pane)}-tab`}
          aria-controls={idOf(pane)}
          aria-selected={pane === chosen}
          tabIndex={pane === chosen ? 0 : -1}
          onClick={() => onChoose(pane)}
        >
          {words.panes[pane]}
        </button>
      ))}
    </div>
  );
}
