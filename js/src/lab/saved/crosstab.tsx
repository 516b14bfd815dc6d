/** Renders a saved table into its element; loaded with the first saved table on a page. */

import type { GridWidget } from "../../protocol";
import { mount } from "../../ui/host";
import { readSaved, type SavedCrosstab, Unreadable } from "./format";
import { savedModel } from "./model";
import { SavedGrid } from "./SavedGrid";
import { strings } from "./strings";

/**
 * Renders until the signal aborts; shows an error for data that is not a saved table. The output's
 * metadata have the day and the version of its source line, which differ from run to run.
 */
export function drawSaved(
  el: HTMLElement,
  value: unknown,
  signal: AbortSignal,
  metadata: Readonly<Record<string, unknown>> = {},
): void {
  const read = readable(value, el);
  const saved = read && { ...read, source: lineOf(metadata.audiencelab) || read.source };
  if (!saved) return;
  mount<GridWidget>(({ host }) => <SavedGrid host={host} saved={saved} />, {
    model: savedModel(saved),
    el,
    label: strings.label,
    signal,
  });
}

/** The source line of a record (`results/record.py`); "" without one. */
function lineOf(record: unknown): string {
  const line = record && typeof record === "object" && "line" in record ? record.line : "";
  return typeof line === "string" ? line : "";
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
