/** The rows of means and other statistics of a table that is transposed or saved, below it. */
import type { GridWidget } from "../../protocol";
import { useHost } from "../../ui/host";
import { useResource } from "../../ui/resource";
import type { Table } from "../table/table";
import { words } from "./strings";

export function StatisticRows({ table }: { table: Table }) {
  const host = useHost<GridWidget>();
  const names = host.trait("_question").value?.statistics ?? [];
  const { generation, phase } = table.session.progress.value ?? {};
  const isAmongRows = (table.session.state.value?.statistics?.length ?? 0) > 0;
  if (isAmongRows && !table.view.transposed.value) return null;
  if (names.length === 0 || generation === undefined || phase !== "done") return null;
  return <Lines key={generation} generation={generation} />;
}

function Lines({ generation }: { generation: number }) {
  const host = useHost<GridWidget>();
  const looks = (["hide_under", "significance", "level"] as const).map(
    (name) => host.trait(name).value,
  );
  const { data, failure } = useResource(`${generation} ${looks.join(" ")}`, async (signal) => {
    return (await host.requests.request("statistics", { generation }, { signal })).data;
  });
  if (failure) return <div class="al-error">{failure}</div>;
  if (!data || data.lines.length === 0) return null;
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
          {data.lines.map((line) => (
            <tr key={line.name}>
              <th scope="row">{line.name}</th>
              <td>{line.base}</td>
              {line.cells.map((cell, at) => (
                <Cell key={at} text={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="al-quiet">{data.note}</div>
    </div>
  );
}

/** A value with its marks below, as in the cells of the table. */
function Cell({ text }: { text: string }) {
  const [value, ...letters] = text.split(" ");
  return (
    <td>
      {value}
      {letters.length > 0 && <div class="al-quiet">{letters.join("")}</div>}
    </td>
  );
}
