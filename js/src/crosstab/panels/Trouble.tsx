/** What went wrong, with the places at fault; the table below stays as it is. */
import { Icon } from "../../ui/icons";
import type { Table } from "../data/table";
import { strings } from "../strings";

const MOST_FAULTS = 5;

export function Trouble({ table }: { table: Table }) {
  const said = table.trouble.value;
  const error = table.progress.value?.error ?? null;
  if (said === null && error === null) return null;
  // Most messages list their faults already.
  const faults = error?.faults.filter(({ pointer }) => !error.message.includes(pointer)) ?? [];
  return (
    <div class="al-error al-grid-trouble" role="alert">
      <Icon name="warning" />
      <div>
        {error && (
          <div class="al-grid-message">
            {strings.failed} {error.message}
          </div>
        )}
        {faults.length > 0 && (
          <ul>
            {faults.slice(0, MOST_FAULTS).map(({ pointer, detail }) => (
              <li key={pointer}>
                <span class="al-code">{pointer}</span> {detail}
              </li>
            ))}
          </ul>
        )}
        {said && <div>{said}</div>}
      </div>
    </div>
  );
}
