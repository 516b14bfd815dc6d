// @vitest-environment node
import { expect, it } from "vitest";
import { openPort } from "../../../src/core/channel";
import { Requests } from "../../../src/core/requests";
import type { Key, Side } from "../../../src/crosstab/arrangement/plan";
import { Tile } from "../../../src/crosstab/data/tiles";
import { readSaved } from "../../../src/lab/saved/format";
import { savedModel } from "../../../src/lab/saved/model";
import type { GridWidget } from "../../../src/protocol";
import sample from "./crosstab.json";

const saved = readSaved(sample);
const { signal } = new AbortController();
const requests = new Requests<GridWidget>(openPort(savedModel(saved), signal), { signal });

async function measured(side: Side, key: Key): Promise<number[]> {
  const { data, buffers } = await requests.request("measure", { generation: 1, side, ...key });
  const tile = new Tile(data, buffers[0] ?? new ArrayBuffer(0));
  return Array.from({ length: tile.rows }, (_, line) => tile.at("measure", line, 0));
}

const lines = (side: "rows" | "columns") => [...saved[side].names.keys()];

it.each(["size", "sample"] as const)(
  "answers with the %s of each item's own audience",
  async (metric) => {
    const of = (side: Side) => measured(side, { of: "own", metric });
    expect(await of("rows")).toEqual(
      lines("rows").map((line) => saved.tile.at(`row_own_${metric}`, line, 0)),
    );
    expect(await of("columns")).toEqual(
      lines("columns").map((line) => saved.tile.at(`column_own_${metric}`, 0, line)),
    );
  },
);

it("answers with the largest and the smallest of an item's cells", async () => {
  const sizes = lines("rows").map((row) =>
    lines("columns").map((column) => saved.tile.at("size", row, column)),
  );
  const of = (which: "largest" | "smallest") => measured("rows", { of: which, metric: "size" });
  expect(await of("largest")).toEqual(sizes.map((row) => Math.max(...row)));
  expect(await of("smallest")).toEqual(sizes.map((row) => Math.min(...row)));
});

it("answers with the rows of means", async () => {
  const line = { name: "Age: mean", base: "41.20", cells: ["40.10", "42.00", "·"] };
  const withMeans = readSaved({ ...sample, statistics: { lines: [line], note: "of answers" } });
  const asked = new Requests<GridWidget>(openPort(savedModel(withMeans), signal), { signal });
  const { data } = await asked.request("statistics", { generation: 1 });
  expect(data).toEqual({ columns: withMeans.columns.names, lines: [line], note: "of answers" });
});
