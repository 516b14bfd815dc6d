/** The lines of a table whose names, or the groups over them, have every word that was typed. */
import { matchWords, queryWords } from "../../ui/matching";
import type { Name } from "../data/names";
import type { Side } from "./plan";
import type { TableView } from "./tableView";

export interface Found {
  readonly side: Side;
  /** Its place in the query. */
  readonly line: number;
  readonly name: string;
}

/** Rows first, as they are seen; pulls whatever names are not here. */
export async function finding(view: TableView, typed: string): Promise<Found[]> {
  const sides = [view.rows.side, view.columns.side];
  const names = await Promise.all(sides.map((side) => view.axes[side].names.all()));
  return sides.flatMap((side, i) =>
    matching(names[i] ?? [], typed)
      .map((line) => ({ side, line, name: fullName(names[i]?.[line]) }))
      .sort((a, b) => seen(view, a) - seen(view, b)),
  );
}

/** Places of the names that have every word, each somewhere. */
export function matching(names: readonly Name[], typed: string): number[] {
  const wanted = queryWords(typed);
  if (wanted.length === 0) return [];
  return names.flatMap((name, line) =>
    matchWords([...(name.groups ?? []), name.name].join("\n"), wanted) ? line : [],
  );
}

function fullName(name: Name | undefined): string {
  return name ? [...(name.groups ?? []), name.name].join(" › ") : "";
}

/** What is hidden comes last. */
function seen(view: TableView, { side, line }: Found): number {
  const at = view.axes[side].line(line);
  return at < 0 ? Number.MAX_SAFE_INTEGER : at;
}
