import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { LineTarget } from "../../src/crosstab/arrangement/target";
import { headerCommands, type OpenPanel } from "../../src/crosstab/query/commands";
import type { QueryEditor } from "../../src/crosstab/query/queryEditor";
import type { Edit } from "../../src/protocol";

const line = (place: number, more: Partial<LineTarget> = {}): LineTarget => ({
  axis: "row",
  side: "rows",
  name: `Line ${place}`,
  whole: `Line ${place}`,
  lines: [place],
  together: [place],
  groups: ["Age"],
  isFolded: false,
  ...more,
});

const head = (lines: number[]): LineTarget =>
  line(0, { name: "Age", lines, together: lines, level: 0 });

const NAMES = ["All", "16 to 17", "18 to 24", "25 to 34", "Other", "Men"];

const SUMMARY = { rows: { count: 9 }, columns: { count: 4 }, base_count: 0, side_by_side: false };

/** The commands of an editor that records edits. */
function offered(summary: object = SUMMARY) {
  const edits: Edit[] = [];
  const open = signal<OpenPanel | null>(null);
  const editor = {
    summary: { peek: () => summary },
    edit: (edit: Edit) => edits.push(edit),
  } as unknown as QueryEditor;
  const commands = headerCommands(editor, open, (_, at) => NAMES[at]);
  return {
    edits,
    open,
    labels: (target: LineTarget) =>
      commands.filter((each) => each.refusal(target) === "").map(({ id }) => id),
    shown: (id: string, target: LineTarget) =>
      commands.find((each) => each.id === id)?.name?.(target),
    run: (id: string, target: LineTarget) => commands.find((each) => each.id === id)?.run(target),
  };
}

describe("commands for rows and columns", () => {
  it("are those that are possible", () => {
    const { labels } = offered();
    expect(labels(line(3))).toEqual(["nest", "rename", "remove"]);
    expect(labels(line(3, { groups: [] }))).toContain("boxes");
    expect(labels(head([1, 2]))).toEqual(["net", "merge", "nest", "remove"]);
    expect(labels(head([1, 2, 3, 4]))).toContain("boxes");
  });

  it("join and remove the whole selection", () => {
    const { run, edits, labels } = offered();
    run("net", line(3, { together: [2, 3, 4] }));
    run("merge", line(4, { together: [4, 5] }));
    run("remove", line(9));
    expect(edits).toEqual([
      { do: "net", axis: "rows", places: [2, 3, 4] },
      { do: "merge", axis: "rows", places: [4, 5] },
      { do: "remove", axis: "rows", places: [9] },
    ]);
    expect(labels(line(9))).not.toContain("net");
  });

  it("join neighbouring bins into one that is named by their bounds", () => {
    const { run, edits, shown } = offered();
    run("merge", line(3, { together: [1, 2, 3] }));
    expect(edits).toEqual([{ do: "merge", axis: "rows", places: [1, 2, 3], name: "16 to 34" }]);
    expect(shown("merge", line(3, { together: [2, 3] }))).toBe("Join into 18 to 34");
    expect(shown("merge", line(3, { together: [1, 3] }))).toBe("Merge");
  });

  it("apply to all items of a group", () => {
    const { run, edits } = offered();
    run("boxes", head([5, 6, 7, 8]));
    run("remove", head([5, 6, 7, 8]));
    expect(edits).toEqual([
      { do: "boxes", axis: "rows", places: [5, 6, 7, 8] },
      { do: "remove", axis: "rows", places: [5, 6, 7, 8] },
    ]);
  });

  it("are empty for the base in the rows", () => {
    const { labels } = offered({ ...SUMMARY, rows: { count: 0 } });
    expect(labels(line(0, { groups: [] }))).toEqual([]);
  });

  it("remove one of several bases", () => {
    const bases = { ...SUMMARY, base_count: 3, side_by_side: true };
    const { labels, run, edits } = offered(bases);
    const base = line(0, { side: "columns", groups: ["Men"], level: 0, lines: [4, 5, 6, 7] });
    expect(labels(base)).toEqual(["remove-base"]);
    run("remove-base", base);
    expect(edits).toEqual([{ do: "bases", keep: [0, 2], picked: [], saved: [] }]);
    // Below it are the columns of the query.
    expect(labels({ ...base, level: 1, groups: ["Men", "Age"] })).toContain("remove");
    const alone = offered({ ...bases, columns: { count: 0 } });
    alone.run("remove-base", line(2, { side: "columns", groups: [] }));
    expect(alone.edits[0]).toMatchObject({ keep: [0, 1] });
  });

  it("open a panel to rename, or to nest under", () => {
    const { run, open } = offered();
    run("rename", line(1));
    expect(open.value?.kind).toBe("rename");
    run("nest", head([1, 2]));
    expect(open.value).toMatchObject({ kind: "nest", target: { name: "Age" } });
  });
});
