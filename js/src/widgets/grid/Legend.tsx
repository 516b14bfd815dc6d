/** What colours, signs and marks mean, and what the table was counted over. */

import { formatIndex } from "./format";
import { legendEnds, OVER, UNDER } from "./heat";
import { LOW_BASE, VERY_LOW_BASE } from "./metrics";
import { strings } from "./strings";
import type { Table } from "./table";

export function Legend({ table }: { table: Table }) {
  const heat = table.progress.value?.heat;
  const ends = heat && legendEnds(heat);
  return (
    <div class="al-grid-legend al-quiet">
      {ends && (
        <span
          class="al-grid-scale"
          role="img"
          aria-label={strings.legend(formatIndex(ends.low), formatIndex(ends.high))}
        >
          {strings.index} {Math.round(ends.low)}
          <span class="al-grid-ramp" />
          {Math.round(ends.high)}
        </span>
      )}
      <span>
        <span class="al-grid-sign is-over" />
        {strings.over(OVER)}
      </span>
      <span>
        <span class="al-grid-sign is-under" />
        {strings.under(UNDER)}
      </span>
      <span>
        * {strings.lowBase(LOW_BASE)}, ** {strings.veryLowBase(VERY_LOW_BASE)}
      </span>
      <span class="al-spacer" />
      <span>{table.state.value?.scope}</span>
    </div>
  );
}
