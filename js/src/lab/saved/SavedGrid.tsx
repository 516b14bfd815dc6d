/**
 * A saved crosstab: the table, metric switch, menus and legend of the live one, without the parts
 * that need a kernel (query, files, charts, other tests).
 */
import { CopyTable } from "../../crosstab/export/SendBar";
import { GridBody, useGrid } from "../../crosstab/GridBody";
import { METRICS } from "../../crosstab/metrics/metrics";
import { words } from "../../crosstab/panels/strings";
import { Toolbar } from "../../crosstab/panels/Toolbar";
import type { GridWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import type { SavedCrosstab } from "./format";
import { canShow } from "./model";
import { strings } from "./strings";

const KEYS = words.keys.map(([keys, what]) =>
  keys === "Enter" ? ([keys, strings.enter] as const) : ([keys, what] as const),
);

interface Props {
  host: WidgetHost<GridWidget>;
  saved: SavedCrosstab;
}

export function SavedGrid({ host, saved }: Props) {
  const grid = useGrid(host);
  const { rows, columns } = saved;
  // Tests come from the kernel: those that were saved can be shown.
  const offered = METRICS.map(({ key }) => key).filter((key) => canShow(saved, key));
  const kept = [rows.names.length, columns.names.length] as const;
  return (
    <div class="al-grid">
      <Toolbar grid={grid} Copy={CopyTable} offered={offered} keys={KEYS} asksKernel={false} />
      <GridBody grid={grid} details={null} />
      {(kept[0] < rows.count || kept[1] < columns.count) && (
        <div class="al-quiet al-saved-part">
          {strings.part([kept[0], rows.count], [kept[1], columns.count])}
        </div>
      )}
    </div>
  );
}
