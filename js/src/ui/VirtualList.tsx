/**
 * A vertical list of rows of equal height, of which only the visible ones have elements. The
 * elements are pooled; the focus remains on the container (aria-activedescendant) or where the
 * caller puts it.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, CSSProperties, HTMLAttributes, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { observeSize } from "../core/lifetime";
import { SlotPool, scrollToShow, visibleSpan } from "../core/windower";
import { RULER, rowHeightIn, useRowHeight } from "./lines";

export interface VirtualListProps {
  count: number;
  /** The index that is scrolled into view when it changes; -1 for none. */
  active: number;
  /** The index shown at the start; by default the first. */
  start?: number;
  /** Renders one row; `style` positions it and must be set on the row's element. */
  row(index: number, style: CSSProperties): ComponentChildren;
  containerProps?: HTMLAttributes<HTMLDivElement>;
  containerRef?: RefObject<HTMLDivElement | null>;
}

export function VirtualList(props: VirtualListProps) {
  const { count, active } = props;
  const own = useRef<HTMLDivElement>(null);
  const box = props.containerRef ?? own;
  const height = useRowHeight(box);
  const before = useRef(0);
  const rowHeight = height.value;
  const scroll = useSignal(0);
  const viewport = useSignal(320);
  const pool = useMemo(() => new SlotPool(), []);

  useEffect(() => {
    if (!box.current) return;
    const ended = new AbortController();
    observeSize(box.current, ended.signal, (_, height) => {
      viewport.value = height;
    });
    return () => ended.abort();
  }, []);

  useLayoutEffect(() => {
    const { start = 0 } = props;
    if (!box.current || start < 1) return;
    // With one row above it, so that it does not look like the first row.
    box.current.scrollTop = (start - 1) * rowHeightIn(box.current);
    scroll.value = box.current.scrollTop;
  }, []);

  // The same rows stay in view in another font.
  useLayoutEffect(() => {
    if (box.current && before.current > 0) box.current.scrollTop *= rowHeight / before.current;
    before.current = rowHeight;
  }, [rowHeight]);

  useLayoutEffect(() => {
    if (!box.current || active < 0) return;
    const axis = { scroll: box.current.scrollTop, viewport: viewport.peek(), size: rowHeight };
    const next = scrollToShow(active, axis);
    if (next !== axis.scroll) {
      box.current.scrollTop = next;
      scroll.value = next;
    }
  }, [active]);

  const span = visibleSpan({
    scroll: scroll.value,
    viewport: viewport.value,
    size: rowHeight,
    count,
  });
  return (
    <div
      {...props.containerProps}
      ref={box}
      onScroll={(event) => {
        scroll.value = event.currentTarget.scrollTop;
      }}
    >
      <span class={RULER} aria-hidden="true" />
      <div class="al-list-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {pool.assign(span).map(({ index, slot }) => (
          <Slot key={slot}>
            {props.row(index, { transform: `translateY(${index * rowHeight}px)` })}
          </Slot>
        ))}
      </div>
    </div>
  );
}

/** A pooled element: its key is the slot, so that the element is reused for another row. */
function Slot({ children }: { children: ComponentChildren }) {
  return <>{children}</>;
}
