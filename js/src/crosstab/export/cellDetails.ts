/**
 * The details of one cell, loaded from the kernel. The open panel follows the cursor; the latest
 * cell wins.
 */
import { effect, type Signal, signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import { failureOf } from "../../core/answers";
import { debounced, onAbort } from "../../core/lifetime";
import type { CellReport, GridWidget } from "../../protocol";
import { useHost, type WidgetHost } from "../../ui/host";
import { cellsIn, isCell } from "../arrangement/position";
import type { Controller } from "../view/controller";
import { rangeOf } from "../view/cursor";
import { words } from "./strings";

export type { CellCount, CellFormula, CellReport } from "../../protocol";

/** Milliseconds on a cell before its details are requested. */
const QUIET_MS = 120;

/** The details of one view of a crosstab. */
export function useCellDetails(controller: Controller | null): CellDetailsState | null {
  const host = useHost<GridWidget>();
  const [details, setDrill] = useState<CellDetailsState | null>(null);
  useLayoutEffect(() => {
    if (controller === null) return;
    const life = new AbortController();
    setDrill(new CellDetailsState(host, controller, life.signal));
    return () => life.abort();
  }, [host, controller]);
  return details;
}

export class CellDetailsState {
  readonly isOpen: Signal<boolean> = signal(false);
  readonly summary: Signal<CellReport | null> = signal(null);
  /** Why the details of the cell could not be loaded. */
  readonly problem: Signal<string | null> = signal(null);
  #asked = "";

  constructor(
    private readonly host: WidgetHost<GridWidget>,
    private readonly controller: Controller,
    lifetime: AbortSignal,
  ) {
    const { cursor, table, viewport } = controller;
    const follow = debounced(QUIET_MS, lifetime, () => {
      // The panel may have been closed meanwhile.
      if (this.isOpen.peek()) void this.#ask();
    });
    const stop = effect(() => {
      cursor.value;
      // Details are requested again for another table and for newly counted cells.
      table.session.state.value;
      table.session.progress.value;
      if (this.isOpen.value) follow();
    });
    onAbort(lifetime, stop);
    const options = { capture: true, signal: lifetime };
    viewport.scroller.addEventListener("keydown", (event) => this.#press(event), options);
    viewport.scroller.addEventListener("dblclick", (event) => this.#pointed(event), options);
  }

  toggle(): void {
    if (this.isOpen.peek()) this.close();
    else void this.open();
  }

  async open(): Promise<void> {
    this.isOpen.value = true;
    await this.#ask();
    const { value } = this.summary;
    if (!value || !this.isOpen.peek()) return;
    this.host.announce(words.opened(value.title));
    // The panel makes the table lower: the described cell is scrolled into view again.
    requestAnimationFrame(() => this.controller.viewport.showCursor());
  }

  close(): void {
    this.isOpen.value = false;
    this.#asked = "";
    this.summary.value = null;
    this.problem.value = null;
  }

  /** Escape beside or in the open panel closes it and returns the focus to the table. */
  leave(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.isOpen.peek()) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
    this.controller.viewport.focus();
  }

  /** Whether the table is transposed. */
  get isTurned(): boolean {
    return this.controller.table.view.transposed.value;
  }

  #press(event: KeyboardEvent): void {
    const { cursor } = this.controller;
    const isEscape = event.key === "Escape" && this.isOpen.peek();
    if (isEscape && cellsIn(rangeOf(cursor.peek())) <= 1) this.close();
    else if (event.key === "Enter" && !event.shiftKey && this.#place() !== null) this.toggle();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #pointed(event: MouseEvent): void {
    const position = this.controller.viewport.painter.positionOf(event.target);
    if (position !== null && isCell(position) && this.#place() !== null) void this.open();
  }

  /** The cursor's cell by its position in the query; null in a header. */
  #place(): { row: number; column: number } | null {
    const { focus } = this.controller.cursor.peek();
    const { view } = this.controller.table;
    if (!isCell(focus)) return null;
    const [down, over] = [view.rows.source(focus.row), view.columns.source(focus.column)];
    if (down < 0 || over < 0) return null;
    const { rows: row, columns: column } = view.inQuery(down, over);
    return { row, column };
  }

  async #ask(): Promise<void> {
    const place = this.#place();
    const { table } = this.controller;
    const { generation, version } = table.session.progress.peek() ?? {};
    const asked = place === null ? "" : JSON.stringify([place, generation, version]);
    if (place === null || asked === this.#asked) return;
    this.#asked = asked;
    try {
      const { data } = await this.host.requests.request(
        "drill",
        { generation: table.session.state.peek().generation, ...place },
        { key: "drill", signal: this.host.lifetime },
      );
      if (asked !== this.#asked) return;
      this.summary.value = data;
      this.problem.value = null;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.summary.value = null;
      this.problem.value = failureOf(error);
    }
  }
}
