/** Focus that is not lost with a control that takes itself away, such as "Remove". */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** After each drawing: the keyboard stays inside the box, if it was there. */
export function useKeptFocus(box: RefObject<HTMLElement | null>): void {
  const inside = useRef(false);
  useLayoutEffect(() => {
    const element = box.current;
    const enter = () => {
      inside.current = true;
    };
    // Without somewhere to go it did not leave: what it stood on is gone.
    const leave = ({ relatedTarget: to }: FocusEvent) => {
      if (to instanceof Node && !element?.contains(to)) inside.current = false;
    };
    element?.addEventListener("focusin", enter);
    element?.addEventListener("focusout", leave);
    return () => {
      element?.removeEventListener("focusin", enter);
      element?.removeEventListener("focusout", leave);
    };
  }, [box]);
  useLayoutEffect(() => {
    const element = box.current;
    const { activeElement } = (element?.getRootNode() ?? document) as Document | ShadowRoot;
    if (!inside.current || element?.contains(activeElement)) return;
    const next = element?.querySelector<HTMLElement>("button, input") ?? element;
    next?.focus({ preventScroll: true });
  });
}
