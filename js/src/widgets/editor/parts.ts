/** How components find the editor that they stand in. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Measuring } from "./measuring";
import type { EditorState } from "./state";

export interface EditorParts {
  state: EditorState;
  measuring: Measuring;
}

export const Parts = createContext<EditorParts | null>(null);

/** State and numbers of the editor around a component. */
export function useEditor(): EditorParts {
  const parts = useContext(Parts);
  if (!parts) throw new Error("useEditor is for components inside an Editor");
  return parts;
}
