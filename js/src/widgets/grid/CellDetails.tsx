/** The line about the focused cell: names, formula with its numbers, and everybody's bases. */
import type { Controller } from "./controller";
import { FROZEN_COLUMNS, FROZEN_ROWS, isCell } from "./cursor";
import { audienceDetails, type Details, detailsOf } from "./details";
import { emptyFigures } from "./figures";
import type { Position } from "./keyboard";
import { words as lineWords } from "./lines/strings";
import { headerOf, type LineTarget, targetAt } from "./lines/target";
import { strings } from "./strings";
import type { Table } from "./table";
import type { Drill } from "./taking/drill";
import { words } from "./taking/strings";

interface Props {
  id: string;
  table: Table;
  controller: Controller | null;
  drill: Drill | null;
}

export function CellDetails({ id, table, controller, drill }: Props) {
  table.revision.value;
  const details = controller && focused(table, controller);
  return (
    // No landmark: a page may have many tables.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div class="al-grid-details" id={id} role="group" aria-label={strings.details}>
      {details && (
        <>
          <div class="al-grid-details-line">
            <span class="al-grid-details-head">
              <strong class="al-clip">{details.title}</strong>
              <span class="al-quiet">{details.formula}</span>
            </span>
            {drill && isCell(controller.cursor.value.focus) && (
              <button
                type="button"
                class="al-link"
                title={words.drillHint}
                aria-expanded={drill.isOpen.value}
                onClick={() => drill.toggle()}
                onKeyDown={(event) => drill.leave(event)}
              >
                {drill.isOpen.value ? words.closeCell : words.openCell}
              </button>
            )}
          </div>
          <div class="al-grid-details-line">
            {details.meaning && (
              <span class="al-grid-meaning" title={details.meaning}>
                {details.meaning}
              </span>
            )}
          </div>
          {!drill?.isOpen.value && (
            <div class="al-grid-details-line al-quiet">
              {details.facts.map(({ name, figures }, i) => (
                <span key={i} class="al-grid-fact">
                  <span class="al-clip">{name}</span> <b>{figures}</b>
                </span>
              ))}
            </div>
          )}
        </>
      )}
    </div>
  );
}

function focused(table: Table, controller: Controller): Details | null {
  const { focus } = controller.cursor.value;
  const style = table.showing.style.value;
  const head = targetAt(table, headerOf(table, focus));
  if (head?.level !== undefined) return headDetails(head);
  if (isCell(focus)) return cellDetails(table, focus);
  if (focus.row >= FROZEN_ROWS) {
    const row = focus.row - FROZEN_ROWS;
    return audienceDetails(table.rowName(row), table.rowMargin(row), style);
  }
  if (focus.column >= FROZEN_COLUMNS) {
    const column = focus.column - FROZEN_COLUMNS;
    return audienceDetails(table.columnName(column), table.columnMargin(column), style);
  }
  return audienceDetails(table.baseName, table.baseMargin, style);
}

function headDetails({ heads, lines }: LineTarget): Details {
  return {
    title: heads.join(" › "),
    formula: "",
    meaning: lineWords.lines(lines.length),
    facts: [],
  };
}

function cellDetails(table: Table, focus: Position): Details {
  const { key } = table.metric;
  const transposed = table.transposed.value;
  const row = focus.row - FROZEN_ROWS;
  const column = focus.column - FROZEN_COLUMNS;
  const figures = emptyFigures();
  table.figures(row, column, figures);
  const down = table.rowName(row)?.name ?? "";
  const across = table.columnName(column)?.name ?? "";
  const subject = {
    row: transposed ? across : down,
    column: transposed ? down : across,
    base: table.baseOver(row, column),
  };
  const letters = table.lettersAt(row, column);
  const style = { ...table.showing.style.value, letters };
  return detailsOf(key, figures, subject, transposed, style);
}
