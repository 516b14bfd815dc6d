/** The keys of a widget, in a panel that a button or a question mark opens. */
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { IconButton } from "./icons";
import { Popover } from "./Popover";

interface KeyHelpProps {
  label: string;
  /** Keys, and what they do. */
  keys: readonly (readonly string[])[];
  open: Signal<boolean>;
  /** Where the keyboard goes afterwards when a key opened it; else to the button. */
  from?: RefObject<HTMLElement | null>;
}

export function KeyHelp({ label, keys, open, from }: KeyHelpProps) {
  const button = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  return (
    <>
      <IconButton
        icon="help"
        label={label}
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={open.value}
        onClick={() => {
          pressed.current = !open.peek();
          open.value = !open.peek();
        }}
      />
      {open.value && (
        <Popover
          anchor={pressed.current || !from ? button : from}
          label={label}
          onClose={() => {
            pressed.current = false;
            open.value = false;
          }}
        >
          {/* Not a list of terms: Lab lays those out itself. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and Escape must reach it */}
          <ul class="al-keys" tabIndex={0}>
            {keys.map(([key, meaning]) => (
              <li key={key}>
                <kbd>{key}</kbd>
                <span class="al-quiet">{meaning}</span>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </>
  );
}
