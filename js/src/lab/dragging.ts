/**
 * Drags snippets into a notebook. The drag data has the MIME type of JupyterLab's cells, so that
 * the notebook itself accepts it, between the cells that the pointer shows.
 */
import { codeCell } from "./cells";
import type { LuminoCore, LuminoDragging } from "./jupyter";
import type { Snippet, Snippets } from "./snippets";

const CELLS = "application/vnd.jupyter.cells";

/** Pixels that the pointer moves before a press becomes a drag. */
const THRESHOLD = 5;

interface DraggingInputs {
  lumino: LuminoCore & LuminoDragging;
  snippets: Snippets;
}

export interface DragOptions {
  /** The snippet at a press position, if any. */
  pieceAt(target: Element): Snippet | null;
  /** Called after a drop, with whether the cell runs. */
  onDropped(snippet: Snippet, runs: boolean): void;
  onFailed(error: Error): void;
  lifetime: AbortSignal;
}

export type Dragging = ReturnType<typeof createDragging>;

export function createDragging({ lumino, snippets }: DraggingInputs) {
  async function drag(snippet: Snippet, at: PointerEvent, options: DragOptions): Promise<void> {
    // Requested while the pointer moves; the code that awaits it shows a failure.
    const code = snippets.codeOf(snippet);
    code.catch(() => {});
    const id = lumino.UUID.uuid4();
    const mimeData = new lumino.MimeData();
    mimeData.setData(CELLS, [{ ...codeCell(""), id }]);
    const dragged = new lumino.Drag({
      mimeData,
      dragImage: imageOf(snippet.label),
      supportedActions: "copy",
      proposedAction: "copy",
      source: null,
    });
    if ((await dragged.start(at.clientX, at.clientY)) === "none") return;
    try {
      options.onDropped(snippet, await snippets.fill(id, code, snippet.connection));
    } catch (error) {
      options.onFailed(error as Error);
    }
  }

  return {
    /** Makes the snippets in `root` draggable. */
    from(root: HTMLElement, options: DragOptions): void {
      const listen = (event: PointerEvent) => {
        if (event.button !== 0 || event.ctrlKey || !(event.target instanceof Element)) return;
        const snippet = options.pieceAt(event.target);
        if (!snippet) return;
        watch(event, (moved) => {
          swallowClick(root.ownerDocument);
          void drag(snippet, moved, options);
        });
      };
      root.addEventListener("pointerdown", listen, { signal: options.lifetime });
      // The browser's own drag would capture the pointer.
      const refuse = (event: DragEvent) => {
        if (event.target instanceof Element && options.pieceAt(event.target))
          event.preventDefault();
      };
      root.addEventListener("dragstart", refuse, { signal: options.lifetime });
    },
  };
}

/** Calls `begin` once the pointer has moved far enough; not if it is released before. */
function watch(pressed: PointerEvent, begin: (moved: PointerEvent) => void): void {
  const page = (pressed.target as Element).ownerDocument;
  const ended = new AbortController();
  const listening = { signal: ended.signal, capture: true };
  const move = (event: PointerEvent) => {
    const far = Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
    if (far < THRESHOLD) return;
    ended.abort();
    begin(event);
  };
  page.addEventListener("pointermove", move, listening);
  for (const end of ["pointerup", "pointercancel"] as const) {
    page.addEventListener(end, () => ended.abort(), listening);
  }
}

/** A drag that ends where it began must not count as a click. */
function swallowClick(page: Document): void {
  const ended = new AbortController();
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  page.addEventListener("click", swallow, { capture: true, once: true, signal: ended.signal });
  // The click, if any, follows directly after the release.
  const soon = () => setTimeout(() => ended.abort());
  page.addEventListener("pointerup", soon, { capture: true, once: true });
}

function imageOf(label: string): HTMLElement {
  const image = document.createElement("div");
  image.className = "al-drag-card";
  image.textContent = label;
  return image;
}
