/**
 * The height of a line of text and of a row, which theme.css computes from the host's font. They
 * are measured on an element of one line, again when the font, the theme or the visibility changes.
 */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { observeSize } from "../core/lifetime";

/** In a font of 13 pixels, and where nothing is laid out. */
export const LINE = 16;
export const ROW = 24;

/** The class of an element that is as wide as its text, and as high as a row. */
export const RULER = "al-ruler";

/** The height of rows in a list that has a ruler. */
export function rowHeightIn(list: Element | null): number {
  return list?.querySelector<HTMLElement>(`.${RULER}`)?.offsetHeight || ROW;
}

/** The same, while it changes. */
export function useRowHeight(list: RefObject<HTMLElement | null>): ReadonlySignal<number> {
  const height = useSignal(ROW);
  useLayoutEffect(() => {
    const ruler = list.current?.querySelector(`.${RULER}`);
    if (!ruler) return;
    const ended = new AbortController();
    const measure = () => {
      height.value = rowHeightIn(list.current);
    };
    measure();
    observeSize(ruler, ended.signal, measure);
    return () => ended.abort();
  }, []);
  return height;
}
