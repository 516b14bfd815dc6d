/**
 * A menu beside its anchor: arrow keys wrap around, letters search for a label, Escape and Tab
 * close it.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "./icons";
import { keysFor, listKey, Typeahead } from "./keyboard";
import { Popover } from "./Popover";

interface MenuFrameProps {
  anchor: RefObject<HTMLElement | null>;
  /** Gets the focus on Escape and Tab, if it is not the anchor. */
  from?: RefObject<HTMLElement | null>;
  label: string;
  class?: string;
  onClose(): void;
}

/** A menu of `MenuButton`s, optionally in groups. */
export function MenuFrame(props: MenuFrameProps & { children: ComponentChildren }) {
  const { anchor, from = anchor, label, class: extra = "", onClose, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef(new Typeahead());
  const items = () => [...(list.current?.querySelectorAll<HTMLButtonElement>("button") ?? [])];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Tab") {
      // The browser then moves the focus from there.
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
  icon?: IconName | undefined;
  /** The keyboard shortcut of the command. */
  keys?: string | undefined;
  hint?: string | undefined;
  /** Why the command is unavailable. The item remains focusable, so that the reason is read. */
  disabled?: string | boolean | undefined;
  /** Separated from the item before it by a line. */
  apart?: boolean | undefined;
  onClick(event: MouseEvent): void;
}

export function MenuButton({ label, icon, keys, hint, disabled, apart, onClick }: MenuButtonProps) {
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
      {icon && <Icon name={icon} />}
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

/** A group of commands for one object. */
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
