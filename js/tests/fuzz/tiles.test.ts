// @vitest-environment node
import { expect, it } from "vitest";
import { Tile, type TileLayout } from "../../src/crosstab/data/tiles";
import { Chance, changed, EXECUTIONS, PATIENCE } from "./random";

const KINDS = ["uint16", "float32", "float64"] as const;
const WIDTHS = { uint16: 2, float32: 4, float64: 8 } as const;
const FIGURES = [0, -0, 1, 0.1, 5e-324, 1e308, Number.NaN, Infinity, -Infinity, 65_535, 2 ** 53];

interface Made {
  readonly header: TileLayout;
  readonly body: Uint8Array;
  /** All values of each plane. */
  readonly figures: ReadonlyMap<string, readonly number[]>;
}

/** A tile of any shape with planes at any offset, in a longer buffer that starts at any offset. */
function made(chance: Chance): Made {
  const [rows, columns] = [1 + chance.below(6), 1 + chance.below(6)];
  const shift = chance.below(9);
  const view = new DataView(new ArrayBuffer(shift + 4 * (8 * rows * columns + 8)));
  const figures = new Map<string, number[]>();
  let offset = 0;
  const planes = KINDS.concat(chance.of(KINDS)).map((dtype, i) => {
    const shape = [chance.of([1, rows]), chance.of([1, columns])] as const;
    const count = shape[0] * shape[1];
    const at = offset + chance.below(3);
    const told: number[] = [];
    for (let place = 0; place < count; place++) {
      const start = shift + at + place * WIDTHS[dtype];
      const value = chance.next() < 0.5 ? chance.of(FIGURES) : chance.next() * 1e6;
      if (dtype === "uint16") view.setUint16(start, value, true);
      else if (dtype === "float32") view.setFloat32(start, value, true);
      else view.setFloat64(start, value, true);
      told.push(read(view, dtype, start));
    }
    offset = at + count * WIDTHS[dtype];
    figures.set(`p${i}`, told);
    return { name: `p${i}`, dtype, shape, offset: at };
  });
  const body = new Uint8Array(view.buffer, shift, offset);
  return { header: { rows, columns, complete: true, planes }, body, figures };
}

function read(view: DataView, dtype: (typeof KINDS)[number], at: number): number {
  if (dtype === "uint16") return view.getUint16(at, true);
  return dtype === "float32" ? view.getFloat32(at, true) : view.getFloat64(at, true);
}

it(
  `reads ${EXECUTIONS} tiles of any shape as they were written`,
  () => {
    for (let seed = 0; seed < EXECUTIONS; seed++) {
      const { header, body, figures } = made(new Chance(seed));
      const tile = new Tile(header, body);
      for (const { name, shape } of header.planes) {
        for (let row = 0; row < header.rows; row++) {
          for (let column = 0; column < header.columns; column++) {
            const place = (shape[0] === 1 ? 0 : row) * shape[1] + (shape[1] === 1 ? 0 : column);
            const meant = figures.get(name)?.[place];
            if (!Object.is(tile.at(name, row, column), meant)) {
              expect.fail(`seed ${seed}, ${name} at ${row}, ${column}: not ${meant}`);
            }
          }
        }
      }
    }
  },
  PATIENCE,
);

it(
  `refuses what is no tile, of ${EXECUTIONS} that were one, and reads nothing from beside it`,
  () => {
    let refused = 0;
    for (let seed = 0; seed < EXECUTIONS; seed++) {
      const chance = new Chance(seed);
      const { header, body } = made(chance);
      const cut = body.subarray(0, chance.next() < 0.3 ? chance.below(body.length + 1) : undefined);
      const told = changed(header, chance) as TileLayout;
      try {
        const tile = new Tile(told, cut);
        for (const { name, dtype, shape, offset } of told.planes) {
          const end = offset + shape[0] * shape[1] * WIDTHS[dtype];
          if (!(Number.isSafeInteger(offset) && offset >= 0 && end <= cut.length)) {
            expect.fail(`seed ${seed}: ${JSON.stringify(told)} was read from ${cut.length} bytes`);
          }
          if (typeof tile.at(name, 0, 0) !== "number") expect.fail(`seed ${seed}: no number`);
        }
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(EXECUTIONS / 20);
  },
  PATIENCE,
);
