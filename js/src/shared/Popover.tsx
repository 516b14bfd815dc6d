/**
 * A panel that floats beside its anchor. It stays inside the widget's element (hosts clean up
 * with it) and uses the browser's top layer, so that no output area clips it.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useHost } from "./host";
import { observeSize } from "./lifetime";

export interface PopoverProps {
  anchor: RefObject<HTMLElement | null>;
  /** Who gets the keyboard back on Escape, where that is not the anchor. */
  from?: RefObject<HTMLElement | null>;
  /** Escape, a press outside, or focus leaving: close it and give focus back if you took it. */
  onClose(): void;
  role?: "dialog" | "menu" | "listbox";
  label: string;
  children: ComponentChildren;
}

/** What takes the keyboard when the panel opens: its first control. */
const FOCUSABLE = "input, button, select, textarea, [tabindex='0']";

export function Popover(props: PopoverProps) {
  const { anchor, from = anchor, onClose, role = "dialog", label, children } = props;
  const { root } = useHost();
  const panel = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = panel.current;
    if (!element || !anchor.current) return;
    const ended = new AbortController();
    const { signal } = ended;
    element.showPopover?.();
    const place = () => anchor.current && position(element, anchor.current);
    place();
    // What comes later may need more room than there is where the panel stands.
    observeSize(element, signal, place);
    if (!element.matches(":focus-within")) {
      element.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true });
    }
    const outside = (event: Event) => {
      const path = event.composedPath();
      if (!path.includes(element) && !(anchor.current && path.includes(anchor.current))) onClose();
    };
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      from.current?.focus();
      onClose();
    };
    element.addEventListener("keydown", onEscape, { signal });
    const page = root.ownerDocument;
    page.addEventListener("pointerdown", outside, { capture: true, signal });
    page.addEventListener("scroll", place, { capture: true, passive: true, signal });
    page.defaultView?.addEventListener("resize", place, { signal });
    return () => ended.abort();
  }, []);

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: every role it may have takes a name
    <div ref={panel} class="al-popover" popover="manual" role={role} aria-label={label}>
      {children}
    </div>
  );
}

/** Below the anchor if there is room, else above, else over it; never beyond the window's edges. */
function position(panel: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const view = panel.ownerDocument.documentElement;
  const [below, above] = [at.bottom + 4, at.top - 4 - height];
  const lowest = view.clientHeight - height - 4;
  const top = below <= lowest ? below : above >= 4 ? above : Math.max(4, lowest);
  const left = Math.max(4, Math.min(at.left, view.clientWidth - width - 4));
  panel.style.top = `${Math.round(top)}px`;
  panel.style.left = `${Math.round(left)}px`;
}
