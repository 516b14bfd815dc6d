/** Anchors an overlay, and closes it. */
import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { useHost } from "../ui/host";
import { useEditor } from "./context";
import { locate, type NodeId } from "./document";
import type { Overlay } from "./state";

export interface OverlayPlace {
  anchor: RefObject<HTMLElement>;
  /** The element that had the focus: the row, if a key opened it. */
  from: RefObject<HTMLElement>;
  /** Closes it without moving the focus. */
  close(): void;
  /** Closes it and focuses the row. */
  finish(): void;
}

/**
 * Beside the control that opens it, or the row if a key opened it; `null` once the node is gone.
 */
export function useOverlay(kind: Overlay["kind"], id: NodeId): OverlayPlace | null {
  const { root } = useHost();
  const { state } = useEditor();
  const close = () => {
    state.overlay.value = null;
  };
  const place = useMemo((): OverlayPlace | null => {
    const find = (attribute: string, value: string) =>
      [...root.querySelectorAll<HTMLElement>(`[${attribute}]`)].find(
        (element) => element.getAttribute(attribute) === value,
      );
    const row = find("data-node", id);
    const current = find("data-opens", `${kind} ${id}`) ?? row;
    const byKey = row?.matches(":focus") === true;
    const finish = () => {
      state.overlay.value = null;
      state.focus(id);
    };
    if (!current) return null;
    return { anchor: { current }, from: { current: byKey ? row : current }, close, finish };
  }, [kind, id]);
  const gone = place === null || locate(state.document.value, id) === null;
  useEffect(() => {
    if (gone) close();
  }, [gone]);
  return gone ? null : place;
}
