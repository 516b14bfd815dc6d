/** What the cells show, in one menu: figures and their order, colours, bars, numbers, low bases. */
import "./show.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, IconButton } from "../../shared/icons";
import { Popover, usePopover } from "../../shared/Popover";
import { MOST_DECIMALS, UNITS, type Units } from "./format";
import { HEATS, type HeatKey } from "./heat";
import { METRICS, type MetricKey, MOST_METRICS, metricLabel, metricMeaning } from "./metrics";
import { type Showing, withLow, withMoved, withToggled, withVeryLow } from "./showing";
import { strings } from "./strings";
import type { Table } from "./table";

const ALL: readonly MetricKey[] = METRICS.map(({ key }) => key);

/** `offered`: the figures that this table can show. */
export function Show({ table, offered = ALL }: { table: Table; offered?: readonly MetricKey[] }) {
  const { isOpen, opener, panel } = usePopover();
  return (
    <>
      <button type="button" class="al-button al-grid-menu" title={strings.showHint} {...opener}>
        {strings.show}
        <Icon name="down" />
      </button>
      {isOpen && (
        <Popover label={strings.showHint} {...panel}>
          <div class="al-grid-show">
            <FigureList table={table} offered={offered} />
            <Looks showing={table.showing} />
          </div>
        </Popover>
      )}
    </>
  );
}

/** The chosen figures in their order, then the others. */
function FigureList({ table, offered }: { table: Table; offered: readonly MetricKey[] }) {
  const { keys } = table.showing;
  const transposed = table.transposed.value;
  const list = useRef<HTMLFieldSetElement>(null);
  const chosen = keys.value;
  const others = offered.filter((key) => !chosen.includes(key));
  const wanted = useRef("");
  useLayoutEffect(() => {
    // A line that changes its place is taken out of the page, and its focus with it.
    if (wanted.current) list.current?.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = "";
  }, [chosen]);

  const toggle = (key: MetricKey) => {
    wanted.current = `[data-key="${key}"] input`;
    keys.set(withToggled(chosen, key));
  };
  const move = (key: MetricKey, by: -1 | 1) => {
    const moved = withMoved(chosen, key, by);
    if (moved.join() === chosen.join()) return;
    const focused = list.current?.querySelector(`[data-key="${key}"] :focus`);
    wanted.current = `[data-key="${key}"] ${focused?.tagName === "INPUT" ? "input" : `[data-by="${by}"]`}`;
    keys.set(moved);
    table.announce(strings.figureMoved(metricLabel(key, transposed), moved.indexOf(key) + 1));
  };
  const press = (event: KeyboardEvent, key: MetricKey) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    if (!event.altKey || by === undefined || !chosen.includes(key)) return;
    event.preventDefault();
    move(key, by);
  };
  return (
    <fieldset ref={list} class="al-grid-figures">
      <legend class="al-quiet">{strings.figures}</legend>
      {[...chosen, ...others].map((key) => {
        const place = chosen.indexOf(key);
        const only = place >= 0 && chosen.length === 1;
        const full = place < 0 && chosen.length === MOST_METRICS;
        const hint = only ? strings.lastFigure : full ? strings.enoughFigures : "";
        const label = metricLabel(key, transposed);
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: hears keys of the controls inside
          <div
            key={key}
            data-key={key}
            class="al-grid-figure"
            onKeyDown={(event) => press(event, key)}
          >
            <label title={hint || metricMeaning(key, transposed)}>
              <input
                type="checkbox"
                checked={place >= 0}
                disabled={only || full}
                onChange={() => toggle(key)}
              />
              {label}
              <span class="al-quiet al-number">{place >= 0 && place + 1}</span>
            </label>
            {place >= 0 && !only && (
              <>
                <IconButton
                  icon="up"
                  label={strings.up(label)}
                  data-by="-1"
                  aria-disabled={place === 0}
                  onClick={() => move(key, -1)}
                />
                <IconButton
                  icon="down"
                  label={strings.down(label)}
                  data-by="1"
                  aria-disabled={place === chosen.length - 1}
                  onClick={() => move(key, 1)}
                />
              </>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function Looks({ showing }: { showing: Showing }) {
  const { low, veryLow } = showing.lowBase.value;
  return (
    <div class="al-grid-looks">
      <Choice
        label={strings.colour}
        value={showing.heat.value}
        choices={HEATS.map((key) => [key, strings.heats[key]])}
        onChoose={(key) => showing.heat.set(key as HeatKey)}
      />
      <Choice
        label={strings.decimals}
        value={String(showing.decimals.value ?? "")}
        choices={DECIMALS.map((decimals) => [decimals, decimals || strings.usualDecimals])}
        onChoose={(decimals) => showing.decimals.set(decimals === "" ? null : Number(decimals))}
      />
      <Choice
        label={strings.people}
        value={showing.units.value}
        choices={UNITS.map((units) => [units, strings.units[units]])}
        onChoose={(units) => showing.units.set(units as Units)}
      />
      <Respondents
        label={strings.markUnder}
        value={low}
        onSet={(fewest) => showing.lowBase.set(withLow(showing.lowBase.peek(), fewest))}
      />
      <Respondents
        label={strings.strongMarkUnder}
        value={veryLow}
        onSet={(fewest) => showing.lowBase.set(withVeryLow(showing.lowBase.peek(), fewest))}
      />
      <Respondents
        label={strings.hideUnder}
        value={showing.blankUnder.value}
        onSet={(fewest) => showing.blankUnder.set(fewest)}
      />
      <label class="al-grid-look">
        <span>{strings.bars}</span>
        <input
          type="checkbox"
          checked={showing.bars.value}
          onChange={(event) => showing.bars.set(event.currentTarget.checked)}
        />
      </label>
      <button type="button" class="al-link" onClick={() => showing.reset()}>
        {strings.reset}
      </button>
    </div>
  );
}

const DECIMALS = ["", ...Array.from({ length: MOST_DECIMALS + 1 }, (_, n) => String(n))];

interface ChoiceProps {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, words: string])[];
  onChoose(value: string): void;
}

function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  return (
    <Look label={label}>
      <select
        class="al-input"
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {choices.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </Look>
  );
}

interface RespondentsProps {
  label: string;
  value: number;
  onSet(fewest: number): void;
}

/** A number of respondents; while nothing that is one has been typed, what stood holds. */
function Respondents({ label, value, onSet }: RespondentsProps) {
  return (
    <Look label={label}>
      <input
        class="al-input al-number"
        title={strings.respondents}
        type="number"
        min="0"
        step="1"
        value={value}
        onInput={({ currentTarget: { value: typed } }) => {
          if (/^\d{1,9}$/.test(typed)) onSet(Number(typed));
        }}
      />
    </Look>
  );
}

function Look({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label class="al-grid-look">
      <span>{label}</span>
      {children}
    </label>
  );
}
