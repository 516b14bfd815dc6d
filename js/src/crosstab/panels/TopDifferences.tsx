/** The cells with the most significant differences from everyone else; a click goes to the cell. */
import { useSignal } from "@preact/signals";
import type { DifferentCell, GridWidget } from "../../protocol";
import { useHost } from "../../ui/host";
import { useResource } from "../../ui/resource";
import { formatDifference, formatIndex, formatZ } from "../metrics/format";
import type { Controller } from "../view/controller";
import { words } from "./strings";

export function TopDifferences({ controller }: { controller: Controller }) {
  const open = useSignal(false);
  return (
    <div class="al-grid-part">
      <button
        type="button"
        class="al-link"
        title={words.apartHint}
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {words.apart}
      </button>
      {open.value && <List controller={controller} />}
    </div>
  );
}

function List({ controller }: { controller: Controller }) {
  const { table } = controller;
  const host = useHost<GridWidget>();
  const { generation, phase } = table.session.progress.value;
  const { data, failure } = useResource(`${generation} ${phase}`, async (signal) => {
    return (await host.requests.request("apart", { generation }, { signal })).data.cells;
  });
  /** The cell that cannot be reached because it is not shown; "" for none. */
  const away = useSignal("");
  const go = async (cell: DifferentCell) => {
    const { actions, arranging } = controller;
    await actions.bringBack("rows", cell.row);
    await actions.bringBack("columns", cell.column);
    const isThere = controller.jump({ rows: cell.row, columns: cell.column });
    away.value = isThere ? "" : cell.names.join(" × ");
    if (!isThere) return;
    arranging.value = false;
    controller.viewport.focus();
  };
  if (failure) return <div class="al-error">{failure}</div>;
  if (!data) return <div class="al-quiet">{words.looking}</div>;
  if (data.length === 0) return <div class="al-quiet">{words.apartNone}</div>;
  return (
    <>
      <div class="al-quiet" role="status">
        {away.value && words.leftOut(away.value)}
      </div>
      <ol class="al-grid-apart-list">
        {data.map((cell) => (
          <li key={`${cell.row} ${cell.column}`}>
            <button
              type="button"
              class="al-menu-item"
              title={`${cell.names.join(" × ")}\nz ${formatZ(cell.z ?? Number.NaN)}`}
              onClick={() => go(cell)}
            >
              <span class="al-clip">{cell.names.join(" × ")}</span>
              <span class="al-spacer" />
              <span class="al-quiet al-number">{figuresOf(cell)}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

function figuresOf({ index, difference }: DifferentCell): string {
  const nothing = Number.NaN;
  return words.apartFigures(formatIndex(index ?? nothing), formatDifference(difference ?? nothing));
}
