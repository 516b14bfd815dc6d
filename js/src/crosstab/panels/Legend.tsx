/** The legend of colours, arrows, bars, low-base marks and letters. */

import { written } from "../../core/numbers";
import type { HeatKey, MetricName } from "../../protocol";
import { formatCount, formatSigned } from "../metrics/format";
import type { Heat } from "../metrics/heat";
import type { LowBase } from "../metrics/metrics";
import { strings } from "../strings";
import type { Table } from "../table/table";

export function Legend({ table }: { table: Table }) {
  const { heat, bar, lowBase, hideUnder, significance, level } = table.settings.style.value;
  const counted = table.session.progress.value?.heat != null;
  return (
    <div class="al-grid-legend al-quiet">
      {heat && counted && <Scale heat={heat} />}
      {heat && significance === "none" && <Signs heat={heat} />}
      {significance === "arrows" && <Arrows table={table} level={level} />}
      {significance === "previous wave" && <WaveArrows table={table} level={level} />}
      {bar && (
        <span>
          <span class="al-grid-bar-sign" />
          {strings.bar(table.view.metricLabel(bar.key))}
        </span>
      )}
      {lowBase.low > 0 && <span>{lowBaseWords(lowBase, heat !== null)}</span>}
      {hideUnder > 0 && <span>· {strings.blanked(hideUnder)}</span>}
      <LettersKey table={table} />
    </div>
  );
}

/** What the figures rest on, in a few letters; each says in full what it means. */
export function ShortLegend({ table }: { table: Table }) {
  const { style } = table.settings;
  const { heat, lowBase, hideUnder, significance } = style.value;
  const counted = table.session.progress.value?.heat;
  const scope = table.session.state.value?.scope ?? "";
  const { short = "", problem, letters_legend, no_letters } = table.marks.key.value ?? {};
  const percent = `${Math.round(100 * style.value.level)}%`;
  const test = (short.split(/[(,]/)[0] ?? "").trim();
  const share = table.view.metricLabel("column_percentage");
  const level = (seen: readonly MetricName[]) =>
    isShown(table, seen) ? percent : strings.levelOf(percent, share);
  const weight = /(?:^| · )(weight: .*|weight not known|(?:un)?weighted)$/.exec(scope)?.[1];
  return (
    <span class="al-grid-short al-quiet">
      {heat && counted != null && <Scale heat={heat} isShort />}
      {significance === "arrows" && (
        <span title={strings.arrows(style.value.level, problem || short)}>
          <Arrow />{" "}
          {problem ? strings.untested : [level(OF_COLUMN_SHARES), test].filter(Boolean).join(" ")}
        </span>
      )}
      {significance === "previous wave" && (
        <span title={strings.waveArrows(style.value.level)}>
          <Arrow /> {level(COLUMN_SHARES)} {strings.waveBefore}
        </span>
      )}
      {table.settings.lettersLevel.value !== null && (
        <span title={no_letters || letters_legend}>
          <b>A</b> {no_letters ? strings.untested : level(COLUMN_SHARES)}
        </span>
      )}
      {lowBase.low > 0 && (
        <span title={lowBaseWords(lowBase, heat !== null)}>
          * {strings.under(lowBase.low)}
          {lowBase.veryLow > 0 && ` ** ${lowBase.veryLow}`}
        </span>
      )}
      {hideUnder > 0 && (
        <span title={strings.blanked(hideUnder)}>· {strings.under(hideUnder)}</span>
      )}
      {weight && <span title={scope}>{weight}</span>}
    </span>
  );
}

function Arrow() {
  return (
    <>
      <span class="al-grid-sign is-higher" />
      <span class="al-grid-sign is-lower" />
    </>
  );
}

function lowBaseWords({ low, veryLow }: LowBase, isColoured: boolean): string {
  const strong = veryLow > 0 ? `, ** ${strings.veryLowBase(veryLow)}` : "";
  return `* ${strings.lowBase(low)}${strong}${isColoured ? `; ${strings.notColoured}` : ""}`;
}

/** The ends of the colour scale in units of the measure; a few cells lie beyond them. */
function Scale({ heat, isShort = false }: { heat: Heat; isShort?: boolean }) {
  const words = strings.legends[measureOf(heat)];
  const [low, high] = [valueWords(heat, heat.low), valueWords(heat, heat.high)];
  const title = words.scale(low, high);
  return (
    <span class="al-grid-scale" role="img" aria-label={title} title={title}>
      {isShort ? low : `${words.unit} ≤ ${low}`}
      <span class={`al-grid-ramp ${heat.metric.key === "z" ? "is-stepped" : ""}`} />
      {isShort ? high : `≥ ${high}`}
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

/** The description of a test is long: it is the tooltip of the legend. */
function Arrows({ table, level }: { table: Table; level: number }) {
  const { method, short, problem } = table.marks.key.value ?? {};
  return (
    <span title={method}>
      <Arrow />
      {strings.arrows(level, problem || short)}
      <Compared table={table} marks="arrows" seen={OF_COLUMN_SHARES} />
    </span>
  );
}

function WaveArrows({ table, level }: { table: Table; level: number }) {
  const key = table.marks.key.value;
  if (key !== null && !key.previous_method) return <span>{key.problem || strings.noWaves}</span>;
  return (
    <span title={key?.previous_method}>
      <Arrow />
      {strings.waveArrows(level)}
      <Compared table={table} marks="arrows" seen={COLUMN_SHARES} />
    </span>
  );
}

function LettersKey({ table }: { table: Table }) {
  if (table.settings.lettersLevel.value === null) return null;
  const {
    letters_legend: legend,
    letters_method,
    no_letters: problem,
  } = table.marks.key.value ?? {};
  if (problem) return <span>{strings.noLetters(problem)}</span>;
  if (!legend) return <span>{strings.lettersLater}</span>;
  return (
    <span class="al-grid-method" title={letters_method}>
      {legend}
      <Compared table={table} marks="letters" seen={COLUMN_SHARES} />
    </span>
  );
}

const COLUMN_SHARES: readonly MetricName[] = ["column_percentage"];
/** Figures that are above or below a column's average as its shares are. */
const OF_COLUMN_SHARES: readonly MetricName[] = [...COLUMN_SHARES, "index", "difference", "z"];

/** Which figures the marks compare, where the cells show none of them. */
function Compared(props: {
  table: Table;
  marks: "letters" | "arrows";
  seen: readonly MetricName[];
}) {
  const { table, marks, seen } = props;
  if (isShown(table, seen)) return null;
  return <> · {strings.compared(marks, table.view.metricLabel("column_percentage"))}</>;
}

function isShown({ settings }: Table, seen: readonly MetricName[]): boolean {
  return settings.keys.value.some((key) => seen.includes(key));
}

function measureOf({ metric }: Heat): Exclude<HeatKey, "none"> {
  return metric.key as Exclude<HeatKey, "none">;
}

/** An end of the scale, or the bound of a sign. */
function valueWords({ metric }: Heat, value: number): string {
  if (metric.key === "z") return `${formatCount(value)}%`;
  if (metric.key === "index") return written(value, 0);
  return formatSigned(value, 0);
}
