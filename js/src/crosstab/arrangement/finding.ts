/** Finds rows and columns by their names or the names of their groups. */
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
  /** The query that was searched because the typed one matches nothing; "" for none. */
  readonly meant: string;
}

/** Rows first, in visible order, and hidden ones last; loads missing names. */
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
