/** The meaning of keys in lists, trees and grids, as pure functions of positions. */

export interface ListPosition {
  index: number;
  count: number;
  /** Rows a page key moves. */
  page?: number;
}

/** Where a navigation key leads in a vertical list; null for other keys. */
export function listKey(key: string, { index, count, page = 10 }: ListPosition): number | null {
  if (count === 0) return null;
  const last = count - 1;
  const clamp = (n: number) => Math.min(last, Math.max(0, n));
  switch (key) {
    case "ArrowDown":
      return clamp(index + 1);
    case "ArrowUp":
      return index < 0 ? last : clamp(index - 1);
    case "Home":
      return 0;
    case "End":
      return last;
    case "PageDown":
      return clamp(index + page);
    case "PageUp":
      return clamp(index - page);
    default:
      return null;
  }
}

export interface GridPosition {
  row: number;
  column: number;
  rows: number;
  columns: number;
  page?: number;
}

/** Where a navigation key leads in a grid (WAI-ARIA grid pattern); null for other keys. */
export function gridKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">,
  at: GridPosition,
): { row: number; column: number } | null {
  const far = event.ctrlKey || event.metaKey;
  const { row, column, rows, columns } = at;
  if (rows === 0 || columns === 0) return null;
  switch (event.key) {
    case "ArrowRight":
      return { row, column: far ? columns - 1 : Math.min(columns - 1, column + 1) };
    case "ArrowLeft":
      return { row, column: far ? 0 : Math.max(0, column - 1) };
    case "Home":
      return { row: far ? 0 : row, column: 0 };
    case "End":
      return { row: far ? rows - 1 : row, column: columns - 1 };
    case "ArrowDown":
    case "ArrowUp": {
      if (far) return { row: event.key === "ArrowDown" ? rows - 1 : 0, column };
      break;
    }
  }
  const moved = listKey(event.key, { index: row, count: rows, ...(at.page && { page: at.page }) });
  return moved === null ? null : { row: moved, column };
}

const platform = globalThis.navigator?.platform ?? "";

/**
 * Key names for the reader's keyboard: "Ctrl+Shift+Z" is "⇧⌘Z" on a Mac, where the widgets accept
 * Cmd instead of Ctrl. Ctrl+Space is not used, because it switches the input method there.
 */
export function keysFor(text: string, mac = /^(Mac|iP)/.test(platform)): string {
  if (!mac) return text;
  return text.replace(/\b(?:Ctrl|Alt|Shift)\b(?: ?\+ ?(?:Ctrl|Alt|Shift)\b)*(?: ?\+ ?)?/g, (keys) =>
    MAC_KEYS.map(([name, sign]) => (keys.includes(name) ? sign : "")).join(""),
  );
}

/** In the order of macOS. */
const MAC_KEYS = [
  ["Alt", "⌥"],
  ["Shift", "⇧"],
  ["Ctrl", "⌘"],
] as const;

/** Whether the key types a character. */
export function isTyping(event: KeyboardEvent): boolean {
  return event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** Whether an input method handles the key: its Enter accepts a word, its Escape cancels one. */
export function isComposing(event: KeyboardEvent): boolean {
  // Safari ends the composition before its last key event, which has the code 229.
  return event.isComposing || event.keyCode === 229;
}

/** Keeps the keys of an input method from everything inside an element. */
export function leaveComposition(element: HTMLElement, signal: AbortSignal): void {
  const leave = (event: KeyboardEvent) => {
    if (isComposing(event)) event.stopPropagation();
  };
  element.addEventListener("keydown", leave, { capture: true, signal });
}

/**
 * The meaning of Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y; null for other keys, and in text fields, where
 * the browser undoes typing, unless the field has `data-undo` or is an empty search box.
 */
export function undoKey(event: KeyboardEvent): "undo" | "redo" | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return null;
  const field = event.target;
  if (
    field instanceof HTMLElement &&
    field.matches("input:not([type=checkbox], [type=radio], [data-undo]), textarea") &&
    !(field.role === "combobox" && (field as HTMLInputElement).value === "")
  ) {
    return null;
  }
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" && !event.shiftKey ? "redo" : null;
}

/** Handles the keys of undo and redo. Returns whether it was one. */
export function pressUndo(
  event: KeyboardEvent,
  steps: { undo(): unknown; redo(): unknown },
): boolean {
  const step = undoKey(event);
  if (step === null) return false;
  event.preventDefault();
  event.stopPropagation();
  void steps[step]();
  return true;
}

/**
 * Typeahead: letters typed within a second of each other search for a label with this beginning.
 */
export class Typeahead {
  #typed = "";
  #last = Number.NEGATIVE_INFINITY;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The next index after `from` whose label starts with the typed letters, or -1. */
  find(key: string, from: number, count: number, label: (index: number) => string): number {
    const at = this.now();
    this.#typed = at - this.#last > 1_000 ? key : this.#typed + key;
    this.#last = at;
    const wanted = this.#typed.toLocaleLowerCase();
    // One letter moves to the next match; more letters may keep the present one.
    const first = wanted.length === 1 ? 1 : 0;
    for (let step = first; step < count + first; step++) {
      const index = (from + step + count) % count;
      if (label(index).toLocaleLowerCase().startsWith(wanted)) return index;
    }
    return -1;
  }
}
