/**
 * Cut, copy and paste of conditions. The clipboard has the service's JSON as text; pasted text may
 * also be Python code, which the kernel parses without running it.
 */
import { isAbort } from "../core/lifetime";
import type { Requests } from "../core/requests";
import type { EditorWidget } from "../protocol";
import { nodesOf } from "./bulkEdits";
import type { EditorNode, NodeId } from "./document";
import type { Edits } from "./edits";
import { readName, readNodes, writeNodes } from "./parse";
import type { EditorState } from "./state";
import { words } from "./strings";

export interface ClipboardInputs {
  state: EditorState;
  edits: Edits;
  requests: Requests<EditorWidget>;
  announce(sentence: string): void;
}

/** The content of a text: conditions, and the name of the audience, if it has one. */
interface Pasted {
  nodes: readonly EditorNode[];
  name: string;
}

export type Clipboard = ReturnType<typeof createClipboard>;

export function createClipboard({ state, edits, requests, announce }: ClipboardInputs) {
  /**
   * The text of a node, or of the selection that contains it; for the root, all of its children.
   */
  function textOf(id: NodeId): string {
    return writeNodes(nodesOf(state.document.peek(), state.targets(id)));
  }

  async function read(text: string): Promise<Pasted> {
    const nodes = readNodes(text);
    if (nodes) return { nodes, name: readName(text) };
    const { data } = await requests.request("read_code", { text }, { key: "read_code" });
    return { nodes: readNodes(JSON.stringify(data.expressions)) ?? [], name: data.name };
  }

  async function paste(id: NodeId, text: string): Promise<void> {
    if (text.trim() === "") return;
    state.notice.value = null;
    try {
      const { nodes, name } = await read(text);
      edits.paste(id, nodes, name);
      announce(words.pasted(nodes.length));
    } catch (error) {
      // After a second paste, only the later text counts.
      if (isAbort(error)) return;
      state.notice.value = words.notPasted(error instanceof Error ? error.message : String(error));
    }
  }

  return {
    textOf,
    paste,
    copied: (id: NodeId) => announce(words.copiedConditions(state.targets(id).length)),
    /** Handles the browser's clipboard events; text fields and selected text keep the default. */
    onCopy: (event: ClipboardEvent) => take(event, false),
    onCut: (event: ClipboardEvent) => take(event, true),
    onPaste: (event: ClipboardEvent) => {
      const id = rowWithKeys(event);
      if (id === null) return;
      event.preventDefault();
      event.stopPropagation();
      void paste(id, event.clipboardData?.getData("text/plain") ?? "");
    },
  };

  function take(event: ClipboardEvent, cut: boolean): void {
    const id = rowWithKeys(event);
    if (id === null || !event.clipboardData) return;
    event.preventDefault();
    event.stopPropagation();
    event.clipboardData.setData("text/plain", textOf(id));
    const number = state.targets(id).length;
    if (cut) edits.remove(id);
    announce(words.copiedConditions(number));
  }

  function rowWithKeys(event: ClipboardEvent): NodeId | null {
    const target = event.target as HTMLElement;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return null;
    const marked = target.ownerDocument.getSelection();
    if (event.type !== "paste" && marked && !marked.isCollapsed) return null;
    return target.closest<HTMLElement>("[data-node]")?.dataset.node ?? null;
  }
}
