/** Renders a saved table into its element; loaded with the first saved table on a page. */

import type { GridWidget } from "../../protocol";
import { mount } from "../../ui/host";
import { readSaved, type SavedCrosstab, Unreadable } from "./format";
import { savedModel } from "./model";
import { SavedGrid } from "./SavedGrid";
import { strings } from "./strings";

/** Renders until the signal aborts; shows an error for data that is not a saved table. */
export function drawSaved(el: HTMLElement, value: unknown, signal: AbortSignal): void {
  const saved = readable(value, el);
  if (!saved) return;
  mount<GridWidget>(({ host }) => <SavedGrid host={host} saved={saved} />, {
    model: savedModel(saved),
    el,
    label: strings.label,
    signal,
  });
}

function readable(value: unknown, el: HTMLElement): SavedCrosstab | null {
  try {
    return readSaved(value);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    el.textContent = strings.unreadable(error.message);
    return null;
  }
}
