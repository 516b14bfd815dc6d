/**
 * Decodes one tile of the table: named planes of little-endian numbers behind a small JSON header.
 * It knows bytes and shapes, not the meaning of planes.
 *
 * A plane's shape may be 1 along an axis (all values there are equal, so the kernel sends one):
 * reading broadcasts it, as numpy does.
 */

import type { PlaneHeader, TileHeader } from "../../protocol";

export type Bytes = ArrayBuffer | ArrayBufferView;

/** A plane of a kernel, or of a saved table, which may also have 16 bits a value. */
export type PlaneLayout = Omit<PlaneHeader, "dtype"> & {
  readonly dtype: PlaneHeader["dtype"] | "uint16";
};

/** Texts are those to which a plane of positions refers; a saved table has none. */
export type TileLayout = Omit<TileHeader, "planes" | "reasons"> &
  Partial<Pick<TileHeader, "reasons">> & { readonly planes: readonly PlaneLayout[] };

interface Plane {
  readonly values: ArrayLike<number>;
  readonly rowStride: number;
  readonly columnStride: number;
}

export class Tile {
  readonly rows: number;
  readonly columns: number;
  readonly complete: boolean;
  readonly bytes: number;
  readonly #planes = new Map<string, Plane>();
  readonly #reasons: readonly string[];

  constructor(header: TileLayout, buffer: Bytes) {
    this.rows = header.rows;
    this.columns = header.columns;
    this.complete = header.complete;
    this.#reasons = header.reasons ?? [];
    const view = asDataView(buffer);
    this.bytes = view.byteLength;
    for (const plane of header.planes) {
      this.#planes.set(plane.name, decodePlane(plane, view, header));
    }
  }

  /** One value; NaN for a plane that the kernel did not send. */
  at(name: string, row: number, column: number): number {
    const plane = this.#planes.get(name);
    if (plane === undefined) return Number.NaN;
    return plane.values[row * plane.rowStride + column * plane.columnStride] ?? Number.NaN;
  }

  /** Whether the kernel sent a plane. */
  has(name: string): boolean {
    return this.#planes.has(name);
  }

  /** The text that the plane `reason` refers to; "" for none. */
  reasonAt(row: number, column: number): string {
    return this.#reasons[this.at("reason", row, column)] ?? "";
  }
}

function asDataView(buffer: Bytes): DataView {
  if (ArrayBuffer.isView(buffer)) {
    return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }
  return new DataView(buffer);
}

function decodePlane(plane: PlaneLayout, view: DataView, tile: TileLayout): Plane {
  const [rows, columns] = plane.shape;
  if ((rows !== tile.rows && rows !== 1) || (columns !== tile.columns && columns !== 1)) {
    throw new RangeError(
      `plane ${plane.name} of ${rows} × ${columns} does not fit a tile of ${tile.rows} × ${tile.columns}`,
    );
  }
  return {
    values: readNumbers(view, plane.offset, rows * columns, plane.dtype),
    rowStride: rows === 1 ? 0 : columns,
    columnStride: columns === 1 ? 0 : 1,
  };
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

const ARRAYS = { uint16: Uint16Array, float32: Float32Array, float64: Float64Array } as const;

function readNumbers(
  view: DataView,
  offset: number,
  length: number,
  dtype: PlaneLayout["dtype"],
): ArrayLike<number> {
  const Numbers = ARRAYS[dtype];
  const width = Numbers.BYTES_PER_ELEMENT;
  // A fractional offset would be truncated and read other values.
  const isPlace = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0;
  if (!isPlace || offset + length * width > view.byteLength) {
    throw new RangeError(
      `a plane ends at byte ${offset + length * width} of a tile of ${view.byteLength}`,
    );
  }
  const start = view.byteOffset + offset;
  if (LITTLE_ENDIAN && start % width === 0)
    return new Numbers(view.buffer as ArrayBuffer, start, length);
  // A typed array needs an aligned offset; read value by value.
  const values = new Numbers(length);
  for (let i = 0; i < length; i++) values[i] = READ[dtype](view, offset + i * width);
  return values;
}

const READ = {
  uint16: (view: DataView, at: number) => view.getUint16(at, true),
  float32: (view: DataView, at: number) => view.getFloat32(at, true),
  float64: (view: DataView, at: number) => view.getFloat64(at, true),
};
