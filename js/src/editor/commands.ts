/**
 * The commands of keys and clicks on the treegrid. Keys are mapped in `keyboard.ts`, edits are in
 * `edits.ts`.
 */

import type { EditorParts } from "./context";
import { asKey, type Command, controlKey, rowKey } from "./keyboard";
import type { EditorState, Row } from "./state";

export function followKeys(event: KeyboardEvent, parts: EditorParts): void {
  const { state } = parts;
  const target = event.target as HTMLElement;
  const row = rowOf(target, state);
  if (!row || event.defaultPrevented) return;
  const onRow = target.getAttribute("role") === "row";
  if (!onRow && keepsItsKeys(target, event)) return;
  const selecting = state.selected.peek().size > 0;
  const command = onRow
    ? rowKey(asKey(event), { kind: row.node.kind, open: row.open, selecting })
    : controlKey(asKey(event));
  if (!command) return;
  event.preventDefault();
  event.stopPropagation();
  perform(command, row, parts, target);
}

/**
 * On a press with Shift the focus stays on the anchor row until the click extends the selection;
 * text is not selected.
 */
export function followPresses(event: MouseEvent): void {
  if (event.shiftKey && !isOnControl(event.target as HTMLElement)) event.preventDefault();
}

/** A click with Shift or Ctrl selects several rows; a plain click clears the selection. */
export function followClicks(event: MouseEvent, { state }: EditorParts): void {
  const target = event.target as HTMLElement;
  const row = rowOf(target, state);
  if (!row || isOnControl(target)) return;
  const { id } = row.node;
  if (event.shiftKey) state.selectTo(id);
  else if (event.ctrlKey || event.metaKey) state.toggleSelected(id);
  else state.select([]);
  state.focus(id);
}

function isOnControl(target: HTMLElement): boolean {
  return target.closest("button, input, select") !== null;
}

/** A list or a number field needs the arrow keys; only Escape and moving the node are handled. */
function keepsItsKeys(target: HTMLElement, event: KeyboardEvent): boolean {
  if (!/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return false;
  return event.key !== "Escape" && !event.altKey;
}

function perform(command: Command, row: Row, parts: EditorParts, target: HTMLElement): void {
  const { state, edits } = parts;
  const { node } = row;
  const { id } = node;
  const open = (kind: "answers" | "add" | "menu") => {
    state.overlay.value = { kind, id };
  };
  switch (command.do) {
    case "focus":
      state.focus(neighbour(command.to, row, state));
      break;
    case "extend": {
      const to = neighbour(command.to, row, state);
      if (to === null) break;
      state.selectTo(to);
      state.focus(to);
      break;
    }
    case "select":
      state.toggleSelected(id);
      break;
    case "selectAll":
      state.selectAll();
      break;
    case "unselect":
      state.select([]);
      break;
    case "control":
      focusControl(command.step, target, state, id);
      break;
    case "fold":
      state.fold(id, command.open);
      break;
    case "move":
      edits.move(id, command.to);
      break;
    case "edit":
      open("answers");
      break;
    case "addCondition":
      open("add");
      break;
    case "menu":
      open("menu");
      break;
    case "keys":
      state.helping.value = true;
      break;
    case "toggleOperator":
      if (node.kind === "group") edits.setOperator(id, node.operator === "and" ? "or" : "and");
      break;
    default:
      edits[command.do](id);
  }
}

function neighbour(
  to: "previous" | "next" | "first" | "last" | "parent" | "row",
  row: Row,
  state: EditorState,
): string | null {
  const rows = state.rows.peek();
  const at = rows.indexOf(row);
  const last = rows.length - 1;
  const index = { previous: at - 1, next: at + 1, first: 0, last, row: at, parent: -1 }[to];
  const id = to === "parent" ? row.parent : rows[Math.min(Math.max(index, 0), last)]?.node.id;
  return id ?? null;
}

/** Moves through the controls of a row; before the first one is the row itself. */
function focusControl(
  step: "first" | "previous" | "next",
  target: HTMLElement,
  state: EditorState,
  id: string,
): void {
  const row = target.closest<HTMLElement>("[data-node]");
  const controls = [...(row?.querySelectorAll<HTMLElement>("[data-control]") ?? [])];
  const at = step === "first" ? 0 : controls.indexOf(target) + (step === "next" ? 1 : -1);
  if (at < 0) state.focus(id);
  else controls[at]?.focus();
}

function rowOf(element: Element, state: EditorState): Row | undefined {
  const id = element.closest<HTMLElement>("[data-node]")?.dataset.node;
  return state.rows.peek().find(({ node }) => node.id === id);
}
