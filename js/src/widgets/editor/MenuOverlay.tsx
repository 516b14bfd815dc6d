/** Everything that can be done to a node, with the keys that do the same. */
import { useEffect, useRef } from "preact/hooks";
import { copyText } from "../../shared/clipboard";
import { useHost } from "../../shared/host";
import { listKey, Typeahead } from "../../shared/keyboard";
import { Popover } from "../../shared/Popover";
import { locate, type NodeId, type Place } from "./document";
import { useOverlay } from "./overlay";
import { type EditorParts, useEditor } from "./parts";
import { words } from "./strings";
import { moveBy, moveIn, moveOut, ungroup } from "./tree";

interface Item {
  label: string;
  keys: string;
  enabled: boolean;
  run(): void;
  /** Drawn below a line. */
  apart?: boolean;
}

export function MenuOverlay({ id }: { id: NodeId }) {
  const parts = useEditor();
  const { state } = parts;
  const { root } = useHost();
  const overlay = useOverlay("menu", id);
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef(new Typeahead());
  useEffect(() => buttons(list.current)[0]?.focus({ preventScroll: true }), []);
  const place = locate(state.document.value, id);
  if (!overlay || !place) return null;
  const items = itemsOf(place, parts, root);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons(list.current);
    const index = all.indexOf(event.target as HTMLButtonElement);
    if (event.key === "Tab") {
      overlay.finish();
      return;
    }
    const moved = listKey(event.key, { index, count: all.length });
    const wraps = moved === index && all.length > 1;
    if (moved !== null) all[wraps ? all.length - 1 - index : moved]?.focus();
    else if (event.key.length === 1 && /\p{L}/u.test(event.key)) {
      all[
        typed.current.find(event.key, index, all.length, (at) => all[at]?.textContent ?? "")
      ]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Popover
      anchor={overlay.anchor}
      from={overlay.from}
      onClose={overlay.close}
      role="menu"
      label={words.menuOf(state.nameOf(id))}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the menu's items hear through it */}
      <div ref={list} class="al-editor-menu" role="presentation" onKeyDown={onKeyDown}>
        {items.map(({ label, keys, enabled, run, apart }) => (
          <button
            key={label}
            type="button"
            role="menuitem"
            class={`al-menu-item ${apart ? "al-editor-apart" : ""}`}
            tabIndex={-1}
            disabled={!enabled}
            onClick={() => {
              overlay.finish();
              run();
            }}
          >
            <span>{label}</span>
            <span class="al-spacer" />
            <kbd class="al-quiet">{keys}</kbd>
          </button>
        ))}
      </div>
    </Popover>
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
    enabled,
  });
  const take = async (cut: boolean) => {
    if (!(await copyText(clipboard.textOf(id), root))) {
      state.notice.value = words.copyFailed;
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
      // Not every browser and page may read it without a key being pressed.
      state.notice.value = words.pasteByKey;
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

function buttons(list: HTMLElement | null): HTMLButtonElement[] {
  return [...(list?.querySelectorAll<HTMLButtonElement>("button:not(:disabled)") ?? [])];
}
