/** The keyboard help of a widget, in a panel that a button or a question mark opens. */
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { IconButton } from "./icons";
import { keysFor } from "./keyboard";
import { Popover, usePopover } from "./Popover";

interface KeyHelpProps {
  label: string;
  /** Keys, and their effect. */
  keys: readonly (readonly string[])[];
  open: Signal<boolean>;
  /** Gets the focus afterwards if a key opened the panel; else the button does. */
  from?: RefObject<HTMLElement | null>;
}

export function KeyHelp({ label, keys, open, from }: KeyHelpProps) {
  const { isOpen, pressed, opener, panel } = usePopover("dialog", open);
  const anchor = pressed.current || !from ? panel.anchor : from;
  return (
    <>
      <IconButton icon="help" label={label} {...opener} />
      {isOpen && (
        <Popover anchor={anchor} label={label} onClose={panel.onClose}>
          {/* Not a list of terms: Lab lays those out itself. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and Escape must reach it */}
          <ul class="al-keys" tabIndex={0}>
            {keys.map(([key, meaning]) => (
              <li key={key}>
                <kbd>{keysFor(key ?? "")}</kbd>
                <span class="al-quiet">{keysFor(meaning ?? "")}</span>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </>
  );
}
