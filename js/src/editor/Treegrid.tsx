/** The treegrid: one row for each visible node, with a roving tabindex. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../ui/icons";
import { AddOverlay } from "./AddOverlay";
import { AnswersOverlay } from "./AnswersOverlay";
import { followClicks, followKeys, followPresses } from "./commands";
import { useEditor } from "./context";
import { locate, type NodeId } from "./document";
import { useDragging } from "./dragging";
import { MenuOverlay } from "./MenuOverlay";
import { type RowProps, RowView } from "./RowView";
import { SavedOverlay } from "./SavedOverlay";
import { words } from "./strings";

export function Treegrid() {
  const parts = useEditor();
  const { state } = parts;
  const grid = useRef<HTMLDivElement>(null);
  const dragging = useDragging();
  const grab = state.grab.value;
  const rows = useRows();

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
        aria-multiselectable="true"
        onKeyDown={(event) => followKeys(event, parts)}
        onMouseDown={followPresses}
        onClick={(event) => followClicks(event, parts)}
        onFocusIn={(event) => {
          const id = (event.target as Element).closest<HTMLElement>("[data-node]")?.dataset.node;
          if (id) state.activate(id);
        }}
        {...dragging}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: column headers take no focus */}
        {/* biome-ignore lint/a11y/useSemanticElements: part of the treegrid above */}
        <div role="row" class="al-editor-row al-editor-head">
          <Head name={columns.condition} />
          <Head name={columns.size} number />
          <Head name={columns.sample} number />
          <Head name={columns.percentage} number />
          <Head name={columns.waves} />
        </div>
        {rows}
      </div>
      <Footer />
      <Overlays />
    </div>
  );
}

interface Drawn extends RowProps {
  element: VNode;
}

/** The visible rows. An unchanged row keeps its object, so that it is not rendered again. */
function useRows(): VNode[] {
  const { state } = useEditor();
  const kept = useRef<ReadonlyMap<NodeId, Drawn>>(new Map());
  const active = state.activeId.value;
  const selected = state.selected.value;
  const faults = state.faults.value;
  const drawn = new Map<NodeId, Drawn>();
  for (const row of state.rows.value) {
    const { id } = row.node;
    const props = {
      row,
      active: id === active,
      selected: selected.has(id),
      faulty: faults.has(id),
    };
    const before = kept.current.get(id);
    const same = before && sameFields(before.row, row) && sameFields(props, { ...before, row });
    drawn.set(id, same ? before : { ...props, element: <RowView key={id} {...props} /> });
  }
  kept.current = drawn;
  return [...drawn.values()].map(({ element }) => element);
}

/** Whether `b` has all fields of `a` with equal values. */
function sameFields<T extends object>(one: T, other: T): boolean {
  return Object.entries(one).every(([name, value]) => other[name as keyof T] === value);
}

function Head({ name, number = false }: { name: string; number?: boolean }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a treegrid
    // biome-ignore lint/a11y/useFocusableInteractive: column headers take no focus
    <div role="columnheader" class={`al-editor-cell ${number ? "al-number" : ""}`}>
      {name}
    </div>
  );
}

/** The empty state, always in the same position. */
function Footer() {
  const { state, edits } = useEditor();
  const { root } = state.document.value;
  const picked = state.selected.value.size;
  // A newly added group is usually filled next.
  const active = locate(state.document.value, state.activeId.value)?.node;
  const into = active?.kind === "group" && active.children.length === 0 ? active.id : root.id;
  return (
    <div class="al-editor-footer">
      {root.children.length === 0 && <span class="al-quiet">{words.everyone}</span>}
      <button
        type="button"
        class="al-editor-add"
        data-opens={`add ${into}`}
        onClick={() => {
          state.overlay.value = { kind: "add", id: into };
        }}
      >
        <Icon name="plus" />
        {words.addCondition}
      </button>
      <button type="button" class="al-editor-add" onClick={() => edits.addGroup(root.id)}>
        <Icon name="group" />
        {words.addGroup}
      </button>
      {picked > 1 && (
        <span class="al-quiet">
          {words.picked(picked)}{" "}
          <button type="button" class="al-link" onClick={() => state.select([])}>
            {words.unpick}
          </button>
        </span>
      )}
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
  if (overlay.kind === "saved") return <SavedOverlay key={key} id={overlay.id} />;
  return <MenuOverlay key={key} id={overlay.id} />;
}

function rowElement(grid: HTMLElement | null, id: string): HTMLElement | null {
  return grid?.querySelector<HTMLElement>(`[data-node="${id}"]`) ?? null;
}
