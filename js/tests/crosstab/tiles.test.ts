// @vitest-environment node
import { describe, expect, it } from "vitest";
import { emptyFigures, readCounts } from "../../src/crosstab/data/cellCounts";
import { Tile, type TileLayout } from "../../src/crosstab/data/tiles";

/** A tile of 2 × 3 sizes (wide) and one sample for each row (narrow, broadcast). */
const HEADER: TileLayout = {
  rows: 2,
  columns: 3,
  complete: true,
  planes: [
    { name: "size", dtype: "float64", shape: [2, 3], offset: 0 },
    { name: "row_sample", dtype: "float32", shape: [2, 1], offset: 48 },
    { name: "base_size", dtype: "float64", shape: [1, 1], offset: 56 },
  ],
};

function bytes(): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(64));
  [1.5, 2.5, 3.5, 4.5, 5.5, Number.NaN].forEach((v, i) => {
    view.setFloat64(8 * i, v, true);
  });
  view.setFloat32(48, 30, true);
  view.setFloat32(52, 99, true);
  view.setFloat64(56, 1e9, true);
  return view.buffer;
}

function everyValue(tile: Tile): number[] {
  const read: number[] = [];
  for (let i = 0; i < 2; i++) {
    for (let j = 0; j < 3; j++) {
      read.push(tile.at("size", i, j), tile.at("row_sample", i, j), tile.at("base_size", i, j));
    }
  }
  return read;
}

const EXPECTED = [
  1.5,
  30,
  1e9,
  2.5,
  30,
  1e9,
  3.5,
  30,
  1e9,
  4.5,
  99,
  1e9,
  5.5,
  99,
  1e9,
  Number.NaN,
  99,
  1e9,
];

describe("Tile", () => {
  it("reads planes and broadcasts those of one row or column", () => {
    expect(everyValue(new Tile(HEADER, bytes()))).toEqual(EXPECTED);
  });

  it("honours the offset of a view into a longer buffer, aligned or not", () => {
    for (const shift of [8, 3]) {
      const whole = new Uint8Array(shift + 64);
      whole.set(new Uint8Array(bytes()), shift);
      const view = new DataView(whole.buffer, shift, 64);
      expect(everyValue(new Tile(HEADER, view))).toEqual(EXPECTED);
      expect(everyValue(new Tile(HEADER, whole.subarray(shift)))).toEqual(EXPECTED);
    }
  });

  it("has a cell without a size as withheld once all cells are there", () => {
    for (const complete of [true, false]) {
      const tile = new Tile({ ...HEADER, complete }, bytes());
      expect(readCounts(tile, 1, 2, emptyFigures()).isWithheld).toBe(complete);
      expect(readCounts(tile, 0, 0, emptyFigures()).isWithheld).toBe(false);
    }
  });

  it("answers NaN for a plane that was not sent", () => {
    expect(new Tile(HEADER, bytes()).at("letters", 0, 0)).toBeNaN();
  });

  it("refuses a plane that ends past the buffer or does not fit the tile", () => {
    expect(() => new Tile(HEADER, bytes().slice(0, 60))).toThrow(/ends at byte 64/);
    const [size, ...others] = HEADER.planes;
    for (const offset of [-1, 0.5, Number.NaN, undefined]) {
      const moved = { ...HEADER, planes: [{ ...size, offset }, ...others] } as TileLayout;
      expect(() => new Tile(moved, bytes())).toThrow(/a plane ends at byte/);
    }
    const tall = { ...HEADER, planes: [{ ...size, shape: [3, 3] }, ...others] } as TileLayout;
    expect(() => new Tile(tall, bytes())).toThrow(/does not fit a tile of 2 × 3/);
  });
});
