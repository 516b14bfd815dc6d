/** Tabs; arrow keys move between them, as in the WAI-ARIA pattern. */
import { useRef } from "preact/hooks";

interface TabsProps<Name extends string> {
  label: string;
  class: string;
  stack: readonly Name[];
  chosen: Name | undefined;
  words: Readonly<Record<Name, string>>;
  /** The id of a tab panel's element. */
  idOf(name: Name): string;
  onChoose(name: Name): void;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, class: name, stack, chosen, words, idOf, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  const walk = (event: KeyboardEvent) => {
    const at = chosen ? stack.indexOf(chosen) : 0;
    const step = STEPS[event.key];
    const next =
      step !== undefined
        ? (at + step + stack.length) % stack.length
        : { Home: 0, End: stack.length - 1 }[event.key];
    const part = next === undefined ? undefined : stack[next];
    if (part === undefined || next === undefined) return;
    event.preventDefault();
    onChoose(part);
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
      {stack.map((part) => (
        <button
          key={part}
          type="button"
          role="tab"
          id={`${idOf(part)}-tab`}
          aria-controls={idOf(part)}
          aria-selected={part === chosen}
          tabIndex={part === (chosen ?? stack[0]) ? 0 : -1}
          onClick={() => onChoose(part)}
        >
          {words[part]}
        </button>
      ))}
    </div>
  );
}
