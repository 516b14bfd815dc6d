/**
 * A mounted grid, a kernel that counts a table of the test's choice, and a page with a size:
 * happy-dom lays nothing out, so the scrolling box says its own width and height here.
 */
import { onTestFinished } from "vitest";
import type { Position } from "../../src/crosstab/arrangement/position";
import { Grid } from "../../src/crosstab/Grid";
import { metricOf } from "../../src/crosstab/metrics/metrics";
import type {
  AxisBanner,
  DifferentCell,
  KeptItems,
  QuestionChoice,
  QuestionForms,
  StatisticLine,
  TableProgress,
  TableState,
} from "../../src/protocol";
import { PLANES } from "../../src/protocol/constants";
import { mount } from "../../src/ui/host";
import { FakeModel, type Message } from "../core/fakes";
import { until } from "../core/until";

export type Plane = (typeof PLANES)[number];

interface MeasureArgs {
  side: "rows" | "columns";
  of: number | "own" | "largest" | "smallest";
  metric: string;
}

export interface Counted {
  rows: string[];
  columns: string[];
  /** Groups over the items of an axis, with the number of items in each, and positions of nets. */
  banners?: Partial<Record<"rows" | "columns", AxisBanner>>;
  /** What it has of the table before. */
  kept?: KeptItems;
  /** Rows of statistics with their values, and the questions whose form can be chosen. */
  statistics?: TableState["statistics"];
  lines?: StatisticLine[];
  /** What names are shortened to in the table. */
  short?: Record<string, string>;
  forms?: QuestionForms[];
  /** Whether columns are part of their groups. */
  isNested?: boolean;
  /** The number of bases side by side; the columns of each are a group. */
  bases?: number;
  /** The cells with the largest differences. */
  apart?: DifferentCell[];
  /** Questions to adjust for, and those cells once columns are adjusted. */
  adjustable?: QuestionChoice[];
  adjusted?: DifferentCell[];
  /** The value of a cell; NaN while it has not been counted. */
  figure(plane: Plane, row: number, column: number): number;
}

/**
 * Of 10,000 people row i has 100 × (i + 1) and column j 200 × (j + 1); cells are as `both` returns,
 * by default so that every index is 100. Every sample is half a size.
 */
export function counted(
  rows: number,
  columns: number,
  both: (row: number, column: number) => number = (i, j) => 2 * (i + 1) * (j + 1),
): Counted {
  return {
    rows: Array.from({ length: rows }, (_, i) => `Row ${i + 1}`),
    columns: Array.from({ length: columns }, (_, j) => `Column ${j + 1}`),
    figure(plane, row, column) {
      const [, side, what] = /^(row|column|base)?_?(?:own_)?(size|sample)$/.exec(plane) ?? [];
      const size =
        side === "row"
          ? 100 * (row + 1)
          : side === "column"
            ? 200 * (column + 1)
            : side === "base"
              ? 10_000
              : both(row, column);
      return what === "sample" ? Math.round(size / 2) : size;
    },
  };
}

/** Closed at the end of its test. */
export class Page {
  readonly element = document.createElement("div");
  readonly channel = new FakeModel({});
  readonly model: FakeModel;
  readonly asked: Message[] = [];
  /** Further operations of the kernel, or other answers to its own. */
  readonly answers: Record<string, (args: Record<string, unknown>) => [unknown, DataView[]?]> = {};
  /** While true the kernel does not answer. */
  busy = false;
  /** The error with which the kernel refuses to send cells, if it does. */
  fails: string | null = null;
  private readonly waiting: Message[] = [];
  private readonly end: () => void;

  constructor(
    public table: Counted,
    { width = 900, height = 400, phase = "done" as TableProgress["phase"] } = {},
  ) {
    this.model = new FakeModel(
      {
        _channel: "c",
        _table: this.state(1),
        _progress: this.progress({ phase }),
        _selected_cells: {},
        _arrangement: {},
        metrics: ["index"],
        transposed: false,
        _levels: [0.9, 0.95, 0.99],
      },
      this.channel,
    );
    sized(this.element.ownerDocument, width, height);
    document.body.append(this.element);
    this.channel.send = (content) => this.hear(content as Message);
    this.end = mount(Grid, { model: this.model.asModel, el: this.element, label: "Crosstab" });
    onTestFinished(() => this.close());
  }

