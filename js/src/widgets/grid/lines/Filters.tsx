/** What lines are filtered by, and the form of one filter more. */
import { useSignal } from "@preact/signals";
import { IconButton } from "../../../shared/icons";
import type { Controller } from "../controller";
import { FROZEN_COLUMNS, FROZEN_ROWS } from "../cursor";
import { METRICS, type MetricKey, metricLabel } from "../metrics";
import type { Table } from "../table";
import { nameOf, Part, sideWord } from "./Part";
import { across, type Filter, type Side } from "./plan";
import { words } from "./strings";

const SIDES = ["rows", "columns"] as const;
const BOUNDS = ["least", "most", "beyond"] as const;
const NUMBERS = METRICS.filter(({ key }) => key !== "letters").map(({ key }) => key);
/** What one would look for first. */
const USUAL: Partial<Record<MetricKey, number>> = {
  index: 120,
  z: 1.96,
  sample: 50,
  difference: 5,
};

export function Filters({ controller }: { controller: Controller }) {
  const { table, actions } = controller;
  return (
    <Part label={words.filters}>
      {SIDES.flatMap((side) => {
        const filters = table.arranger.plan(side).filters ?? [];
        return filters.map((filter, i) => {
          const told = words.filter(sideWord(table, side), filterWords(table, side, filter));
          return (
            <div key={`${side} ${i}`} class="al-grid-kept">
              <span class="al-clip" title={told}>
                {told}
              </span>
              <IconButton
                icon="close"
                label={words.noFilter(told)}
                onClick={() =>
                  actions.setFilters(
                    side,
                    filters.filter((other) => other !== filter),
                  )
                }
              />
            </div>
          );
        });
      })}
      <FilterForm controller={controller} />
    </Part>
  );
}

function FilterForm({ controller }: { controller: Controller }) {
  const { table, actions } = controller;
  const transposed = table.transposed.value;
  const axis = useSignal<"row" | "column">("row");
  const metric = useSignal<MetricKey>("index");
  const bound = useSignal<Filter["bound"]>("least");
  const of = useSignal("any");
  const value = useSignal("120");
  const side = axis.value === "row" ? table.rowSide : table.columnSide;
  const here = lineHere(controller, axis.value);
  const isOwn = metric.value === "size" || metric.value === "sample";
  const places: [string, string][] = [
    ["any", words.filterOf.any],
    ["every", words.filterOf.every],
    ...(isOwn ? [["own", words.filterOf.own] as [string, string]] : []),
    ...(here === null
      ? []
      : [[String(here), words.filterIn(nameOf(table, across(side), here))] as [string, string]]),
  ];
  const chosen = places.some(([key]) => key === of.value) ? of.value : "any";
  const add = (event: Event) => {
    event.preventDefault();
    const number = Number(value.value);
    if (value.value.trim() === "" || !Number.isFinite(number)) return;
    const filter: Filter = {
      of: chosen === "any" || chosen === "every" || chosen === "own" ? chosen : Number(chosen),
      metric: metric.value,
      bound: bound.value,
      value: number,
    };
    actions.setFilters(side, [...(table.arranger.plan(side).filters ?? []), filter]);
  };
  return (
    <form class="al-grid-filter" onSubmit={add}>
      <Pick
        label={words.side}
        value={axis.value}
        choices={[
          ["row", words.rows],
          ["column", words.columns],
        ]}
        onPick={(key) => {
          axis.value = key as "row" | "column";
        }}
      />
      <Pick
        label={words.metric}
        value={metric.value}
        choices={NUMBERS.map((key) => [key, metricLabel(key, transposed)])}
        onPick={(key) => {
          metric.value = key as MetricKey;
          value.value = String(USUAL[metric.value] ?? "");
        }}
      />
      <Pick
        label={words.bound}
        value={bound.value}
        choices={BOUNDS.map((key) => [key, words.bounds[key]])}
        onPick={(key) => {
          bound.value = key as Filter["bound"];
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
      <Pick
        label={words.where}
        value={chosen}
        choices={places}
        onPick={(key) => {
          of.value = key;
        }}
      />
      <button type="submit" class="al-button">
        {words.addFilter}
      </button>
    </form>
  );
}

interface PickProps {
  label: string;
  value: string;
  choices: readonly (readonly [string, string])[];
  onPick(key: string): void;
}

function Pick({ label, value, choices, onPick }: PickProps) {
  return (
    <select
      class="al-input"
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.currentTarget.value)}
    >
      {choices.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}

function filterWords(table: Table, side: Side, { of, metric, bound, value }: Filter): string {
  const figure = metricLabel(metric as MetricKey, table.transposed.peek());
  const where =
    typeof of === "number" ? words.filterIn(nameOf(table, across(side), of)) : words.filterOf[of];
  return `${figure} ${words.bounds[bound]} ${value} ${where}`;
}

/** The line of the other side that the cursor is in, by its place in the query. */
function lineHere({ table, cursor }: Controller, axis: "row" | "column"): number | null {
  const { row, column } = cursor.value.focus;
  const place =
    axis === "row"
      ? column < FROZEN_COLUMNS
        ? -1
        : table.sourceColumn(column - FROZEN_COLUMNS)
      : row < FROZEN_ROWS
        ? -1
        : table.sourceRow(row - FROZEN_ROWS);
  return place >= 0 ? place : null;
}
