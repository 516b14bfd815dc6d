/** The menu of a node: all commands, with their keys. */
import { copyText } from "../core/clipboard";
import { useHost } from "../ui/host";
import { keysFor } from "../ui/keyboard";
import { Menu, type MenuItem } from "../ui/Menu";
import { strings as shared } from "../ui/strings";
import { type EditorParts, useEditor } from "./context";
import { locate, type NodeId, type Place } from "./document";
import { useOverlay } from "./overlay";
import { words } from "./strings";
import { moveBy, moveIn, moveOut, ungroup } from "./tree";

/** Menu items have a uniform signature; commands need no event. */
interface Item extends MenuItem {
  run(): void;
}

export function MenuOverlay({ id }: { id: NodeId }) {
  const parts = useEditor();
  const { state } = parts;
  const { root } = useHost();
  const overlay = useOverlay("menu", id);
  const place = locate(state.document.value, id);
  if (!overlay || !place) return null;
  return (
    <Menu
      anchor={overlay.anchor}
      from={overlay.from}
      onClose={overlay.close}
      label={words.menuOf(state.nameOf(id))}
      class="al-editor-menu"
      items={itemsOf(place, parts, root).map((item) => ({
        ...item,
        run: () => {
          state.focus(id);
          item.run();
        },
      }))}
    />
  );
}

function itemsOf({ node, parent }: Place, parts: EditorParts, root: HTMLElement): Item[] {
  const { state, edits, clipboard } = parts;
  const { id } = node;
  const { actions } = words;
  const document = state.document.peek();
  const isGroup = node.kind === "group";
  const open = (kind: "answers" | "add") => () => {
    state.overlay.value = { kind, id };
  };
  const item = (label: string, keys: string, run: () => void, enabled = true): Item => ({
    label,
    keys,
    run,
    disabled: !enabled,
  });
  const take = async (cut: boolean) => {
    if (!(await copyText(clipboard.textOf(id), root))) {
      state.notice.value = shared.copyFailed;
      return;
    }
    clipboard.copied(id);
    if (cut) edits.remove(id);
  };
  const paste = async () => {
    try {
      await clipboard.paste(
        id,
        (await root.ownerDocument.defaultView?.navigator.clipboard.readText()) ?? "",
      );
    } catch {
      // Some browsers and pages allow reading the clipboard only on a key press.
      state.notice.value = keysFor(words.pasteByKey);
    }
  };
  return [
    ...(isGroup ? [] : [item(actions.edit, "Enter", open("answers"))]),
    item(actions.addCondition, "+", open("add")),
    item(actions.addGroup, "", () => edits.addGroup(id)),
    {
      ...item(node.negated ? actions.notOff : actions.notOn, "N", () => edits.toggleNot(id)),
      apart: true,
    },
    item(
      node.muted ? actions.muteOff : actions.muteOn,
      "M",
      () => edits.toggleMuted(id),
      parent !== null,
    ),
    item(actions.clone, "Ctrl+D", () => edits.clone(id), parent !== null),
    item(
      actions.wrap,
      "Ctrl+G",
      () => edits.wrap(id),
      parent !== null || document.root.children.length > 0,
    ),
    ...(isGroup
      ? [
          item(
            actions.ungroup,
            "Ctrl+Shift+G",
            () => edits.ungroup(id),
            ungroup(document, id) !== document,
          ),
        ]
      : []),
    {
      ...item(actions.cut, "Ctrl+X", () => void take(true), parent !== null),
      apart: true,
    },
    item(actions.copy, "Ctrl+C", () => void take(false)),
    item(actions.paste, "Ctrl+V", () => void paste()),
    {
      ...item(
        actions.up,
        "Alt+↑",
        () => edits.move(id, "up"),
        moveBy(document, id, -1) !== document,
      ),
      apart: true,
    },
    item(actions.down, "Alt+↓", () => edits.move(id, "down"), moveBy(document, id, 1) !== document),
    item(actions.in, "Alt+→", () => edits.move(id, "in"), moveIn(document, id) !== document),
    item(actions.out, "Alt+←", () => edits.move(id, "out"), moveOut(document, id) !== document),
    {
      ...item(
        parent ? actions.remove : actions.removeAll,
        "Del",
        () => edits.remove(id),
        parent !== null || document.root.children.length > 0,
      ),
      apart: true,
    },
  ];
}
