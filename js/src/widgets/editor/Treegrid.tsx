/**
 * The treegrid: one row for each node in sight, of which one has the keyboard. Keys come in here
 * and leave as commands; which key means what stands in `keyboard.ts`.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../shared/icons";
import { AddOverlay } from "./AddOverlay";
import { AnswersOverlay } from "./AnswersOverlay";
import { asKey, type Command, controlKey, rowKey } from "./keyboard";
import { MenuOverlay } from "./MenuOverlay";
import { useEditor } from "./parts";
import { RowView } from "./RowView";
import type { EditorState, Row } from "./state";
import { words } from "./strings";

export function Treegrid() {
  const { state } = useEditor();
  const grid = useRef<HTMLDivElement>(null);
  const grab = state.grab.value;

  useLayoutEffect(() => {
    if (grab > 0) rowElement(grid.current, state.activeId.peek())?.focus({ preventScroll: false });
  }, [grab]);

  const { columns } = words;
  return (
    <div class="al-editor-tree">
      <div
        ref={grid}
        role="treegrid"
        aria-label={words.tree}
        onKeyDown={(event) => onKey(event, state)}
        onFocusIn={(event) => {
          const id = idOf(event.target as Element);
          if (id) state.activate(id);
        }}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the head is not a stop */}
        {/* biome-ignore lint/a11y/useSemanticElements: part of the treegrid above */}
        <div role="row" class="al-editor-row al-editor-head">
          <Head name={columns.condition} />
          <Head name={columns.size} number />
          <Head name={columns.sample} number />
          <Head name={columns.percentage} number />
          <Head name={columns.waves} />
        </div>
        {state.rows.value.map((row) => (
          <RowView key={row.node.id} row={row} />
        ))}
      </div>
      <Footer />
      <Overlays />
    </div>
  );
}

function Head({ name, number = false }: { name: string; number?: boolean }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a treegrid
    // biome-ignore lint/a11y/useFocusableInteractive: the head is not a stop
    <div role="columnheader" class={`al-editor-cell ${number ? "al-number" : ""}`}>
      {name}
    </div>
  );
}

/** What to do next, always in the same place. */
function Footer() {
  const { state } = useEditor();
  const { root } = state.document.value;
  return (
    <div class="al-editor-footer">
      {root.children.length === 0 && <span class="al-quiet">{words.everyone}</span>}
      <button
        type="button"
        class="al-editor-add"
        data-opens={`add ${root.id}`}
        onClick={() => {
          state.overlay.value = { kind: "add", id: root.id };
        }}
      >
        <Icon name="plus" />
        {words.addCondition}
      </button>
      <button type="button" class="al-editor-add" onClick={() => state.addGroup(root.id)}>
        <Icon name="group" />
        {words.addGroup}
      </button>
    </div>
  );
}

function Overlays() {
  const { state } = useEditor();
  const overlay = state.overlay.value;
  if (!overlay) return null;
  const key = `${overlay.kind} ${overlay.id}`;
  if (overlay.kind === "add") return <AddOverlay key={key} id={overlay.id} />;
  if (overlay.kind === "answers") return <AnswersOverlay key={key} id={overlay.id} />;
  return <MenuOverlay key={key} id={overlay.id} />;
}

// ---- keys ----

function onKey(event: KeyboardEvent, state: EditorState): void {
  const target = event.target as HTMLElement;
  const id = idOf(target);
  const row = state.rows.peek().find(({ node }) => node.id === id);
  if (!row || event.defaultPrevented) return;
  const onRow = target.getAttribute("role") === "row";
  if (!onRow && keepsItsKeys(target, event)) return;
  const command = onRow
    ? rowKey(asKey(event), { kind: row.node.kind, open: row.open })
    : controlKey(asKey(event));
  if (!command) return;
  event.preventDefault();
  event.stopPropagation();
  perform(command, row, state, target);
}

/** A list or a number uses the arrows itself; only Escape and moving the node are ours there. */
function keepsItsKeys(target: HTMLElement, event: KeyboardEvent): boolean {
  if (!/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return false;
  return event.key !== "Escape" && !event.altKey;
}

function perform(command: Command, row: Row, state: EditorState, target: HTMLElement): void {
  const { node } = row;
  const { id } = node;
  const open = (kind: "answers" | "add" | "menu") => {
    state.overlay.value = { kind, id };
  };
  switch (command.do) {
    case "focus":
      focusRow(command.to, row, state);
      break;
    case "control":
      focusControl(command.step, target, state, id);
      break;
    case "fold":
      state.fold(id, command.open);
      break;
    case "move":
      state.move(id, command.to);
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
    case "toggleOperator":
      if (node.kind === "group") state.setOperator(id, node.operator === "and" ? "or" : "and");
      break;
    case "undo":
    case "redo":
      state[command.do]();
      break;
    default:
      state[command.do](id);
  }
}

function focusRow(
  to: "previous" | "next" | "first" | "last" | "parent" | "row",
  row: Row,
  state: EditorState,
): void {
  const rows = state.rows.peek();
  const at = rows.indexOf(row);
  const last = rows.length - 1;
  const index = { previous: at - 1, next: at + 1, first: 0, last, row: at, parent: -1 }[to];
  const id = to === "parent" ? row.parent : rows[Math.min(Math.max(index, 0), last)]?.node.id;
  state.focus(id ?? null);
}

/** Walks over the controls of a row; before the first one stands the row itself. */
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

function idOf(element: Element): string | null {
  return element.closest<HTMLElement>("[data-node]")?.dataset.node ?? null;
}

function rowElement(grid: HTMLElement | null, id: string): HTMLElement | null {
  return grid?.querySelector<HTMLElement>(`[data-node="${id}"]`) ?? null;
}