  // -- the kernel ----------------------------------------------------------------------------

  state(generation: number): TableState {
    const { rows, columns } = this.table;
    return {
      generation,
      rows: rows.length,
      columns: columns.length,
      base: "Everybody",
      bases: this.table.bases ?? 0,
      answered: false,
      scope: "waves: latest 4",
      banners: this.table.banners !== undefined,
      kept: this.table.kept ?? null,
      statistics: this.table.statistics ?? [],
      of_statistics: false,
    };
  }

  progress(part: Partial<TableProgress>): TableProgress {
    return {
      generation: 1,
      version: 1,
      phase: "done",
      cells: this.table.rows.length * this.table.columns.length,
      base_size: 10_000,
      base_sample: 5_000,
      heat: { index: { low: 50, high: 200 }, difference: { low: -10, high: 10 } },
      base_line: "Base: all respondents",
      source: "Source: demo survey (version 3a635e9d), counted 2026-01-01 with audiencelab 3.0.0",
      weighted_base: "Weighted base",
      base_varies: false,
      notes: [],
      error: null,
      ...part,
    };
  }

  /** The kernel reports its progress. */
  report(part: Partial<TableProgress>): void {
    this.model.set("_progress", this.progress(part));
  }

  /** Another query. */
  replace(table: Counted, generation: number): void {
    this.table = table;
    this.model.set("_table", this.state(generation));
    this.report({ generation });
  }

  /** The kernel answers the requests that waited while it was busy. */
  release(): void {
    this.busy = false;
    for (const message of this.waiting.splice(0)) this.answer(message);
  }

  requests(op: string): Message[] {
    return this.asked.filter((message) => message.op === op);
  }

  private hear(message: Message): void {
    this.asked.push(message);
    if (message.cancel) return;
    if (this.busy) this.waiting.push(message);
    else queueMicrotask(() => this.answer(message));
  }

  private answer({ id, op, args = {} }: Message): void {
    const reply = (data: unknown, buffers: DataView[] = []) =>
      this.channel.trigger("msg:custom", { id, ok: true, data }, buffers);
    const own = this.answers[String(op)];
    if (op === "tile" && this.fails !== null) {
      const error = { kind: "AudienceError", message: this.fails };
      this.channel.trigger("msg:custom", { id, ok: false, error }, []);
    } else if (own) reply(...own(args));
    else if (op === "names") {
      const axis = args.axis as "rows" | "columns" | "base";
      const names = axis === "base" ? ["Everybody"] : this.table[axis];
      const start = args.start as number;
      const page = names.slice(start, args.stop as number);
      const { groups, nets } = axis === "base" ? { groups: [], nets: [] } : this.over(axis);
      reply({
        names: page.map((name, i) => [
          name,
          `${name} in words`,
          groups[start + i] ?? [],
          nets.includes(start + i),
          !this.table.isNested || axis === "rows",
          this.table.short?.[name] ?? "",
        ]),
      });
    } else if (op === "marks") {
      const { header, body } = this.marks(placesOf(args.rows), placesOf(args.columns));
      reply(args.letters === null ? { ...header, texts: [], column_letters: [] } : header, [body]);
    } else if (op === "tile") {
      const { header, body } = this.tile(placesOf(args.rows), placesOf(args.columns));
      reply(header, [body]);
    } else if (op === "banners") {
      reply({ rows: this.banner("rows"), columns: this.banner("columns") });
    } else if (op === "apart") {
      reply({ cells: this.table.apart ?? [] });
    } else if (op === "forms") {
      reply({ questions: this.table.forms ?? [] });
    } else if (op === "statistics") {
      reply({ columns: this.table.columns, lines: this.table.lines ?? [], note: "" });
    } else if (op === "adjustable") {
      reply({ questions: this.table.adjustable ?? [] });
    } else if (op === "adjusted") {
      const names = (args.questions as string[]).join(" × ");
      reply({ cells: this.table.adjusted ?? [], note: `Adjusted for ${names}.` });
    } else if (op === "measure") {
      const values = this.measure(args as unknown as MeasureArgs);
      const plane = { name: "measure", dtype: "float64", shape: [values.length, 1], offset: 0 };
      reply({ rows: values.length, columns: 1, complete: true, planes: [plane] }, [
        new DataView(values.buffer),
      ]);
    } else reply(null);
  }

