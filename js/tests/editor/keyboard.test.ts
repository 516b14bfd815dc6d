// @vitest-environment node
import { describe, expect, it } from "vitest";
import { controlKey, type Key, rowKey } from "../../src/editor/keyboard";

function key(keys: string): Key {
  const parts = keys.split("-");
  return {
    key: parts.at(-1) ?? "",
    altKey: parts.includes("Alt"),
    shiftKey: parts.includes("Shift"),
    command: parts.includes("Ctrl"),
  };
}

const openGroup = { kind: "group", open: true } as const;
const closedGroup = { kind: "group", open: false } as const;
const leaf = { kind: "leaf", open: false } as const;

describe("keys on a row", () => {
  it.each([
    ["ArrowDown", leaf, { do: "focus", to: "next" }],
    ["ArrowUp", leaf, { do: "focus", to: "previous" }],
    ["Home", leaf, { do: "focus", to: "first" }],
    ["End", leaf, { do: "focus", to: "last" }],
    ["ArrowRight", closedGroup, { do: "fold", open: true }],
    ["ArrowRight", openGroup, { do: "control", step: "first" }],
    ["ArrowRight", leaf, { do: "control", step: "first" }],
    ["ArrowLeft", openGroup, { do: "fold", open: false }],
    ["ArrowLeft", closedGroup, { do: "focus", to: "parent" }],
    ["ArrowLeft", leaf, { do: "focus", to: "parent" }],
    ["Enter", leaf, { do: "edit" }],
    ["Enter", openGroup, { do: "toggleOperator" }],
    ["n", leaf, { do: "toggleNot" }],
    ["Shift-!", leaf, { do: "toggleNot" }],
    ["Shift-+", leaf, { do: "addCondition" }],
    ["Delete", leaf, { do: "remove" }],
    ["Shift-ArrowDown", leaf, { do: "extend", to: "next" }],
    ["Shift-ArrowUp", leaf, { do: "extend", to: "previous" }],
    [" ", leaf, { do: "select" }],
    ["Ctrl-a", leaf, { do: "selectAll" }],
    ["Escape", leaf, null],
    ["Escape", { ...leaf, selecting: true }, { do: "unselect" }],
    ["m", leaf, { do: "toggleMuted" }],
    ["Shift-?", leaf, { do: "keys" }],
    ["Shift-F10", leaf, { do: "menu" }],
    ["ContextMenu", leaf, { do: "menu" }],
    ["Ctrl-d", leaf, { do: "clone" }],
    ["Ctrl-g", leaf, { do: "wrap" }],
    ["Ctrl-Shift-G", openGroup, { do: "ungroup" }],
    ["Alt-ArrowUp", leaf, { do: "move", to: "up" }],
    ["Alt-ArrowDown", leaf, { do: "move", to: "down" }],
    ["Alt-ArrowRight", leaf, { do: "move", to: "in" }],
    ["Alt-ArrowLeft", leaf, { do: "move", to: "out" }],
  ])("%s", (keys, row, command) => {
    expect(rowKey(key(keys), row)).toEqual(command);
  });

  it.each(["Tab", "a", "F10", "Escape", "Ctrl-s", "Ctrl-Alt-ArrowUp", "Alt-d"])(
    "%s is left to others",
    (keys) => {
      expect(rowKey(key(keys), leaf)).toBeNull();
    },
  );
});

describe("keys on a control in a row", () => {
  it("move along the row and back to it", () => {
    expect(controlKey(key("ArrowRight"))).toEqual({ do: "control", step: "next" });
    expect(controlKey(key("ArrowLeft"))).toEqual({ do: "control", step: "previous" });
    expect(controlKey(key("Escape"))).toEqual({ do: "focus", to: "row" });
  });

  it("move the node, too", () => {
    expect(controlKey(key("Alt-ArrowUp"))).toEqual({ do: "move", to: "up" });
  });

  it("are left to the control itself", () => {
    for (const own of ["Enter", " ", "Delete", "n"]) expect(controlKey(key(own))).toBeNull();
  });
});
