/**
 * One line below the table: the focused cell in a sentence, and in short what its figures rest on.
 * Formula, legend and notes are unfolded below it, and stay so.
 */
import { useMemo } from "preact/hooks";
import { Icon } from "../../ui/icons";
import { remembered } from "../../ui/remembered";
import { isCell } from "../arrangement/position";
import type { CellDetailsState } from "../export/cellDetails";
import { words as exportWords } from "../export/strings";
import { strings } from "../strings";
import type { Details } from "../table/details";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";
import { BaseFacts, BaseNotes } from "./BaseNotes";
import { CellFacts, focusedDetails } from "./CellDetails";
import { Legend, ShortLegend } from "./Legend";
import { words } from "./strings";

interface Props {
  /** Of the sentence, which describes the focused cell. */
  id: string;
  table: Table;
  controller: Controller | null;
  /** null without a kernel. */
  drill: CellDetailsState | null;
}

export function Footer({ id, table, controller, drill }: Props) {
  table.revision.value;
  const isOpen = useMemo(() => remembered("audiencelab.legend"), []);
  const details = controller && focusedDetails(table, controller);
  const sentence = details ? sentenceOf(details) : "";
  const does = drill?.isOpen.value ? exportWords.closeCell : exportWords.openCell;
  const notes = table.session.progress.value?.notes?.length ?? 0;
  return (
    <div class="al-grid-foot" data-open={isOpen.value || undefined}>
      <div class="al-grid-foot-line">
        {/* Not a landmark: a page may have many tables. */}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
        <div class="al-grid-details" id={id} role="group" aria-label={strings.details}>
          <span class="al-clip" title={sentence}>
            {sentence}
          </span>
        </div>
        <ShortLegend table={table} />
        {drill && controller && isCell(controller.cursor.value.focus) && (
          <button
            type="button"
            class="al-grid-more al-link"
            title={exportWords.drillHint}
            aria-expanded={drill.isOpen.value}
            aria-label={does}
            onClick={() => drill.toggle()}
            onKeyDown={(event) => drill.leave(event)}
          >
            <Icon name="info" />
            <span>{does}</span>
          </button>
        )}
        <button
          type="button"
          class="al-link"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <span>{words.legend(notes)}</span>
          <Icon name={isOpen.value ? "down" : "up"} />
        </button>
      </div>
      {/* A reader of a saved table sees what it is of without a click. */}
      {!drill && <BaseFacts table={table} />}
      <div class="al-grid-foot-rest" hidden={!isOpen.value}>
        {details && <CellFacts details={details} />}
        <Legend table={table} />
        {drill && <BaseFacts table={table} />}
        <BaseNotes table={table} />
      </div>
    </div>
  );
}

/** What a figure means; of a header, or where there is no figure, what is known. */
function sentenceOf({ title, formula, meaning }: Details): string {
  if (formula && meaning) return meaning;
  return [title, formula || meaning].filter(Boolean).join(": ");
}
