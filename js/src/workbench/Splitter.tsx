/** A splitter between two panes, moved by dragging or with the arrow keys. */
import { useRef } from "preact/hooks";
import { clamped, type Limits, sizeAfterKey } from "./layout";

interface SplitterProps {
  label: string;
  class: string;
  /** The axis that it moves along. */
  axis: "x" | "y";
  size: number;
  limits: Limits;
  /** 1: the pane grows to the right or downwards; -1: to the left or upwards. */
  grows: 1 | -1;
  /** `done` is true for the final size. */
  onSize(size: number, done: boolean): void;
  /** Collapses the pane: on Enter, or when it is dragged to less than half of its minimum. */
  onCollapse?: (() => void) | undefined;
}

export function Splitter(props: SplitterProps) {
  const { label, class: name, axis, size, limits, grows, onSize, onCollapse } = props;
  const from = useRef<{ at: number; size: number } | null>(null);
  const place = (event: PointerEvent) => (axis === "x" ? event.clientX : event.clientY);
  const dragged = (event: PointerEvent, { at, size: before }: { at: number; size: number }) =>
    before + grows * (place(event) - at);
  const end = (event: PointerEvent) => {
    if (from.current) {
      const now = dragged(event, from.current);
      if (onCollapse && now < limits.min / 2) onCollapse();
      else onSize(clamped(now, limits), true);
    }
    from.current = null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; a focusable separator can
    <div
      class={`al-splitter al-splitter-${axis} ${name}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={axis === "x" ? "vertical" : "horizontal"}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      aria-valuenow={size}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        from.current = { at: place(event), size };
        event.currentTarget.setPointerCapture?.(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (from.current) onSize(clamped(dragged(event, from.current), limits), false);
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={(event) => {
        if (event.key === "Enter") onCollapse?.();
        const next = sizeAfterKey(event.key, axis, size, limits, grows);
        if (next === null) return;
        event.preventDefault();
        onSize(next, true);
      }}
    />
  );
}
