/** State and services that the components of the sidebar share, as a context. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Dragging } from "../dragging";
import type { Snippet, Snippets } from "../snippets";
import type { SidebarState } from "./state";

export interface SidebarParts {
  state: SidebarState;
  snippets: Snippets;
  dragging: Dragging;
  /** Creates a notebook on the selected connection, and opens it. */
  newNotebook(): Promise<void>;
  /** Opens a data file or a survey folder in a tab, by its path. */
  openSurvey(path: string): Promise<void>;
}

/** A message that remains until the user closes it. */
export interface Problem {
  message: string;
  /** Whether to offer a new notebook as the remedy. */
  needsNotebook: boolean;
}

/** Inserts snippets, with a notice of the result. */
export interface Taking {
  insert(snippet: Snippet, options: { run: boolean }): Promise<void>;
  copy(snippet: Snippet): Promise<void>;
  /** Makes snippets draggable out of an element until the lifetime ends. */
  draggable(
    root: HTMLElement,
    pieceAt: (target: Element) => Snippet | null,
    lifetime: AbortSignal,
  ): void;
}

export const Sidebar = createContext<(SidebarParts & Taking) | null>(null);

export function useSidebar(): SidebarParts & Taking {
  const parts = useContext(Sidebar);
  if (!parts) throw new Error("useSidebar is for components inside the sidebar");
  return parts;
}