  private banner(side: "rows" | "columns"): AxisBanner {
    return (
      this.table.banners?.[side] ?? {
        runs: [[[], this.table[side].length]],
        nets: [],
      }
    );
  }

  /** The groups over each item of an axis, and its nets. */
  private over(side: "rows" | "columns") {
    const { runs, nets } = this.banner(side);
    return { groups: runs.flatMap(([groups, count]) => Array(count).fill(groups)), nets };
  }

  private measure({ side, of, metric }: MeasureArgs): Float64Array {
    const [lines, others] = side === "rows" ? ["rows", "columns"] : ["columns", "rows"];
    const count = this.table[lines as "rows"].length;
    const value = (line: number, other: number) => {
      const [row, column] = side === "rows" ? [line, other] : [other, line];
      const at = (plane: Plane) => this.table.figure(plane, row, column);
      return metricOf(metric).value({
        size: at("size"),
        sample: at("sample"),
        rowSize: at("row_size"),
        rowSample: at("row_sample"),
        columnSize: at("column_size"),
        columnSample: at("column_sample"),
        baseSize: at("base_size"),
        baseSample: at("base_sample"),
      });
    };
    return Float64Array.from({ length: count }, (_, line) => {
      if (typeof of === "number") return value(line, of);
      if (of === "own")
        return this.table.figure(
          `${side === "rows" ? "row" : "column"}_own_${metric}` as Plane,
          line,
          line,
        );
      const all = this.table[others as "rows"].map((_name, other) => value(line, other));
      return of === "largest" ? Math.max(...all) : Math.min(...all);
    });
  }

  /** Values that belong to an item are sent once for the item, as the kernel does. */
  private tile(rows: number[], columns: number[]) {
    const values: number[] = [];
    const planes = PLANES.map((name) => {
      const down = name.startsWith("column_own") ? [0] : rows;
      const over = name.startsWith("row_own") ? [0] : columns;
      const offset = 8 * values.length;
      for (const row of down) {
        for (const column of over) values.push(this.table.figure(name, row, column));
      }
      return { name, dtype: "float64", shape: [down.length, over.length], offset };
    });
    const header = {
      rows: rows.length,
      columns: columns.length,
      complete: !values.some(Number.isNaN),
      planes,
    };
    return { header, body: new DataView(new Float64Array(values).buffer) };
  }

  /** Tests that say where they are from: every second cell differs at 95%. */
  private marks(rows: number[], columns: number[]) {
    const places = rows.flatMap((row) => columns.map((column) => [row, column] as const));
    const shape = [rows.length, columns.length];
    const planes = {
      z: places.map(([row, column]) => row + column / 100),
      p: places.map(() => 0.04),
      freedom: places.map(() => 54),
      level: places.map(([row, column]) => ((row + column) % 2 === 0 ? 95 : 0)),
      letters: places.map((_, i) => i),
    };
    const header = {
      ...{ rows: rows.length, columns: columns.length, complete: true, reasons: [] },
      planes: Object.keys(planes).map((name, i) => {
        return { name, dtype: "float64", shape, offset: 8 * i * places.length };
      }),
      texts: places.map(([row, column]) => `R${row} C${column}`),
      column_letters: columns.map((column) => "ABCDEFGH"[column] ?? ""),
      method: "The method of arrows.",
      short: "",
      problem: "",
      letters_legend: "A letter says something.",
      letters_method: "The method.",
      no_letters: "",
      previous_method: "",
    };
    return { header, body: new DataView(Float64Array.from(Object.values(planes).flat()).buffer) };
  }

  // -- the page ------------------------------------------------------------------------------

  /** Rows of groups over the column names. */
  get bands(): number {
    return this.all(".al-grid-band:not([hidden])").length;
  }

