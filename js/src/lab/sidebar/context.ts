/** What the parts of the side bar work with, handed down once. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Dragging } from "../dragging";
import type { Piece, Pieces } from "../snippets";
import type { SidebarState } from "./state";

export interface SidebarParts {
  state: SidebarState;
  pieces: Pieces;
  dragging: Dragging;
  /** Makes a new notebook on the chosen connection, and opens it. */
  newNotebook(): Promise<void>;
}

/** What went wrong, and stays until somebody has read it. */
export interface Trouble {
  message: string;
  /** Whether a new notebook is the way out. */
  needsNotebook: boolean;
}

/** Pieces taken out of the side bar, with a notice of what became of them. */
export interface Taking {
  insert(piece: Piece, options: { run: boolean }): Promise<void>;
  copy(piece: Piece): Promise<void>;
  /** Lets pieces be dragged out of an element until the lifetime ends. */
  draggable(
    root: HTMLElement,
    pieceAt: (target: Element) => Piece | null,
    lifetime: AbortSignal,
  ): void;
}

export const Sidebar = createContext<(SidebarParts & Taking) | null>(null);

export function useSidebar(): SidebarParts & Taking {
  const parts = useContext(Sidebar);
  if (!parts) throw new Error("useSidebar is for components inside the side bar");
  return parts;
}
