/**
 * The meaning of keys on a row of the treegrid and on a control inside one, as data: no DOM, no
 * edits. Follows the WAI-ARIA treegrid pattern with focusable rows; editing keys are ours.
 */

export type Command =
  | { do: "focus"; to: "previous" | "next" | "first" | "last" | "parent" | "row" }
  | { do: "control"; step: "first" | "previous" | "next" }
  | { do: "fold"; open: boolean }
  | { do: "move"; to: "up" | "down" | "in" | "out" }
  | { do: "extend"; to: "previous" | "next" }
  | { do: Action };

export type Action =
  | "edit"
  | "toggleNot"
  | "toggleMuted"
  | "toggleOperator"
  | "addCondition"
  | "addGroup"
  | "clone"
  | "wrap"
  | "ungroup"
  | "remove"
  | "select"
  | "selectAll"
  | "unselect"
  | "keys"
  | "menu";

export type Key = Pick<KeyboardEvent, "key" | "altKey" | "shiftKey"> & {
  /** Ctrl, or Cmd on a Mac. */
  command: boolean;
};

export interface RowState {
  kind: "group" | "leaf";
  /** Whether a group is expanded. */
  open: boolean;
  /** Whether nodes are selected. */
  selecting?: boolean;
}

export function asKey(event: KeyboardEvent): Key {
  const { key, altKey, shiftKey } = event;
  return { key, altKey, shiftKey, command: event.ctrlKey || event.metaKey };
}

/** With the focus on the row itself. */
export function rowKey(key: Key, row: RowState): Command | null {
  if (key.altKey) return key.command ? null : altKey(key);
  if (key.command) return commandKey(key);
  return navigation(key, row) ?? letterKey(key, row);
}

/** With the focus on a button inside the row; text fields and lists keep their keys. */
export function controlKey(key: Key): Command | null {
  if (key.altKey) return key.command ? null : altKey(key);
  if (key.command || key.shiftKey) return null;
  switch (key.key) {
    case "ArrowLeft":
      return { do: "control", step: "previous" };
    case "ArrowRight":
      return { do: "control", step: "next" };
    case "ArrowUp":
      return { do: "focus", to: "previous" };
    case "ArrowDown":
      return { do: "focus", to: "next" };
    case "Escape":
      return { do: "focus", to: "row" };
    default:
      return null;
  }
}

function navigation(key: Key, row: RowState): Command | null {
  switch (key.key) {
    case "ArrowUp":
      return { do: key.shiftKey ? "extend" : "focus", to: "previous" };
    case "ArrowDown":
      return { do: key.shiftKey ? "extend" : "focus", to: "next" };
    case "Home":
      return { do: "focus", to: "first" };
    case "End":
      return { do: "focus", to: "last" };
    case "ArrowRight":
      return row.kind === "group" && !row.open
        ? { do: "fold", open: true }
        : { do: "control", step: "first" };
    case "ArrowLeft":
      return row.kind === "group" && row.open
        ? { do: "fold", open: false }
        : { do: "focus", to: "parent" };
    default:
      return null;
  }
}

function letterKey(key: Key, row: RowState): Command | null {
  switch (key.key) {
    case "Enter":
    case "F2":
      return { do: row.kind === "leaf" ? "edit" : "toggleOperator" };
    case "!":
    case "n":
      return { do: "toggleNot" };
    case "m":
      return { do: "toggleMuted" };
    case " ":
      return { do: "select" };
    case "Escape":
      return row.selecting ? { do: "unselect" } : null;
    case "?":
      return { do: "keys" };
    case "+":
    case "Insert":
      return { do: "addCondition" };
    case "Delete":
    case "Backspace":
      return { do: "remove" };
    case "ContextMenu":
      return { do: "menu" };
    case "F10":
      return key.shiftKey ? { do: "menu" } : null;
    default:
      return null;
  }
}

function commandKey(key: Key): Command | null {
  switch (key.key.toLowerCase()) {
    case "d":
      return { do: "clone" };
    case "a":
      return { do: "selectAll" };
    case "g":
      return { do: key.shiftKey ? "ungroup" : "wrap" };
    default:
      return null;
  }
}

function altKey(key: Key): Command | null {
  switch (key.key) {
    case "ArrowUp":
      return { do: "move", to: "up" };
    case "ArrowDown":
      return { do: "move", to: "down" };
    case "ArrowRight":
      return { do: "move", to: "in" };
    case "ArrowLeft":
      return { do: "move", to: "out" };
    default:
      return null;
  }
}
