/** Renders a saved table into its element; loaded with the first saved table on a page. */

import grid from "../../crosstab/grid.css";
import show from "../../crosstab/panels/display.css";
import lines from "../../crosstab/panels/panels.css";
import cells from "../../crosstab/view/cells.css";
import headers from "../../crosstab/view/headers.css";
import table from "../../crosstab/view/table.css";
import type { GridWidget } from "../../protocol";
import { mount } from "../../ui/host";
import theme from "../../ui/theme.css";
import { addStyle } from "../styles";
import { readSaved, type SavedCrosstab, Unreadable } from "./format";
import { savedModel } from "./model";
import { SavedGrid } from "./SavedGrid";
import { strings } from "./strings";

const SHEETS = [theme, grid, table, headers, cells, show, lines];

/** Renders until the signal aborts; shows an error for data that is not a saved table. */
export function drawSaved(el: HTMLElement, value: unknown, signal: AbortSignal): void {
  const saved = readable(value, el);
  if (!saved) return;
  addStyle(el.ownerDocument, "audiencelab-saved-style", SHEETS);
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
