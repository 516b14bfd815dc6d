/** Whom the figures are of, and where they come from; notes on bases, items and waves. */
import { strings } from "../strings";
import type { Table } from "../table/table";
import { words } from "./strings";

/** More notes are folded. */
const FEW = 3;

/** Base, waves, locations and weight in a line, and the source in another. */
export function BaseFacts({ table }: { table: Table }) {
  const { state, progress } = table.session;
  const { base_line: base = "", weighted_base: weighted = "", source = "" } = progress.value ?? {};
  const facts = [base, state.value?.scope, weighted === strings.size ? "" : weighted];
  return (
    <div class="al-grid-notes al-quiet">
      <div>{facts.filter(Boolean).join(" · ")}</div>
      {source && <div>{source}</div>}
    </div>
  );
}

export function BaseNotes({ table }: { table: Table }) {
  const notes = table.session.progress.value?.notes ?? [];
  if (notes.length === 0) return null;
  const [first, rest] = notes.length > FEW + 1 ? [FEW, notes.length - FEW] : [notes.length, 0];
  return (
    <div class="al-grid-notes al-quiet">
      <Notes notes={notes.slice(0, first)} />
      {rest > 0 && (
        <details>
          <summary>{words.moreNotes(rest)}</summary>
          <Notes notes={notes.slice(first)} />
        </details>
      )}
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
