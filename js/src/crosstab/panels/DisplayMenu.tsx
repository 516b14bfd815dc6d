/** The display menu: metrics and their order, heat map, bars, number format, low bases. */
import {
  DENSITIES,
  HEATS,
  MOST_DECIMALS,
  MOST_METRICS,
  SIGNIFICANCE,
  UNITS,
} from "../../protocol/constants";
import "./display.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Checkbox, NumberField, type Options, Select } from "../../ui/Field";
import { Icon, IconButton } from "../../ui/icons";
import { Popover, usePopover } from "../../ui/Popover";
import { METRICS, type MetricKey, metricLabel } from "../metrics/metrics";
import { strings } from "../strings";
import {
  type DisplaySettings,
  withLow,
  withMoved,
  withToggled,
  withVeryLow,
} from "../table/displaySettings";
import type { Table } from "../table/table";

const ALL: readonly MetricKey[] = METRICS.map(({ key }) => key);

/** `offered`: the metrics that this table can show. */
export function DisplayMenu({
  table,
  offered = ALL,
}: {
  table: Table;
  offered?: readonly MetricKey[];
}) {
  const { isOpen, opener, panel } = usePopover();
  return (
    <>
      <button type="button" class="al-button al-grid-menu" title={strings.displayHint} {...opener}>
        {strings.display}
        <Icon name="down" />
      </button>
      {isOpen && (
        <Popover label={strings.displayHint} {...panel}>
          <div class="al-grid-display">
            <MetricList table={table} offered={offered} />
            <Settings settings={table.settings} offersLetters={offered.includes("letters")} />
          </div>
        </Popover>
      )}
    </>
  );
}

/** The selected metrics in their order, then the others. */
function MetricList({ table, offered }: { table: Table; offered: readonly MetricKey[] }) {
  const { keys } = table.settings;
  const { view } = table;
  const list = useRef<HTMLFieldSetElement>(null);
  const chosen = keys.value;
  // Letters beside values have their own setting; as a metric they are set from Python.
  const others = offered.filter((key) => key !== "letters" && !chosen.includes(key));
  const refocused = useRef("");
  useLayoutEffect(() => {
    // Moving a metric in the list moves its element, which loses the focus.
    if (refocused.current) list.current?.querySelector<HTMLElement>(refocused.current)?.focus();
    refocused.current = "";
  }, [chosen]);

  const toggle = (key: MetricKey) => {
    refocused.current = `[data-key="${key}"] input`;
    keys.set(withToggled(chosen, key));
  };
  const move = (key: MetricKey, by: -1 | 1, control = `[data-by="${by}"]`) => {
    const moved = withMoved(chosen, key, by);
    if (moved.join() === chosen.join()) return;
    refocused.current = `[data-key="${key}"] ${control}`;
    keys.set(moved);
    table.announce(strings.metricMoved(view.metricLabel(key), moved.indexOf(key) + 1));
  };
  const press = (event: KeyboardEvent, key: MetricKey) => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
    if (!event.altKey || by === null || !chosen.includes(key)) return;
    event.preventDefault();
    const isBox = (event.target as Element).matches("input");
    move(key, by, isBox ? "input" : undefined);
  };
  return (
    <fieldset ref={list} class="al-grid-metrics">
      <legend class="al-quiet">{strings.displayed}</legend>
      {[...chosen, ...others].map((key) => {
        const position = chosen.indexOf(key);
        const isOnly = position >= 0 && chosen.length === 1;
        const isFull = position < 0 && chosen.length === MOST_METRICS;
        const hint = isOnly ? strings.lastMetric : isFull ? strings.enoughMetrics : "";
        const label = view.metricLabel(key);
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the controls inside
          <div
            key={key}
            data-key={key}
            class="al-grid-metric"
            onKeyDown={(event) => press(event, key)}
          >
            <label title={hint || view.metricMeaning(key)}>
              <input
                type="checkbox"
                checked={position >= 0}
                disabled={isOnly || isFull}
                onChange={() => toggle(key)}
              />
              {label}
              <span class="al-quiet al-number">{position >= 0 && position + 1}</span>
            </label>
            {position >= 0 &&
              !isOnly &&
              ([-1, 1] as const).map((by) => (
                <IconButton
                  key={by}
                  icon={by < 0 ? "up" : "down"}
                  label={by < 0 ? strings.up(label) : strings.down(label)}
                  data-by={by}
                  aria-disabled={position === (by < 0 ? 0 : chosen.length - 1)}
                  onClick={() => move(key, by)}
                />
              ))}
          </div>
        );
      })}
    </fieldset>
  );
}

const DECIMALS: Options<number | null> = [
  [null, strings.autoDecimals],
  ...Array.from({ length: MOST_DECIMALS + 1 }, (_, n) => [n, String(n)] as const),
];

function Settings({
  settings,
  offersLetters,
}: {
  settings: DisplaySettings;
  offersLetters: boolean;
}) {
  const { heat, significance, level, levels, bars, decimals, units, lowBase, hideUnder } = settings;
  const { density, margins } = settings;
  const { low, veryLow } = lowBase.value;
  return (
    <div class="al-grid-settings">
      <Select
        label={strings.heat}
        value={heat.value}
        options={HEATS.map((key) => [
          key,
          key === "none" ? strings.noHeat : metricLabel(key, false),
        ])}
        onChange={heat.set}
      />
      <Select
        label={strings.significance}
        title={strings.significanceHint}
        value={significance.value}
        options={SIGNIFICANCE.filter((tests) => tests !== "letters" || offersLetters).map(
          (tests) => [tests, strings.tests[tests]],
        )}
        onChange={significance.set}
      />
      {significance.value !== "none" && (
        <Select
          label={strings.level}
          value={level.value}
          options={(levels.value ?? []).map((each) => [each, `${Math.round(each * 100)}%`])}
          onChange={level.set}
        />
      )}
      <Checkbox label={strings.bars} checked={bars.value} onChange={bars.set} />
      <Select
        label={strings.decimals}
        value={decimals.value}
        options={DECIMALS}
        onChange={decimals.set}
      />
      <Select
        label={strings.units}
        value={units.value}
        options={UNITS.map((key) => [key, strings.unitsOf[key]])}
        onChange={units.set}
      />
      <NumberField
        label={strings.flagUnder}
        title={strings.respondents}
        value={low}
        onChange={(n) => lowBase.set(withLow(lowBase.peek(), n))}
      />
      <NumberField
        label={strings.strongFlagUnder}
        title={strings.respondents}
        value={veryLow}
        onChange={(n) => lowBase.set(withVeryLow(lowBase.peek(), n))}
      />
      <NumberField
        label={strings.suppressUnder}
        title={strings.respondents}
        value={hideUnder.value}
        onChange={hideUnder.set}
      />
      <Select
        label={strings.density}
        value={density.value}
        options={DENSITIES.map((each) => [each, strings.densities[each]])}
        onChange={density.set}
      />
      <Checkbox
        label={strings.size}
        checked={margins.value.size}
        onChange={(size) => margins.set({ ...margins.peek(), size })}
      />
      <Checkbox
        label={strings.sample}
        checked={margins.value.sample}
        onChange={(sample) => margins.set({ ...margins.peek(), sample })}
      />
      <button type="button" class="al-link" onClick={() => settings.reset()}>
        {strings.reset}
      </button>
    </div>
  );
}
