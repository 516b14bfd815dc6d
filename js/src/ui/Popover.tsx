/**
 * A panel that floats beside its anchor. It is inside the widget's element (which hosts remove as a
 * whole) and uses the browser's top layer, so that no output area clips it.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { observeSize, onAbort } from "../core/lifetime";
import { useHost } from "./host";
import { isComposing } from "./keyboard";

export interface PopoverProps {
  anchor: RefObject<HTMLElement | null>;
  /** Gets the focus on Escape, if it is not the anchor. */
  from?: RefObject<HTMLElement | null>;
  /** Called on Escape, after the focus has returned, or on a press outside. */
  onClose(): void;
  role?: "dialog" | "menu" | "listbox";
  label: string;
  children: ComponentChildren;
}

/** Focuses the element with autofocus, or the first control, when the panel opens. */
const BEGIN = "[data-begin]";
const FOCUSABLE = [
  ...["input", "button", "select", "textarea"].map((control) => `${control}:not(:disabled)`),
  "[tabindex='0']",
].join();

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
    // Content that is loaded later may need more space than there is at the panel's position.
    observeSize(element, signal, place);
    if (!element.matches(":focus-within")) {
      const begin = element.querySelector<HTMLElement>(BEGIN);
      (begin ?? element.querySelector<HTMLElement>(FOCUSABLE))?.focus({ preventScroll: true });
    }
    const outside = (event: Event) => {
      const path = event.composedPath();
      if (!path.includes(element) && !(anchor.current && path.includes(anchor.current))) onClose();
    };
    /** Whether Tab was pressed just now, so that the focus moves because of it. */
    let isTabbing = false;
    const onKey = (event: KeyboardEvent) => {
      isTabbing = event.key === "Tab";
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      from.current?.focus();
      onClose();
    };
    element.addEventListener("keydown", onKey, { signal });
    element.addEventListener(
      "focusout",
      ({ relatedTarget }) => {
        const leaves = relatedTarget !== null && !element.contains(relatedTarget as Node);
        if (isTabbing && leaves) onClose();
        isTabbing = false;
      },
      { signal },
    );
    // Removing the focused control moves the focus to the page, and the opener keeps it where
    // nothing inside is focusable: Escape closes the panel from there too.
    const escapeOutside = (event: KeyboardEvent) => {
      const { target } = event;
      const stray = target === root.ownerDocument.body || target === anchor.current;
      if (stray && !isComposing(event)) onKey(event);
    };
    // A control that is removed by its own click must not move the focus out of the panel.
    let last: EventTarget | null = null;
    element.addEventListener(
      "focusin",
      ({ target }) => {
        last = target;
      },
      { signal },
    );
    const removed = new MutationObserver(() => {
      const { activeElement, body } = root.ownerDocument;
      const isLost = last !== null && !element.contains(last as Node);
      if (isLost && (activeElement === null || activeElement === body)) {
        element.focus({ preventScroll: true });
      }
    });
    removed.observe(element, { childList: true, subtree: true });
    onAbort(signal, () => removed.disconnect());
    const page = root.ownerDocument;
    page.addEventListener("keydown", escapeOutside, { capture: true, signal });
    page.addEventListener("pointerdown", outside, { capture: true, signal });
    page.addEventListener("scroll", place, { capture: true, passive: true, signal });
    page.defaultView?.addEventListener("resize", place, { signal });
    return () => ended.abort();
  }, []);

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: every role that it may have takes a name
    <div
      ref={panel}
      class="al-popover"
      popover="manual"
      role={role}
      aria-label={label}
      tabIndex={-1}
    >
      {children}
    </div>
  );
}

/** Closes a panel after its action: the focus returns to the element that opened it. */
export function closeDone({ anchor, onClose }: Pick<PopoverProps, "anchor" | "onClose">): void {
  anchor.current?.focus({ preventScroll: true });
  onClose();
}

/** Whether a panel is open; a `Signal<boolean>` is one. */
export interface Openness {
  value: boolean;
  peek(): boolean;
}

/**
 * A panel that a button toggles: `opener` are the properties of the button, `panel` those of the
 * panel. If a key opens it as well, pass `open`; `pressed` is then whether the button opened it.
 */
export function usePopover(kind: "dialog" | "menu" = "dialog", shared?: Openness) {
  const own = useSignal(false);
  const open = shared ?? own;
  const anchor = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  if (!open.value) pressed.current = false;
  return {
    isOpen: open.value,
    pressed,
    opener: {
      ref: anchor,
      "aria-haspopup": kind,
      "aria-expanded": open.value,
      onClick: () => {
        open.value = pressed.current = !open.peek();
      },
    },
    panel: {
      anchor,
      onClose: () => {
        open.value = false;
      },
    },
  } as const;
}

/**
 * Focuses this element once it exists, even if it is rendered later than the panel: before the next
 * key event, not after the next paint, and unless the focus has moved elsewhere.
 */
export function useBeginHere(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element;
    current?.toggleAttribute("data-begin", true);
    const panel = current?.closest(".al-popover");
    const page = current?.getRootNode() as Document | ShadowRoot | undefined;
    if (panel?.contains(page?.activeElement ?? null)) current?.focus({ preventScroll: true });
  }, [element]);
}

/** Below the anchor if there is space, else above, else over it; always within the window. */
export function position(panel: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const view = panel.ownerDocument.documentElement;
  const [below, above] = [at.bottom + 4, at.top - 4 - height];
  const lowest = view.clientHeight - height - 4;
  const top = below <= lowest ? Math.max(4, below) : above >= 4 ? above : Math.max(4, lowest);
  const left = Math.max(4, Math.min(at.left, view.clientWidth - width - 4));
  panel.style.top = `${Math.round(top)}px`;
  panel.style.left = `${Math.round(left)}px`;
}
