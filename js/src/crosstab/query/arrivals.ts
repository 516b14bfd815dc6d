/**
 * Brings into view what an edit of this page adds: the cursor moves to its header, what is new is
 * announced, and one that is joined of others can be renamed at once. Undo goes back to where the
 * edit was made.
 */
import { effect, type Signal, untracked } from "@preact/signals";
import type { Edit } from "../../protocol";
import type { Orientation } from "../arrangement/tableView";
import { targetAt } from "../arrangement/target";
import type { Table } from "../table/table";
import type { Controller } from "../view/controller";
import { type CursorState, nameAt } from "../view/cursor";
import type { OpenPanel } from "./commands";
import type { QueryEditor } from "./queryEditor";
import { words } from "./strings";

/** Milliseconds after which another table is no longer waited for. */
const LATE = 5_000;
const AXES = ["row", "column"] as const satisfies Orientation[];

/** Where an edit was made, and the size of its table. */
interface Scene {
  readonly cursor: CursorState;
  readonly at: readonly [left: number, top: number];
  readonly size: string;
}

interface Arrival {
  readonly axis: Orientation;
  /** The visible positions of the first new item and of its last neighbour, and its name. */
  readonly first: number;
  readonly last: number;
  readonly name: string;
  readonly count: number;
}

/** The editor, whose edits are shown where they arrive. */
export function withArrivals(
  editor: QueryEditor,
  table: Table,
  controller: { readonly current: Controller | null },
  open: Signal<OpenPanel | null>,
): QueryEditor {
  const trail: Scene[] = [];

  async function follow(step: () => Promise<boolean>, edit: Edit | null): Promise<boolean> {
    const [since, scene] = [table.session.generation, sceneOf(table, controller.current)];
    const back = edit === null ? trail.pop() : undefined;
    const done = await step();
    if (done) void show(since, scene, edit, back);
    else if (back) trail.push(back);
    return done;
  }

  async function show(
    since: number,
    scene: Scene | null,
    edit: Edit | null,
    back: Scene | undefined,
  ): Promise<void> {
    const arrival = await arrivalIn(table, since, editor.host.lifetime);
    const { current } = controller;
    if (arrival === undefined || !current) return;
    if (edit && scene) trail.push(scene);
    const isBack = back !== undefined && back.size === sizeOf(table);
    if (!isBack && arrival === null) return;
    const { viewport, cursor } = current;
    await nextFrame();
    if (isBack) {
      cursor.restore(back.cursor);
      viewport.scroller.scrollTo?.(...back.at);
    } else if (arrival) {
      // As much of it as there is space for, from its first.
      viewport.reveal(nameAt(arrival.axis, arrival.last));
      viewport.reveal(nameAt(arrival.axis, headOf(table, arrival)));
      // The first columns, such as everyone, stay where it begins beside them.
      if (arrival.axis === "column" && arrival.first < 3) viewport.toStart(false);
      current.moveTo(nameAt(arrival.axis, arrival.first), false);
      markUntilLeft(table, current);
    }
    await nextFrame();
    const isElsewhere = editor.host.root.querySelector(".al-popover") !== null;
    if (!isElsewhere) viewport.focus();
    if (arrival) {
      const { axis, count, name } = arrival;
      editor.host.announce(words.added(axis, count, name));
    }
    const joins = edit?.do === "net" || edit?.do === "merge";
    const target = arrival && targetAt(table.view, cursor.peek().focus);
    if (joins && target && arrival.count === 1 && !isElsewhere)
      open.value = { kind: "rename", target };
  }

  return {
    ...editor,
    edit: (change) => follow(() => editor.edit(change), change),
    undo: () => follow(editor.undo, null),
    redo: () => follow(editor.redo, null),
  };
}

function sceneOf(table: Table, controller: Controller | null): Scene | null {
  if (!controller) return null;
  const { scrollLeft, scrollTop } = controller.viewport.scroller;
  return {
    cursor: controller.cursor.peek(),
    at: [scrollLeft, scrollTop],
    size: sizeOf(table),
  };
}

function sizeOf({ session, view }: Table): string {
  const { rows, columns } = session.state.peek();
  return `${rows} ${columns} ${view.transposed.peek()}`;
}

/** What the next table has that is new, once it can be shown; undefined where none begins. */
function arrivalIn(
  table: Table,
  since: number,
  lifetime: AbortSignal,
): Promise<Arrival | null | undefined> {
  return new Promise((resolve) => {
    const end = (arrival: Arrival | null | undefined) => {
      clearTimeout(late);
      queueMicrotask(() => stop());
      resolve(arrival);
    };
    const late = setTimeout(() => end(undefined), LATE);
    const stop = effect(() => {
      table.revision.value;
      if (lifetime.aborted) return end(undefined);
      if (table.session.generation <= since) return;
      const found = untracked(() => newIn(table));
      if (found !== undefined) end(found);
    });
  });
}

/** null: nothing is new. undefined: it cannot be shown yet. */
function newIn({ view }: Table): Arrival | null | undefined {
  for (const axis of AXES) {
    const along = view.along(axis);
    const { fresh, names } = along.items;
    const [source] = fresh;
    if (source === undefined) continue;
    const [first, name] = [along.position(source), names.at(source)];
    if (first < 0 || !name || !view.arranger.isSettled(along.side)) return undefined;
    let last = source;
    while (fresh.has(last + 1)) last++;
    return {
      axis,
      first,
      last: along.position(last),
      name: along.wholeName(first),
      count: fresh.size,
    };
  }
  return null;
}

/** The row of the outermost group that begins with what is new. */
function headOf({ view }: Table, { axis, first }: Arrival): number {
  let head = first;
  while (axis === "row" && view.rows.section(head - 1)) head--;
  return head;
}

/** What is new stays marked until the cursor leaves it. */
function markUntilLeft(table: Table, { cursor }: Controller): void {
  let stop = () => {};
  stop = cursor.subscribe(() => {
    const { row, column } = cursor.peek().focus;
    const { view } = table;
    if (view.newName("row", row) || view.newName("column", column)) return;
    queueMicrotask(() => {
      stop();
      table.seen();
    });
  });
}

function nextFrame(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
}
