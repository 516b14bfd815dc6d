/** Questions dragged out of a picker onto the rows, the columns or the base of a table. */
import { droppedQuestions, hasQuestions } from "../../catalogue/dragging";
import type { Axis } from "./protocol";
import type { QueryEditor } from "./queryEditor";

/** Handlers for a drop target; `onto`: the part of the query that questions are added to. */
export function questionDrop(
  editor: Pick<QueryEditor, "edit">,
  onto: (event: DragEvent) => Axis | "base",
) {
  const mark = (event: DragEvent, side: Axis | "base" | null) => {
    const { dataset } = event.currentTarget as HTMLElement;
    if (side) dataset.drop = side;
    else delete dataset.drop;
  };
  return {
    onDragOver(event: DragEvent) {
      if (!hasQuestions(event)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
      mark(event, onto(event));
    },
    onDragLeave(event: DragEvent) {
      const { currentTarget, relatedTarget } = event;
      if (!(currentTarget as Node).contains(relatedTarget as Node | null)) mark(event, null);
    },
    onDrop(event: DragEvent) {
      const picked = droppedQuestions(event);
      mark(event, null);
      if (!picked) return;
      event.preventDefault();
      event.stopPropagation();
      const side = onto(event);
      void editor.edit(
        side === "base"
          ? { do: "bases", keep: [], picked, saved: [] }
          : { do: "add", axis: side, how: "split", picked, saved: [] },
      );
    },
  };
}
