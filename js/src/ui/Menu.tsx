/**
 * A menu beside what it is about: arrow keys walk and go round, letters look for a label, Escape
 * and Tab close it.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { keysFor, listKey, Typeahead } from "./keyboard";
import { Popover } from "./Popover";

interface MenuFrameProps {
  anchor: RefObject<HTMLElement | null>;
  /** Who gets the keyboard back on Escape and Tab, where that is not the anchor. */
  from?: RefObject<HTMLElement | null>;
  label: string;
  class?: string;
  onClose(): void;
}

/** A menu of `MenuButton`s, in groups or not. */
export function MenuFrame(props: MenuFrameProps & { children: ComponentChildren }) {
  const { anchor, from = anchor, label, class: extra = "", onClose, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef(new Typeahead());
  const items = () => [...(list.current?.querySelectorAll<HTMLButtonElement>("button") ?? [])];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Tab") {
      // The browser goes on from there.
      from.current?.focus();
      onClose();
      return;
    }
    const all = items();
    const index = all.indexOf(event.target as HTMLButtonElement);
    const moved = listKey(event.key, { index, count: all.length });
    if (moved !== null) {
      const goesRound = moved === index;
      all[goesRound ? all.length - 1 - index : moved]?.focus();
    } else if (/^\p{L}$/u.test(event.key)) {
      const wordsOf = (at: number) => all[at]?.textContent ?? "";
      all[typed.current.find(event.key, index, all.length, wordsOf)]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Popover anchor={anchor} from={from} onClose={onClose} role="menu" label={label}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the items */}
      <div ref={list} class={`al-menu ${extra}`} role="presentation" onKeyDown={onKeyDown}>
        {children}
      </div>
    </Popover>
  );
}

interface MenuButtonProps {
  label: string;
  /** The keys that do the same. */
  keys?: string | undefined;
  hint?: string | undefined;
  /** Why it cannot be chosen now. It keeps its place for the keyboard, so that this is read. */
  disabled?: string | boolean | undefined;
  /** Drawn below a line. */
  apart?: boolean | undefined;
  onClick(event: MouseEvent): void;
}

export function MenuButton({ label, keys, hint, disabled, apart, onClick }: MenuButtonProps) {
  return (
    <button
      type="button"
      role="menuitem"
      class={`al-menu-item ${apart ? "al-menu-apart" : ""}`}
      tabIndex={-1}
      aria-disabled={Boolean(disabled)}
      title={typeof disabled === "string" ? disabled : undefined}
      onClick={disabled ? undefined : onClick}
    >
      <span>{label}</span>
      <span class="al-spacer" />
      {hint && <span class="al-quiet">{keysFor(hint)}</span>}
      {keys && <kbd class="al-quiet">{keysFor(keys)}</kbd>}
    </button>
  );
}

export interface MenuItem extends Omit<MenuButtonProps, "onClick"> {
  run(event: MouseEvent): void;
}

/** What can be done with one thing. */
export function Menu({ items, ...frame }: MenuFrameProps & { items: readonly MenuItem[] }) {
  return (
    <MenuFrame {...frame}>
      {items.map(({ run, ...item }) => (
        <MenuButton
          key={item.label}
          {...item}
          onClick={(event) => {
            frame.onClose();
            run(event);
          }}
        />
      ))}
    </MenuFrame>
  );
}
