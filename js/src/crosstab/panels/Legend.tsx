/** The legend of colours, arrows, bars, low-base marks and letters. */

import { formatCount, formatDifference, formatZ } from "../metrics/format";
import type { Heat, HeatKey } from "../metrics/heat";
import { strings } from "../strings";
import type { Table } from "../table";

export function Legend({ table }: { table: Table }) {
  const { heat, bar, lowBase, blankUnder, significance, level } = table.settings.style.value;
  const counted = table.session.progress.value?.heat != null;
  return (
    <div class="al-grid-legend al-quiet">
      {heat && counted && <Scale heat={heat} />}
      {heat && significance === "none" && <Signs heat={heat} />}
      {significance === "arrows" && (
        <span>
          <span class="al-grid-sign is-higher" />
          <span class="al-grid-sign is-lower" />
          {strings.arrows(level)}
        </span>
      )}
      {bar && (
        <span>
          <span class="al-grid-bar-sign" />
          {strings.bar(table.view.metricLabel(bar.key))}
        </span>
      )}
      {lowBase.low > 0 && (
        <span>
          * {strings.lowBase(lowBase.low)}
          {lowBase.veryLow > 0 && `, ** ${strings.veryLowBase(lowBase.veryLow)}`}
          {heat && `; ${strings.notColoured}`}
        </span>
      )}
      {blankUnder > 0 && <span>· {strings.blanked(blankUnder)}</span>}
      <LettersKey table={table} />
    </div>
  );
}

/** The ends of the colour scale in units of the measure; a few cells lie beyond them. */
function Scale({ heat }: { heat: Heat }) {
  const words = strings.legends[measureOf(heat)];
  const [low, high] = [valueWords(heat, heat.low), valueWords(heat, heat.high)];
  return (
    <span class="al-grid-scale" role="img" aria-label={words.scale(low, high)}>
      {words.unit} ≤ {low}
      <span class={`al-grid-ramp ${heat.metric.key === "z" ? "is-stepped" : ""}`} />≥ {high}
    </span>
  );
}

function Signs({ heat }: { heat: Heat }) {
  const words = strings.legends[measureOf(heat)];
  return (
    <>
      <span>
        <span class="al-grid-sign is-over" />
        {words.over(valueWords(heat, heat.over))}
      </span>
      <span>
        <span class="al-grid-sign is-under" />
        {words.under(valueWords(heat, heat.under))}
      </span>
    </>
  );
}

/** The description of the test is long: it is the tooltip of the legend. */
function LettersKey({ table }: { table: Table }) {
  const { keys, significance } = table.settings;
  if (significance.value !== "letters" && !keys.value.includes("letters")) return null;
  const key = table.letters.key.value;
  if (key === null) return <span>{strings.lettersLater}</span>;
  if (key.problem !== null) return <span>{strings.noLetters(key.problem)}</span>;
  return (
    <span class="al-grid-method" title={key.method}>
      {key.legend}
    </span>
  );
}

function measureOf({ metric }: Heat): Exclude<HeatKey, "none"> {
  return metric.key as Exclude<HeatKey, "none">;
}

/** An end of the scale, or the bound of a sign. */
function valueWords({ metric }: Heat, value: number): string {
  if (metric.key === "z") return formatZ(value);
  if (metric.key === "index") return formatCount(Math.round(value));
  return formatDifference(value, { decimals: 0, units: "short" });
}
