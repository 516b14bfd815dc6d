/**
 * Taking away: the selected cells, or the whole table, to the clipboard or into a file. The
 * clipboard's words are written here; files are made by the kernel and come in parts.
 */
import { type Signal, signal } from "@preact/signals";
import { copyRich, copyText } from "../../../shared/clipboard";
import type { WidgetHost } from "../../../shared/host";
import { childLifetime } from "../../../shared/lifetime";
import { insertCode } from "../../../shared/notebook";
import { failureOf } from "../../../shared/requests";
import { strings as shared } from "../../../shared/strings";
import type { Controller } from "../controller";
import { cellsIn, type Range, rangeOf, wholeTable } from "../cursor";
import type { LowBase } from "../metrics";
import { strings } from "../strings";
import type { Table } from "../table";
import { download } from "./download";
import { placesIn, readSheets, type Sheet } from "./sheet";
import { words } from "./strings";
import { documentHtml, markdown, spreadsheetHtml, spreadsheetText } from "./written";

export type Form = keyof typeof words.forms;
export type FileKind = keyof typeof words.files;

/** What the kernel says of a file, beside its first part. */
interface FileHead {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

export class Taking {
  /** What is being saved, in words; null while nothing is. */
  readonly busy: Signal<string | null> = signal(null);
  private saving: AbortController | null = null;

  constructor(
    private readonly host: WidgetHost,
    private readonly table: Table,
    private readonly controller: Controller,
  ) {}

  /** How many cells are chosen; 0 where the whole table is meant. */
  get chosen(): number {
    const range = rangeOf(this.controller.cursor.value);
    return cellsIn(range) > 1 ? this.count(range) : 0;
  }

  async copy(form: Form): Promise<void> {
    await this.trying(shared.copyFailed, () =>
      form === "code" ? this.copyCode() : this.copyCells(form),
    );
  }

  /** Puts the query's code into a cell below the table; `run`: and runs it. */
  async insert(run: boolean): Promise<void> {
    await this.trying(shared.notInserted, async () => {
      const done = insertCode(this.host.root, await this.code(), { run });
      if (!done) throw new Error(shared.notInserted);
      this.host.announce(run ? shared.insertedAndRun : shared.inserted);
    });
  }

  async save(kind: FileKind): Promise<void> {
    this.stop();
    const life = childLifetime(this.host.lifetime);
    this.saving = life;
    this.busy.value = words.saving(words.files[kind]);
    await this.trying(words.noDownload, async () => {
      const { name, type, parts } = await this.fetch(kind, life.signal);
      download(new Blob(parts, { type }), name, this.host.root);
      this.host.announce(words.saved(name));
    });
    if (this.saving === life) this.stop();
  }

  /** Calls off what is being saved. */
  stop(): void {
    this.saving?.abort();
    this.saving = null;
    this.busy.value = null;
  }

  private async copyCells(form: Exclude<Form, "code">): Promise<void> {
    const { range, isWhole } = this.taken();
    const { lowBase } = this.table.style;
    const here = this.table.covers(range.rows, range.columns);
    const sheets = await readSheets(this.table, range, isWhole);
    const { root } = this.host;
    const worked = copyInto(root, written(form, sheets, lowBase));
    // Waiting for a busy kernel outlasts the browser's patience with a click.
    if (!(await worked)) throw new Error(here ? shared.copyFailed : strings.copyAgain);
    this.host.announce(strings.copied(this.count(range)));
  }

  private async copyCode(): Promise<void> {
    if (!(await copyText(await this.code(), this.host.root))) throw new Error(strings.copyAgain);
    this.host.announce(words.copiedCode);
  }

  /** Python that counts what is taken. */
  private async code(): Promise<string> {
    const { range, isWhole } = this.taken();
    const places = isWhole ? {} : this.places(range);
    const { data } = await this.host.requests.request<string>("code", this.about(places), {
      key: "code",
      signal: this.host.lifetime,
    });
    return data;
  }

  private async fetch(kind: FileKind, life: AbortSignal) {
    const { requests } = this.host;
    const { range } = this.taken();
    const args = this.about({ format: kind, ...this.places(range) });
    const first = await requests.request<FileHead>("export", args, { key: "export", signal: life });
    const { number, name, type, bytes } = first.data;
    const parts = first.buffers.map(copied);
    let start = parts.reduce((sum, part) => sum + part.byteLength, 0);
    while (start < bytes) {
      this.busy.value = words.fetching(Math.floor((100 * start) / bytes));
      const { buffers } = await requests.request("part", { number, start }, { signal: life });
      const got = buffers.map(copied);
      const more = got.reduce((sum, part) => sum + part.byteLength, 0);
      if (more === 0) throw new Error(words.cutShort);
      start += more;
      parts.push(...got);
    }
    return { name, type, parts };
  }

  /** The selection if it is more than one cell, else the whole table. */
  private taken(): { range: Range; isWhole: boolean } {
    const whole = wholeTable(this.table.rowCount, this.table.columnCount);
    const range = rangeOf(this.controller.cursor.peek());
    const isWhole = range === null || cellsIn(range) <= 1 || cellsIn(range) === cellsIn(whole);
    return isWhole ? { range: whole, isWhole } : { range, isWhole };
  }

  /** Cells of a range; the rows of heads have none. */
  private count(range: Range | null): number {
    if (range === null) return 0;
    const { start, end } = range.rows;
    const heads = this.table.sectionsBefore(end) - this.table.sectionsBefore(start);
    return (end - start - heads) * (range.columns.end - range.columns.start);
  }

  /** A range by its places in the query. */
  private places({ rows, columns }: Range): { rows: number[]; columns: number[] } {
    const down = placesIn(rows, (row) => this.table.sourceRow(row));
    const over = placesIn(columns, (column) => this.table.sourceColumn(column));
    return this.table.transposed.peek()
      ? { rows: over, columns: down }
      : { rows: down, columns: over };
  }

  private about(args: object): object {
    return { generation: this.table.state.peek().generation, ...args };
  }

  private async trying(otherwise: string, work: () => Promise<void>): Promise<void> {
    // Before and not after: what fails on the way there is to be read afterwards.
    this.table.trouble.value = null;
    try {
      await work();
    } catch (error) {
      const told = failureOf(error);
      if (told !== null) this.table.trouble.value = told || otherwise;
    }
  }
}

/** A form in words, and as HTML where it has one. */
function written(form: Exclude<Form, "code">, sheets: readonly Sheet[], lowBase: LowBase) {
  if (form === "table") return { text: spreadsheetText(sheets), html: spreadsheetHtml(sheets) };
  const text = markdown(sheets, lowBase);
  return form === "document" ? { text, html: documentHtml(sheets, lowBase) } : { text };
}

function copyInto(root: HTMLElement, { text, html }: { text: string; html?: string }) {
  return html === undefined ? copyText(text, root) : copyRich({ text, html }, root);
}

/** A buffer of its own: what a message brought may be a view of something larger. */
function copied(view: DataView): ArrayBuffer {
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer;
}
