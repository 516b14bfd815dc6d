/** The focused cell: names, formula with its numbers, and the bases of all audiences. */

import { isCell, type Position } from "../arrangement/position";
import { headerOf, type LineTarget, targetAt } from "../arrangement/target";
import { emptyFigures } from "../data/cellCounts";
import { strings } from "../strings";
import { audienceDetails, type Details, detailsOf } from "../table/details";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";

/** Lines of the same height for every cell. */
export function CellFacts({ details }: { details: Details }) {
  return (
    <div class="al-grid-facts">
      <div>
        <strong class="al-clip">{details.title}</strong>
        <span class="al-clip al-quiet">{details.formula}</span>
      </div>
      <div class="al-quiet">
        {details.facts.map(({ name, figures }, i) => (
          <span key={i} class="al-grid-fact">
            <span class="al-clip">{name}</span> <b>{figures}</b>
          </span>
        ))}
      </div>
    </div>
  );
}

/** Of the cell or the header with the focus; null where its name is not loaded. */
export function focusedDetails(table: Table, controller: Controller): Details | null {
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
  const found = detailsOf(settings.metric.key, figures, subject, view.transposed.value, style);
  return figures.isOld && table.isBehind ? { ...found, meaning: strings.behind } : found;
}
