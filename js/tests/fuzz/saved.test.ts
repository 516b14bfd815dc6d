// @vitest-environment node
import { expect, it } from "vitest";
import { readSaved, type SavedCrosstab, Unreadable } from "../../src/lab/saved/format";
import sample from "../lab/saved/crosstab.json";
import { Chance, changed, EXECUTIONS, PATIENCE } from "./random";

const LOOKS = ["metrics", "heat", "bars", "decimals", "units", "stars", "hide_under"];

/** The properties that the renderer of a saved table relies on; false where one is violated. */
function isSound({ rows, columns, base, looks, tile }: SavedCrosstab): boolean {
  const sides = [rows, columns].every(
    ({ names, count, banner }) =>
      names.every((name) => typeof name === "string" && name.length <= 1_000) &&
      names.length <= count &&
      banner.runs.reduce((sum, [, lines]) => sum + lines, 0) === names.length &&
      banner.nets.every((place) => place < names.length),
  );
  return (
    sides &&
    tile.rows === rows.names.length &&
    tile.columns === columns.names.length &&
    tile.rows * tile.columns <= 50_000 &&
    (base.size === null || Number.isFinite(base.size)) &&
    Object.keys(looks).every((name) => LOOKS.includes(name))
  );
}

it(
  `refuses or reads soundly each of ${EXECUTIONS} saved tables that somebody changed`,
  () => {
    let [refused, read] = [0, 0];
    for (let seed = 0; seed < EXECUTIONS; seed++) {
      const chance = new Chance(seed);
      let told: unknown = sample;
      for (let times = chance.below(3); times >= 0; times--) told = changed(told, chance);
      try {
        if (!isSound(readSaved(told))) expect.fail(`seed ${seed} is not sound`);
        read += 1;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw new Error(`seed ${seed}`, { cause: error });
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(read).toBeGreaterThan(0);
  },
  PATIENCE,
);
