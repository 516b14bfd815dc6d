/**
 * Exports the selected cells, or the whole table, to the clipboard or to a file. Clipboard text is
 * made here; files are made by the kernel and arrive in parts.
 */
import { type Signal, signal } from "@preact/signals";
import { failureOf } from "../../core/answers";
import { copyRich, copyText } from "../../core/clipboard";
import { debounced } from "../../core/lifetime";
import { insertCode } from "../../core/notebook";
import type { FileKind, GridWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { strings as shared } from "../../ui/strings";
import { cellsIn } from "../arrangement/position";
import type { ViewAxis } from "../arrangement/tableView";
import type { LowBase } from "../metrics/metrics";
import { strings } from "../strings";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";
import { rangeOf } from "../view/cursor";
import { documentHtml, markdown, spreadsheetHtml, spreadsheetText } from "./clipboardFormats";
import { Delivery } from "./delivery";
import { type Extract, readSheets, type Sheet, sourcesOf, spanOf } from "./sheet";
import { words } from "./strings";

export type Form = "table" | keyof typeof words.forms;
export type { FileKind };

const COPIED_MS = 2_000;

const NAMES: Readonly<Record<FileKind, string>> = {
  ...words.files,
  ...words.charts,
  ...words.otherFiles,
};

export class Exporter {
  readonly delivery: Delivery;
  /** True briefly after copying. */
  readonly copied: Signal<boolean> = signal(false);
  readonly #unconfirm: () => void;

  constructor(
    private readonly host: WidgetHost<GridWidget>,
    private readonly table: Table,
    private readonly controller: Controller,
  ) {
    this.delivery = new Delivery(host);
    this.#unconfirm = debounced(COPIED_MS, host.lifetime, () => {
      this.copied.value = false;
    });
  }

  /** The number of selected cells; 0 when the whole table is exported. */
  get chosen(): number {
    const cursor = this.controller.cursor.value;
    const extract = this.#extract(cursor);
    return extract.isWhole ? 0 : this.#count(extract);
  }

  async copy(form: Form): Promise<void> {
    await this.#trying(shared.copyFailed, () =>
      form === "code" ? this.#copyCode() : this.#copyCells(form),
    );
  }

  /** Inserts the query's code into a cell below the table, and runs it if `run` is set. */
  async insert(run: boolean): Promise<void> {
    await this.#trying(shared.notInserted, async () => {
      const done = insertCode(this.host.root, await this.#code(), { run });
      if (!done) throw new Error(shared.notInserted);
      this.host.announce(run ? shared.insertedAndRun : shared.inserted);
    });
  }

  async save(kind: FileKind): Promise<void> {
    const { requests } = this.host;
    const { beside } = this.delivery;
    const places = sourcesOf(this.table.view, this.#extract());
    const args = this.#about({ format: kind, beside, ...places });
    await this.#trying(words.noDownload, () =>
      this.delivery.run(words.saving(NAMES[kind]), (options) =>
        requests.request("export", args, options),
      ),
    );
  }

  /** What is added to a deck: the selected cells, or no positions for all that are shown. */
  shown() {
    const extract = this.#extract();
    return this.#about(extract.isWhole ? {} : sourcesOf(this.table.view, extract));
  }

  async #copyCells(form: Exclude<Form, "code">): Promise<void> {
    const extract = this.#extract();
    const { lowBase } = this.table.settings.style.peek();
    const here = this.table.view.covers(spanOf(extract.rows), spanOf(extract.columns));
    const sheets = await readSheets(this.table, extract, extract.isWhole);
    const { root } = this.host;
    const worked = copyInto(root, written(form, sheets, lowBase));
    // A browser allows clipboard access only for a short time after a click; a busy kernel takes
    // longer.
    if (!(await worked)) throw new Error(here ? shared.copyFailed : strings.copyAgain);
    const done = strings.copied(this.#count(extract));
    const isGone = this.host.requests.status.peek() === "gone";
    this.#confirm(isGone ? strings.copiedBehind(done) : done);
    if (isGone) this.table.session.trouble.value = strings.copiedBehind(done);
  }

  async #copyCode(): Promise<void> {
    if (!(await copyText(await this.#code(), this.host.root))) throw new Error(strings.copyAgain);
    this.#confirm(words.copiedCode);
  }

  /** Announces what was copied, and shows "copied" briefly. */
  #confirm(sentence: string): void {
    this.host.announce(sentence);
    this.copied.value = true;
    this.#unconfirm();
  }

  /** Python code that counts what is exported. */
  async #code(): Promise<string> {
    const extract = this.#extract();
    const places = extract.isWhole ? {} : sourcesOf(this.table.view, extract);
    const { data } = await this.host.requests.request("code", this.#about(places), {
      key: "code",
      signal: this.host.lifetime,
    });
    return data.code;
  }

  /** What is copied and exported, by every command: the selected cells, else the whole table. */
  #extract(cursor = this.controller.cursor.peek()): Extract & { isWhole: boolean } {
    const { rows: down, columns: over } = this.table.view;
    const whole = { rows: upTo(0, down.count), columns: upTo(0, over.count) };
    const { names } = cursor;
    if (names) {
      const chosen = new Set(names.lines);
      const isChosen = (axis: ViewAxis) => (place: number) => chosen.has(axis.source(place));
      const part =
        names.axis === "row"
          ? { ...whole, rows: whole.rows.filter(isChosen(down)) }
          : { ...whole, columns: whole.columns.filter(isChosen(over)) };
      // The items of a collapsed group are selected, but not shown.
      const isWhole = part.rows.length === 0 || part.columns.length === 0;
      return isWhole ? { ...whole, isWhole } : { ...part, isWhole };
    }
    const range = rangeOf(cursor);
    const size = cellsIn(range);
    if (range === null || size <= 1 || size === down.count * over.count)
      return { ...whole, isWhole: true };
    const { rows, columns } = range;
    return {
      rows: upTo(rows.start, rows.end),
      columns: upTo(columns.start, columns.end),
      isWhole: false,
    };
  }

  /** The number of cells, without group rows. */
  #count({ rows, columns }: Extract): number {
    return this.table.view.rows.sources(rows).length * columns.length;
  }

  #about<A extends object>(args: A): A & { generation: number } {
    return { generation: this.table.session.state.peek().generation, ...args };
  }

  async #trying(otherwise: string, work: () => Promise<unknown>): Promise<void> {
    // Cleared after success only, so that an error message of the export remains.
    this.table.session.trouble.value = null;
    try {
      await work();
    } catch (error) {
      const summary = failureOf(error);
      if (summary !== null) this.table.session.trouble.value = summary || otherwise;
    }
  }
}

function upTo(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

/** A format as text, and as HTML where it has one. */
function written(form: Exclude<Form, "code">, sheets: readonly Sheet[], lowBase: LowBase) {
  if (form === "table") return { text: spreadsheetText(sheets), html: spreadsheetHtml(sheets) };
  const text = markdown(sheets, lowBase);
  return form === "document" ? { text, html: documentHtml(sheets, lowBase) } : { text };
}

function copyInto(root: HTMLElement, { text, html }: { text: string; html?: string }) {
  return html === undefined ? copyText(text, root) : copyRich({ text, html }, root);
}
