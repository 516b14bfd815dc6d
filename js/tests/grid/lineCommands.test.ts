import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { LineTarget } from "../../src/widgets/grid/lines/target";
import type { QuestionDesk } from "../../src/widgets/grid/question/desk";
import { type LineQuestion, lineCommands } from "../../src/widgets/grid/question/lineCommands";
import type { Edit } from "../../src/widgets/grid/question/protocol";

const line = (place: number, more: Partial<LineTarget> = {}): LineTarget => ({
  axis: "row",
  side: "rows",
  name: `Line ${place}`,
  lines: [place],
  together: [place],
  heads: ["Age"],
  isFolded: false,
  ...more,
});

const head = (lines: number[]): LineTarget =>
  line(0, { name: "Age", lines, together: lines, level: 0 });

const TOLD = { rows: { count: 9 }, columns: { count: 4 }, baseCount: 0, sideBySide: false };

/** The commands over a desk that notes edits. */
function offered(told: object = TOLD) {
  const edits: Edit[] = [];
  const asking = signal<LineQuestion | null>(null);
  const desk = {
    told: { peek: () => told },
    edit: (edit: Edit) => edits.push(edit),
  } as unknown as QuestionDesk;
  const commands = lineCommands(desk, asking);
  return {
    edits,
    asking,
    labels: (target: LineTarget) =>
      commands.filter((each) => each.label(target) !== null).map(({ id }) => id),
    run: (id: string, target: LineTarget) => commands.find((each) => each.id === id)?.run(target),
  };
}

describe("commands of a line", () => {
  it("are those that have a place there", () => {
    const { labels } = offered();
    expect(labels(line(3))).toEqual(["rename", "nest", "remove"]);
    expect(labels(line(3, { heads: [] }))).toContain("boxes-low");
    expect(labels(head([1, 2]))).toEqual(["net", "nest", "remove"]);
    expect(labels(head([1, 2, 3, 4]))).toContain("boxes-high");
  });

  it("net and remove all lines that are selected, if the line is one of them", () => {
    const { run, edits, labels } = offered();
    run("net", line(3, { together: [2, 3, 4] }));
    run("remove", line(9));
    expect(edits).toEqual([
      { do: "net", axis: "rows", places: [2, 3, 4] },
      { do: "remove", axis: "rows", places: [9] },
    ]);
    expect(labels(line(9))).not.toContain("net");
  });

  it("take a head as all that stands under it", () => {
    const { run, edits } = offered();
    run("boxes-high", head([5, 6, 7, 8]));
    run("remove", head([5, 6, 7, 8]));
    expect(edits).toEqual([
      { do: "boxes", axis: "rows", places: [5, 6, 7, 8], lowFirst: false },
      { do: "remove", axis: "rows", places: [5, 6, 7, 8] },
    ]);
  });

  it("are none for the base that stands where nothing was asked", () => {
    const { labels } = offered({ ...TOLD, rows: { count: 0 } });
    expect(labels(line(0, { heads: [] }))).toEqual([]);
  });

  it("take one of several bases away", () => {
    const bases = { ...TOLD, baseCount: 3, sideBySide: true };
    const { labels, run, edits } = offered(bases);
    const base = line(0, { side: "columns", heads: ["Men"], level: 0, lines: [4, 5, 6, 7] });
    expect(labels(base)).toEqual(["remove-base"]);
    run("remove-base", base);
    expect(edits).toEqual([{ do: "bases", keep: [0, 2], picked: [], saved: [] }]);
    // Below it are the columns that were asked for.
    expect(labels({ ...base, level: 1, heads: ["Men", "Age"] })).toContain("remove");
    const alone = offered({ ...bases, columns: { count: 0 } });
    alone.run("remove-base", line(2, { side: "columns", heads: [] }));
    expect(alone.edits[0]).toMatchObject({ keep: [0, 1] });
  });

  it("ask for a name, or for what to nest under", () => {
    const { run, asking } = offered();
    run("rename", line(1));
    expect(asking.value?.kind).toBe("rename");
    run("nest", head([1, 2]));
    expect(asking.value).toMatchObject({ kind: "nest", target: { name: "Age" } });
  });
});
