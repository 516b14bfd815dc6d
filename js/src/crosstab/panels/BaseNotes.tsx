/** Whom the figures are of, in which waves and locations; notes on bases, items and waves; source. */
import { strings } from "../strings";
import type { Table } from "../table/table";
import { words } from "./strings";

/** More notes are folded. */
const FEW = 3;

export function BaseNotes({ table }: { table: Table }) {
  const { state, progress } = table.session;
  const { base_line: base = "", weighted_base: weighted = "", source = "" } = progress.value ?? {};
  const notes = progress.value?.notes ?? [];
  const facts = [base, state.value?.scope, weighted === strings.size ? "" : weighted];
  const [first, rest] = notes.length > FEW + 1 ? [FEW, notes.length - FEW] : [notes.length, 0];
  return (
    <div class="al-grid-notes al-quiet">
      <div>{facts.filter(Boolean).join(" · ")}</div>
      <Notes notes={notes.slice(0, first)} />
      {rest > 0 && (
        <details>
          <summary>{words.moreNotes(rest)}</summary>
          <Notes notes={notes.slice(first)} />
        </details>
      )}
      {source && <div>{source}</div>}
    </div>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.map((note) => (
        <div key={note}>{note}</div>
      ))}
    </>
  );
}
