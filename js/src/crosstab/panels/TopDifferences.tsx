/**
 * The cells with the most significant differences from everyone else; a click goes to the cell.
 * Columns may be adjusted before to the composition of the base by the answers to some questions.
 */
import { useSignal } from "@preact/signals";
import type { DifferentCell, GridWidget, QuestionChoice } from "../../protocol";
import { Select } from "../../ui/Field";
import { useHost } from "../../ui/host";
import { IconButton } from "../../ui/icons";
import { useResource } from "../../ui/resource";
import { formatIndex } from "../metrics/format";
import { metricOf } from "../metrics/metrics";
import type { Controller } from "../view/controller";
import { words } from "./strings";

export function TopDifferences({ controller }: { controller: Controller }) {
  const open = useSignal(false);
  const questions = useSignal<readonly QuestionChoice[]>([]);
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
      {open.value && (
        <>
          <Adjust
            controller={controller}
            chosen={questions.value}
            choose={(chosen) => {
              questions.value = chosen;
            }}
          />
          <List controller={controller} questions={questions.value} />
        </>
      )}
    </div>
  );
}

interface AdjustProps {
  controller: Controller;
  chosen: readonly QuestionChoice[];
  choose(questions: readonly QuestionChoice[]): void;
}

/** The questions that columns are adjusted for. */
function Adjust({ controller, chosen, choose }: AdjustProps) {
  const host = useHost<GridWidget>();
  const { generation, phase } = controller.table.session.progress.value;
  const { data } = useResource(`${generation} ${phase}`, async (signal) => {
    return (await host.requests.request("adjustable", { generation }, { signal })).data.questions;
  });
  const others = (data ?? []).filter(({ code }) => !chosen.some((each) => each.code === code));
  if (others.length === 0 && chosen.length === 0) return null;
  return (
    <>
      <Select
        label={words.adjust}
        title={words.adjustHint}
        value=""
        options={[
          ["", chosen.length > 0 ? words.adjustMore : words.adjustNone],
          ...others.map(({ code, name }) => [code, name] as const),
        ]}
        onChange={(code) => choose([...chosen, ...others.filter((each) => each.code === code)])}
      />
      {chosen.map((question) => (
        <div class="al-grid-entry" key={question.code}>
          <span class="al-clip">{question.name}</span>
          <IconButton
            icon="close"
            label={words.adjustWithout(question.name)}
            onClick={() => choose(chosen.filter((each) => each !== question))}
          />
        </div>
      ))}
    </>
  );
}

interface ListProps {
  controller: Controller;
  questions: readonly QuestionChoice[];
}

function List({ controller, questions }: ListProps) {
  const { table } = controller;
  const host = useHost<GridWidget>();
  const { generation, phase } = table.session.progress.value;
  const codes = questions.map(({ code }) => code);
  const { data, failure, isStale } = useResource(
    `${generation} ${phase} ${codes.join(" ")}`,
    async (signal): Promise<{ cells: readonly DifferentCell[]; note?: string }> => {
      const { requests } = host;
      if (codes.length === 0)
        return (await requests.request("apart", { generation }, { signal })).data;
      return (await requests.request("adjusted", { generation, questions: codes }, { signal }))
        .data;
    },
  );
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
  if (!data || isStale) return <div class="al-quiet">{words.looking}</div>;
  const note = data.note ? <div class="al-quiet">{data.note}</div> : null;
  if (data.cells.length === 0) {
    return (
      <>
        <div class="al-quiet">{words.apartNone}</div>
        {note}
      </>
    );
  }
  return (
    <>
      <div class="al-quiet" role="status">
        {away.value && words.leftOut(away.value)}
      </div>
      <ol class="al-grid-apart-list">
        {data.cells.map((cell) => (
          <li key={`${cell.row} ${cell.column}`}>
            <button
              type="button"
              class="al-menu-item"
              title={`${cell.names.join(" × ")}\nz ${metricOf("z").format(cell.z ?? Number.NaN)}`}
              onClick={() => go(cell)}
            >
              <span class="al-clip">{cell.names.join(" × ")}</span>
              <span class="al-spacer" />
              <span class="al-quiet al-number">{figuresOf(cell)}</span>
            </button>
          </li>
        ))}
      </ol>
      {note}
    </>
  );
}

function figuresOf({ index, difference }: DifferentCell): string {
  const nothing = Number.NaN;
  return words.apartFigures(
    formatIndex(index ?? nothing),
    metricOf("difference").format(difference ?? nothing),
  );
}
