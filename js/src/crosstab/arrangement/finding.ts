/** The rows and columns whose names, or those of the groups over them, match what was typed. */
import { filterItems } from "../../ui/matching";
import type { Name } from "../data/names";
import type { Side } from "./plan";
import type { TableView } from "./tableView";

export interface Found {
  readonly side: Side;
  /** Its position in the query. */
  readonly line: number;
  readonly name: string;
}

export interface Finding {
  readonly found: readonly Found[];
  /** What was searched instead of a query that nothing matches; "" for none. */
  readonly meant: string;
}

/** Rows first, as they are seen, and hidden ones last; loads the names that are not here. */
export async function finding(view: TableView, typed: string): Promise<Finding> {
  const sides = [view.rows.side, view.columns.side];
  const names = await Promise.all(sides.map((side) => view.axes[side].names.all()));
  const all = sides.flatMap((side, i) =>
    (names[i] ?? []).map((name, line) => foundAt(side, line, name)),
  );
  const { items, meant } = filterItems(all, typed, ({ name }) => name);
  const place = ({ side, line }: Found) => {
    const at = view.axes[side].line(line);
    return at < 0 ? Number.MAX_SAFE_INTEGER : at;
  };
  return {
    found: sides.flatMap((side) =>
      items.filter((item) => item.side === side).sort((a, b) => place(a) - place(b)),
    ),
    meant,
  };
}

function foundAt(side: Side, line: number, { groups = [], name }: Name): Found {
  return { side, line, name: [...groups, name].join(" › ") };
}