  get grid(): HTMLElement {
    return this.one('[role="grid"]');
  }

  get text(): string {
    return this.element.textContent ?? "";
  }

  get details(): string {
    return this.one(".al-grid-foot").textContent ?? "";
  }

  all(selector: string): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>(selector)];
  }

  one(selector: string): HTMLElement {
    const found = this.all(selector)[0];
    if (!found) throw new Error(`nothing matches ${selector}`);
    return found;
  }

  /** Whether there is a button of this name. */
  has(name: string): boolean {
    return this.all("button").some(
      (button) => (button.getAttribute("aria-label") ?? button.textContent) === name,
    );
  }

  button(name: string): HTMLButtonElement {
    const found = this.all("button").find(
      (button) => (button.getAttribute("aria-label") ?? button.textContent) === name,
    );
    if (!found) throw new Error(`no button ${name}`);
    return found as HTMLButtonElement;
  }

  /** Whether the first cell and its headers are painted with text. */
  get shows(): boolean {
    return [
      { row: 0, column: 3 },
      { row: 2, column: 0 },
      { row: 2, column: 3 },
    ].every((place) => this.at(place)?.textContent);
  }

  /** The element painted at a position, frozen rows and columns counted from 0; null for none. */
  at({ row, column }: Position): HTMLElement | null {
    const line = this.all(`[role="row"][aria-rowindex="${row + 1}"]:not([hidden])`)[0];
    return (
      line?.querySelector<HTMLElement>(`[aria-colindex="${column + 1}"]:not([hidden])`) ?? null
    );
  }

  /** The text of one column, from the first row of cells. */
  column(column: number, rows: number): string[] {
    return Array.from({ length: rows }, (_, i) => this.words(i + 2, column));
  }

  words(row: number, column: number): string {
    return this.at({ row, column })?.textContent ?? "(not drawn)";
  }

  get focused(): string {
    const cell = document.activeElement;
    const row = cell?.closest('[role="row"]');
    return `${row?.getAttribute("aria-rowindex")},${cell?.getAttribute("aria-colindex")}`;
  }

  /** Clicks the sort button of a header; Shift keeps the existing levels. */
  sort(position: Position, keys: { shiftKey?: boolean } = {}): void {
    this.at(position)?.dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
    this.one('[data-does="sort"]').dispatchEvent(pointer("click", keys));
  }

  press(key: string, options: Partial<KeyboardEventInit> = {}): KeyboardEvent {
    const event = new KeyboardEvent("keydown", {
      key,
      bubbles: true,
      cancelable: true,
      ...options,
    });
    (this.grid.contains(document.activeElement)
      ? document.activeElement
      : this.grid
    )?.dispatchEvent(event);
    return event;
  }

  scroll(left: number, top: number): void {
    this.grid.scrollLeft = left;
    this.grid.scrollTop = top;
    this.grid.dispatchEvent(new Event("scroll"));
  }

  /** Waits until `found` returns a value, because the page updates asynchronously. */
  until<T>(found: () => T | null | undefined | false): Promise<T> {
    return until(found, () => this.text);
  }

  close(): void {
    this.end();
    this.element.remove();
  }
}

/** A grid with its first cells. */
export async function ready(
  table: Counted,
  options?: ConstructorParameters<typeof Page>[1],
): Promise<Page> {
  const page = new Page(table, options);
  await page.until(() => page.shows);
  return page;
}

export function pointer(type: string, keys: Partial<MouseEventInit> = {}): MouseEvent {
  return new MouseEvent(type, { bubbles: true, button: 0, buttons: 1, ...keys });
}

function placesOf(asked: unknown): number[] {
  if (Array.isArray(asked)) return asked;
  const { start, stop } = asked as { start: number; stop: number };
  return Array.from({ length: stop - start }, (_, i) => start + i);
}

function sized(page: Document, width: number, height: number): void {
  const prototype = page.defaultView?.HTMLElement.prototype;
  Object.defineProperty(prototype, "clientWidth", { configurable: true, get: () => width });
  Object.defineProperty(prototype, "clientHeight", { configurable: true, get: () => height });
}
