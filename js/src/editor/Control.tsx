/** A button inside a row: reached by Tab or the arrow keys while its row has the focus. */
import type { ComponentChildren } from "preact";

interface ControlProps {
  /** Whether its row has the focus. */
  active: boolean;
  pressed?: boolean;
  class?: string;
  title?: string;
  label?: string;
  onPress(): void;
  children: ComponentChildren;
}

export function Control(props: ControlProps) {
  return (
    <button
      type="button"
      class={props.class}
      tabIndex={props.active ? 0 : -1}
      data-control
      aria-pressed={props.pressed}
      aria-label={props.label}
      title={props.title}
      onClick={props.onPress}
    >
      {props.children}
    </button>
  );
}
