/** The switch of the first figure in the cells; a list where the bar has no room for it. */
import { useRef } from "preact/hooks";
import type { Table } from "../data/table";
import { EVERYDAY, type MetricKey, metricLabel, metricMeaning, metricOf } from "../metrics/metrics";
import { strings } from "../strings";

export function MetricSwitch({ table }: { table: Table }) {
  const chosen = metricOf(table.metricKey.value).key;
  const transposed = table.transposed.value;
  // A figure that was put first in the menu is among them, or nothing would be on.
  const keys = EVERYDAY.includes(chosen) ? EVERYDAY : [...EVERYDAY, chosen];
  const group = useRef<HTMLDivElement>(null);
  const choose = (key: string) => table.metricKey.set(key);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = (keys.indexOf(chosen) + by + keys.length) % keys.length;
    choose(keys[next] as MetricKey);
    group.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <>
      <div
        class="al-segmented al-grid-switch"
        role="radiogroup"
        aria-label={strings.metrics}
        ref={group}
        onKeyDown={step}
      >
        {keys.map((key) => (
          // biome-ignore lint/a11y/useSemanticElements: a segmented switch is a radio group
          <button
            key={key}
            type="button"
            role="radio"
            aria-checked={key === chosen}
            tabIndex={key === chosen ? 0 : -1}
            title={metricMeaning(key, transposed)}
            onClick={() => choose(key)}
          >
            {metricLabel(key, transposed)}
          </button>
        ))}
      </div>
      <select
        class="al-input al-grid-switch-narrow"
        aria-label={strings.metrics}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {keys.map((key) => (
          <option key={key} value={key}>
            {metricLabel(key, transposed)}
          </option>
        ))}
      </select>
    </>
  );
}
