/** The editor of the surrounding components, as a context. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Clipboard } from "./clipboard";
import type { Comparing } from "./comparing";
import type { Edits } from "./edits";
import type { Measuring } from "./measuring";
import type { Saving } from "./saving";
import type { EditorState } from "./state";

export interface EditorParts {
  state: EditorState;
  edits: Edits;
  clipboard: Clipboard;
  saving: Saving;
  comparing: Comparing;
  measuring: Measuring;
}

export const Parts = createContext<EditorParts | null>(null);

/** State, edits and sizes of the editor around a component. */
export function useEditor(): EditorParts {
  const parts = useContext(Parts);
  if (!parts) throw new Error("useEditor is for components inside an Editor");
  return parts;
}
