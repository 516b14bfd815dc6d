/** What the parts of the panel share: a heading, and the words for sides and lines. */
import type { ComponentChildren } from "preact";
import type { Table } from "../table";
import type { Side } from "./plan";
import { words } from "./strings";

/** A part of the panel under its heading. */
export function Part({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset class="al-grid-part">
      <legend class="al-quiet">{label}</legend>
      {children}
    </fieldset>
  );
}

/** How a side of the query is seen now. */
export function sideWord(table: Table, side: Side): string {
  return side === table.rowSide ? words.rows : words.columns;
}

/** A line of a side, by its name if that is here. */
export function nameOf(table: Table, side: Side, line: number): string {
  return table.axes[side].names.at(line)?.name ?? "…";
}
