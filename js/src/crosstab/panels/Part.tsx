/** The sections of the rows & columns panel and their entries, and names of sides and items. */
import type { ComponentChildren } from "preact";
import type { Side } from "../arrangement/plan";
import type { Table } from "../data/table";
import { words } from "./strings";

export const SIDES = ["rows", "columns"] as const;

/** A section of the panel under its heading. */
export function Part({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset class="al-grid-part">
      <legend class="al-quiet">{label}</legend>
      {children}
    </fieldset>
  );
}

/** A sort level, a filter or a hidden item, with its buttons. */
export function Entry({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <div class="al-grid-entry">
      <span class="al-clip" title={text}>
        {text}
      </span>
      {children}
    </div>
  );
}

/** Where a side of the query is shown now. */
export function sideWord(table: Table, side: Side): string {
  return side === table.rowSide ? words.rows : words.columns;
}

/** The name of an item, if it has been loaded. */
export function nameOf(table: Table, side: Side, item: number): string {
  return table.axes[side].names.at(item)?.name ?? "…";
}
