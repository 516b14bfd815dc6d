/**
 * Nodes dragged by their grips: to another place in the tree, into a group, onto a condition (the
 * two become a group), or into another editor, which gets a copy. Questions dragged out of the
 * picker become conditions. Keys and the menu do the same.
 */
import { computed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { droppedQuestions, hasQuestions } from "../catalogue/dragging";
import { scrollAtEdge } from "../core/autoscroll";
import { mayMoveTo, nodesOf, type Where } from "./bulkEdits";
import { useEditor } from "./context";
import { readNodes, writeNodes } from "./parse";
import type { EditorState } from "./state";

/** Told apart from other text that is dragged over; its content is kept from us until the drop. */
const TYPE = "application/x-audiencelab-conditions+json";

/** Where on a row the pointer is, from 0 (its upper edge) to 1: what a drop there does. */
export function whereOn(row: { kind: "group" | "leaf"; level: number }, height: number): Where {
  if (row.level === 1) return "inside";
  if (height < 0.3) return "before";
  if (row.kind === "group") return "inside";
  return height > 0.7 ? "behind" : "join";
}

/** The handlers of the element that holds the rows. */
export function useDragging() {
  const { state, edits } = useEditor();
  return useMemo(() => {
    const drop = (event: DragEvent) => {
      const spot = spotOf(event, state);
      const dragged = state.dragged.peek();
      state.dragged.value = null;
      state.drop.value = null;
      if (!spot) return;
      event.preventDefault();
      event.stopPropagation();
      if (dragged && !event.ctrlKey) edits.moveTo(dragged, spot.id, spot.where);
      else {
        const nodes = readNodes(event.dataTransfer?.getData(TYPE) ?? "") ?? pickedNodes(event);
        if (nodes) edits.insert(spot.id, nodes, spot.where);
      }
    };
    const over = (event: DragEvent) => {
      const spot = spotOf(event, state);
      const before = state.drop.peek();
      if (spot?.id !== before?.id || spot?.where !== before?.where) state.drop.value = spot;
      scrollAtEdge(event.currentTarget as Element, event.clientY);
      if (!spot || !event.dataTransfer) return;
      // Without this the browser lets nothing be dropped.
      event.preventDefault();
      event.dataTransfer.dropEffect = state.dragged.peek() && !event.ctrlKey ? "move" : "copy";
    };
    return {
      onDragStart: (event: DragEvent) => {
        const id = nodeOf(event);
        if (id === null || !event.dataTransfer) return;
        const ids = state.targets(id);
        const text = writeNodes(nodesOf(state.document.peek(), ids));
        state.dragged.value = ids;
        event.dataTransfer.effectAllowed = "copyMove";
        event.dataTransfer.setData(TYPE, text);
        event.dataTransfer.setData("text/plain", text);
        const row = (event.target as Element).closest("[data-node]");
        if (row) event.dataTransfer.setDragImage(row, 12, 12);
      },
      onDragOver: over,
      onDragLeave: (event: DragEvent) => {
        const { currentTarget, relatedTarget } = event;
        const within =
          relatedTarget instanceof Node && (currentTarget as Node).contains(relatedTarget);
        if (!within) state.drop.value = null;
      },
      onDrop: drop,
      onDragEnd: () => {
        state.dragged.value = null;
        state.drop.value = null;
      },
    };
  }, [state, edits]);
}

/** How a drop onto this row would look, or undefined. */
export function useDropMark(id: string): Where | undefined {
  const { state } = useEditor();
  const mark = useMemo(
    () => computed(() => (state.drop.value?.id === id ? state.drop.value.where : undefined)),
    [state, id],
  );
  return mark.value;
}

function spotOf(event: DragEvent, state: EditorState): { id: string; where: Where } | null {
  const id = nodeOf(event);
  const row = state.rows.peek().find(({ node }) => node.id === id);
  const dragged = state.dragged.peek();
  if (!id || !row || (!dragged && !isTaken(event))) return null;
  if (dragged && !event.ctrlKey && !mayMoveTo(state.document.peek(), dragged, id)) return null;
  const box = (event.target as Element).closest("[data-node]")?.getBoundingClientRect();
  const height = box && box.height > 0 ? (event.clientY - box.top) / box.height : 0.5;
  return { id, where: whereOn({ kind: row.node.kind, level: row.level }, height) };
}

function isTaken(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(TYPE) || hasQuestions(event);
}

/** A condition for each question that was dropped; one of no answers is one of every answer. */
function pickedNodes(event: DragEvent) {
  const picked = droppedQuestions(event)?.map(({ datapoints, ...rest }) =>
    datapoints.length > 0 ? { ...rest, datapoints } : rest,
  );
  return picked ? readNodes(JSON.stringify(picked)) : null;
}

/** Marked text is dragged by its text node, and is no node of the tree. */
function nodeOf({ target }: Event): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-node]") : null;
  return row?.dataset.node ?? null;
}
