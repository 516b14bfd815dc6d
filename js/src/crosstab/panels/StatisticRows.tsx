/** The rows of means and other statistics of a table that is transposed, below it. */
import type { Table } from "../table/table";
import { words } from "./strings";

export function StatisticRows({ table }: { table: Table }) {
  table.revision.value;
  const data = table.statistics;
  if (!data || !table.view.transposed.value) return null;
  return (
    <div class="al-grid-statistics">
      <table class="al-number" aria-label={words.statistics}>
        <thead>
          <tr>
            <td />
            <th scope="col">{words.statisticsBase}</th>
            {data.columns.map((name, at) => (
              <th scope="col" key={at}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.lines.map(({ name, base, cells }, at) => (
            <tr key={at}>
              <th scope="row">{name}</th>
              <td>{base}</td>
              {cells.map((text, column) => (
                <td key={column}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
