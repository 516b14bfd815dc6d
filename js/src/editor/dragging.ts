/**
 * Dragging nodes by their handles: to another position in the tree, into a group, onto a condition
 * (which creates a group), or into another editor, which receives a copy. Questions dragged from a
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

/** A type of its own, because the content cannot be read before the drop. */
const TYPE = "application/x-audiencelab-conditions+json";

/** The drop position for a pointer offset within a row, from 0 (upper edge) to 1. */
export function whereOn(row: { kind: "group" | "leaf"; level: number }, height: number): Where {
  if (row.level === 1) return "inside";
  if (height < 0.3) return "before";
  if (row.kind === "group") return "inside";
  return height > 0.7 ? "behind" : "join";
}

/** The handlers of the element that contains the rows. */
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
      // Browsers allow a drop only if this event is cancelled.
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

/** The drop position at this row; undefined for none. */
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

/** A condition for each dropped question; a question without answers means any answer. */
function pickedNodes(event: DragEvent) {
  const picked = droppedQuestions(event)?.map(({ datapoints, ...rest }) =>
    datapoints.length > 0 ? { ...rest, datapoints } : rest,
  );
  return picked ? readNodes(JSON.stringify(picked)) : null;
}

/** Selected text is dragged from a text node, not from a row. */
function nodeOf({ target }: Event): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-node]") : null;
  return row?.dataset.node ?? null;
}
