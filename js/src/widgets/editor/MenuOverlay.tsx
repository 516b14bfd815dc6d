/** Everything that can be done to a node, with the keys that do the same. */
import { useEffect, useRef } from "preact/hooks";
import { listKey, Typeahead } from "../../shared/keyboard";
import { Popover } from "../../shared/Popover";
import { locate, type NodeId, type Place } from "./document";
import { useOverlay } from "./overlay";
import { useEditor } from "./parts";
import type { EditorState } from "./state";
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
  const { state } = useEditor();
  const overlay = useOverlay("menu", id);
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef(new Typeahead());
  useEffect(() => buttons(list.current)[0]?.focus({ preventScroll: true }), []);
  const place = locate(state.document.value, id);
  if (!overlay || !place) return null;
  const items = itemsOf(place, state);

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

function itemsOf({ node, parent }: Place, state: EditorState): Item[] {
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
  return [
    ...(isGroup ? [] : [item(actions.edit, "Enter", open("answers"))]),
    item(actions.addCondition, "+", open("add")),
    item(actions.addGroup, "", () => state.addGroup(id)),
    {
      ...item(node.negated ? actions.notOff : actions.notOn, "N", () => state.toggleNot(id)),
      apart: true,
    },
    item(actions.clone, "Ctrl+D", () => state.clone(id), parent !== null),
    item(
      actions.wrap,
      "Ctrl+G",
      () => state.wrap(id),
      parent !== null || document.root.children.length > 0,
    ),
    ...(isGroup
      ? [
          item(
            actions.ungroup,
            "Ctrl+Shift+G",
            () => state.ungroup(id),
            ungroup(document, id) !== document,
          ),
        ]
      : []),
    {
      ...item(
        actions.up,
        "Alt+↑",
        () => state.move(id, "up"),
        moveBy(document, id, -1) !== document,
      ),
      apart: true,
    },
    item(actions.down, "Alt+↓", () => state.move(id, "down"), moveBy(document, id, 1) !== document),
    item(actions.in, "Alt+→", () => state.move(id, "in"), moveIn(document, id) !== document),
    item(actions.out, "Alt+←", () => state.move(id, "out"), moveOut(document, id) !== document),
    {
      ...item(
        parent ? actions.remove : actions.removeAll,
        "Del",
        () => state.remove(id),
        parent !== null || document.root.children.length > 0,
      ),
      apart: true,
    },
  ];
}

function buttons(list: HTMLElement | null): HTMLButtonElement[] {
  return [...(list?.querySelectorAll<HTMLButtonElement>("button:not(:disabled)") ?? [])];
}
