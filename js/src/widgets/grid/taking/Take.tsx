/** The one button of taking away: press it to copy, open its menu for the other forms and files. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useHost } from "../../../shared/host";
import { useNotebook } from "../../../shared/InsertButton";
import { Icon, IconButton } from "../../../shared/icons";
import { listKey } from "../../../shared/keyboard";
import { Popover } from "../../../shared/Popover";
import type { Controller } from "../controller";
import { strings } from "../strings";
import type { Table } from "../table";
import { words } from "./strings";
import { type FileKind, type Form, Taking } from "./taking";

interface Props {
  table: Table;
  controller: Controller;
}

export function Take({ table, controller }: Props) {
  const host = useHost();
  const taking = useMemo(() => new Taking(host, table, controller), [host, table, controller]);
  const open = useSignal(false);
  const caret = useRef<HTMLButtonElement>(null);
  useCopyKey(controller, taking);
  const { chosen } = taking;
  return (
    <>
      <span class="al-take">
        <button
          type="button"
          class="al-button"
          title={strings.copyHint}
          onClick={() => void taking.copy("table")}
        >
          <Icon name="copy" />
          {chosen > 0 ? strings.copyCells(chosen) : strings.copyTable}
        </button>
        <button
          ref={caret}
          type="button"
          class="al-button al-take-more"
          aria-label={words.menu}
          title={words.menu}
          aria-haspopup="menu"
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.peek();
          }}
        >
          <Icon name="down" />
        </button>
      </span>
      {open.value && (
        <TakeMenu
          taking={taking}
          anchor={caret}
          onClose={() => {
            open.value = false;
          }}
        />
      )}
      {taking.busy.value !== null && (
        <span class="al-grid-progress">
          <span class="al-quiet">{taking.busy.value}</span>
          <IconButton icon="stop" label={words.stopSaving} onClick={() => taking.stop()} />
        </span>
      )}
    </>
  );
}

/** Ctrl+C in the table copies it as the button does. */
function useCopyKey({ scroller }: Controller, taking: Taking): void {
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      event.preventDefault();
      void taking.copy("table");
    };
    scroller.addEventListener("copy", copy);
    return () => scroller.removeEventListener("copy", copy);
  }, [scroller, taking]);
}

interface MenuProps {
  taking: Taking;
  anchor: { current: HTMLButtonElement | null };
  onClose(): void;
}

function TakeMenu({ taking, anchor, onClose }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = () => [...(list.current?.querySelectorAll("button") ?? [])];
  const { chosen } = taking;
  const notebook = useNotebook();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Tab") {
      onClose();
      return;
    }
    const all = buttons();
    const index = all.indexOf(event.target as HTMLButtonElement);
    const moved = listKey(event.key, { index, count: all.length });
    if (moved === null) return;
    // The menu goes round: down from its last item is its first.
    all[moved === index ? all.length - 1 - index : moved]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const act = (run: () => void) => () => {
    anchor.current?.focus();
    onClose();
    run();
  };
  return (
    <Popover anchor={anchor} onClose={onClose} role="menu" label={words.menu}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the menu's items hear through it */}
      <div ref={list} class="al-take-menu" role="presentation" onKeyDown={onKeyDown}>
        <Group label={words.copyHeading(chosen)}>
          {entries(words.forms).map(([form, label]: [Form, string]) => (
            <Item
              key={form}
              label={label}
              hint={words.hints[form]}
              onClick={act(() => void taking.copy(form))}
            />
          ))}
          {notebook.value && (
            <Item
              label={words.insert}
              hint={words.insertHint}
              onClick={({ shiftKey }) => act(() => void taking.insert(shiftKey))()}
            />
          )}
        </Group>
        <Group label={words.saveHeading(chosen)}>
          {entries(words.files).map(([kind, label]: [FileKind, string]) => (
            <Item key={kind} label={label} onClick={act(() => void taking.save(kind))} />
          ))}
        </Group>
      </div>
    </Popover>
  );
}

function Group({ label, children }: { label: string; children: preact.ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu groups its items so
    <div role="group" aria-label={label} class="al-take-group">
      <div class="al-take-heading" aria-hidden="true">
        {label}
      </div>
      {children}
    </div>
  );
}

interface ItemProps {
  label: string;
  hint?: string;
  onClick(event: MouseEvent): void;
}

function Item({ label, hint, onClick }: ItemProps) {
  return (
    <button type="button" role="menuitem" class="al-menu-item" tabIndex={-1} onClick={onClick}>
      <span>{label}</span>
      <span class="al-spacer" />
      {hint && <span class="al-quiet">{hint}</span>}
    </button>
  );
}

function entries<K extends string>(table: Readonly<Record<K, string>>): [K, string][] {
  return Object.entries(table) as [K, string][];
}
