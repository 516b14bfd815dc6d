/** The filters of rows and columns, and the form that adds one. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { BareSelect, type Options } from "../../ui/Field";
import { IconButton } from "../../ui/icons";
import { wholeName } from "../arrangement/banner";
import { across, type Filter, type Side } from "../arrangement/plan";
import type { Orientation } from "../arrangement/tableView";
import { METRICS, type MetricKey } from "../metrics/metrics";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";
import { words } from "./strings";

const BOUNDS: Options<Filter["bound"]> = [
  ["least", words.bounds.least],
  ["most", words.bounds.most],
  ["beyond", words.bounds.beyond],
];
const AXES: Options<Orientation> = [
  ["row", words.rows],
  ["column", words.columns],
];
/** The confidence with which a cell differs from the rest of the base: negative where it is lower. */
const CONFIDENCE = "confidence";
type Filtered = MetricKey | typeof CONFIDENCE;
const NUMBERS: readonly Filtered[] = [
  ...METRICS.filter(({ key }) => key !== "letters").map(({ key }) => key),
  CONFIDENCE,
];
/** Common filter values. */
const USUAL: Partial<Record<Filtered, number>> = {
  index: 120,
  sample: 50,
  difference: 5,
  confidence: 95,
};

export function Filters({ controller }: { controller: Controller }) {
  const { table, actions } = controller;
  return (
    <Part label={words.filters}>
      {SIDES.flatMap((side) => {
        const filters = table.view.arranger.plan(side).filters ?? [];
        return filters.map((filter, i) => {
          const text = words.filter(sideWord(table, side), filterWords(table, side, filter));
          return (
            <Entry key={`${side} ${i}`} text={text}>
              <IconButton
                icon="close"
                label={words.noFilter(text)}
                onClick={() => actions.setFilters(side, filters.toSpliced(i, 1))}
              />
            </Entry>
          );
        });
      })}
      <FilterForm controller={controller} />
    </Part>
  );
}

function FilterForm({ controller }: { controller: Controller }) {
  const { table, actions } = controller;
  const axis = useSignal<Orientation>("row");
  const metric = useSignal<Filtered>("index");
  const bound = useSignal<Filter["bound"]>("least");
  const of = useSignal<Filter["of"]>("any");
  const value = useSignal("120");
  const { side } = table.view.along(axis.value);
  const here = itemHere(controller, axis.value);
  const cells: [Filter["of"], string][] = [
    ["any", words.filterOf.any],
    ["every", words.filterOf.every],
  ];
  if (metric.value === "size" || metric.value === "sample") cells.push(["own", words.filterOf.own]);
  if (here !== null) cells.push([here, words.filterIn(nameOf(table, across(side), here))]);
  const chosen = cells.some(([each]) => each === of.value) ? of.value : "any";
  const add = (event: Event) => {
    event.preventDefault();
    const number = Number(value.value);
    if (value.value.trim() === "" || !Number.isFinite(number)) return;
    const filter = { of: chosen, metric: metric.value, bound: bound.value, value: number };
    actions.setFilters(side, [...(table.view.arranger.plan(side).filters ?? []), filter]);
  };
  return (
    <form class="al-grid-filter" onSubmit={add}>
      <BareSelect
        label={words.side}
        value={axis.value}
        options={AXES}
        onChange={(next) => {
          axis.value = next;
        }}
      />
      <BareSelect
        label={words.metric}
        value={metric.value}
        options={NUMBERS.map((key) => [key, labelOf(table, key)])}
        onChange={(next) => {
          metric.value = next;
          if (next === CONFIDENCE) bound.value = "beyond";
          value.value = String(USUAL[next] ?? "");
        }}
      />
      <BareSelect
        label={words.bound}
        value={bound.value}
        options={BOUNDS}
        onChange={(next) => {
          bound.value = next;
        }}
      />
      <input
        class="al-input al-number"
        type="number"
        step="any"
        aria-label={words.value}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      <BareSelect
        label={words.where}
        value={chosen}
        options={cells}
        onChange={(next) => {
          of.value = next;
        }}
      />
      <button type="submit" class="al-button">
        {words.addFilter}
      </button>
    </form>
  );
}

function filterWords(table: Table, side: Side, { of, metric, bound, value }: Filter): string {
  const label = labelOf(table, metric as Filtered);
  const where =
    typeof of === "number" ? words.filterIn(nameOf(table, across(side), of)) : words.filterOf[of];
  return `${label} ${words.bounds[bound]} ${value} ${where}`;
}

function labelOf(table: Table, metric: Filtered): string {
  return metric === CONFIDENCE ? words.confidence : table.view.metricLabel(metric);
}

/** The item of the other axis under the cursor, by its position in the query. */
function itemHere({ table, cursor }: Controller, axis: Orientation): number | null {
  const { row, column } = cursor.value.focus;
  const place = axis === "row" ? table.view.columns.source(column) : table.view.rows.source(row);
  return place >= 0 ? place : null;
}

export const SIDES = ["rows", "columns"] as const;

/** A section of the panel with its heading. */
export function Part({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset class="al-grid-part">
      <legend class="al-quiet">{label}</legend>
      {children}
    </fieldset>
  );
}

/** A sort level, a filter or a hidden item, with its buttons. */
export function Entry({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <div class="al-grid-entry">
      <span class="al-clip" title={text}>
        {text}
      </span>
      {children}
    </div>
  );
}

/** Whether an axis of the query is shown as rows or columns. */
export function sideWord(table: Table, side: Side): string {
  return words[table.view.orientationOf(side) === "row" ? "rows" : "columns"];
}

/** The name of an item, if it is loaded. */
export function nameOf(table: Table, side: Side, item: number): string {
  const name = table.view.axes[side].names.at(item);
  return name ? wholeName(name) : "…";
}
