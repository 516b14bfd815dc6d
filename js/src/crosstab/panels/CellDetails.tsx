/**
 * The line about the focused cell: names, formula with its numbers, and the bases of all audiences.
 */

import { isCell, type Position } from "../arrangement/position";
import { headerOf, type LineTarget, targetAt } from "../arrangement/target";
import { emptyFigures } from "../data/cellCounts";
import type { CellDetailsState } from "../export/cellDetails";
import { words } from "../export/strings";
import { strings } from "../strings";
import { audienceDetails, type Details, detailsOf } from "../table/details";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";

interface Props {
  id: string;
  table: Table;
  controller: Controller | null;
  drill: CellDetailsState | null;
}

export function CellDetails({ id, table, controller, drill }: Props) {
  table.revision.value;
  const details = controller && focused(table, controller);
  return (
    // Not a landmark: a page may have many tables.
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
  const style = table.settings.style.value;
  const head = targetAt(table.view, headerOf(table.view, focus));
  if (head?.level !== undefined) return groupDetails(head);
  if (isCell(focus)) return cellDetails(table, focus);
  const { row, column } = focus;
  const [axis, at] = row >= 0 ? [table.view.rows, row] : [table.view.columns, column];
  const name = at >= 0 && axis.name(at);
  if (name) return audienceDetails({ ...name, name: axis.wholeName(at) }, axis.margin(at), style);
  return at >= 0 ? null : audienceDetails(table.baseName, table.baseMargin, style);
}

function groupDetails({ groups, lines, axis }: LineTarget): Details {
  return {
    title: groups.join(" › "),
    formula: "",
    meaning: strings.items(axis, lines.length),
    facts: [],
  };
}

function cellDetails(table: Table, { row, column }: Position): Details {
  const { settings, view } = table;
  const figures = emptyFigures();
  view.figures(row, column, figures);
  const { rows, columns } = view.inQuery(view.rows.wholeName(row), view.columns.wholeName(column));
  const { answered = false } = table.session.state.peek() ?? {};
  const subject = { row: rows, column: columns, base: table.baseOver(row, column), answered };
  const style = settings.style.value;
  return detailsOf(settings.metric.key, figures, subject, view.transposed.value, style);
}
