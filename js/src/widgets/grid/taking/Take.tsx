/** The one button of taking away: press it to copy, open its menu for the other forms and files. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { useHost } from "../../../shared/host";
import { useNotebook } from "../../../shared/InsertButton";
import { Icon, IconButton } from "../../../shared/icons";
import { MenuButton, MenuFrame } from "../../../shared/Menu";
import { usePopover } from "../../../shared/Popover";
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
  const { isOpen, opener, panel } = usePopover("menu");
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
          type="button"
          class="al-button al-take-more"
          aria-label={words.menu}
          title={words.menu}
          {...opener}
        >
          <Icon name="down" />
        </button>
      </span>
      {isOpen && <TakeMenu taking={taking} {...panel} />}
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
export function useCopyKey({ scroller }: Controller, taking: Taking): void {
  useLayoutEffect(() => {
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
  const { chosen } = taking;
  const notebook = useNotebook();
  const act = (run: () => void) => () => {
    anchor.current?.focus();
    onClose();
    run();
  };
  return (
    <MenuFrame anchor={anchor} onClose={onClose} label={words.menu} class="al-take-menu">
      <Group label={words.copyHeading(chosen)}>
        {entries(words.forms).map(([form, label]: [Form, string]) => (
          <MenuButton
            key={form}
            label={label}
            hint={words.hints[form]}
            onClick={act(() => void taking.copy(form))}
          />
        ))}
        {notebook.value && (
          <MenuButton
            label={words.insert}
            hint={words.insertHint}
            onClick={({ shiftKey }) => act(() => void taking.insert(shiftKey))()}
          />
        )}
      </Group>
      <Group label={words.saveHeading(chosen)}>
        {entries(words.files).map(([kind, label]: [FileKind, string]) => (
          <MenuButton key={kind} label={label} onClick={act(() => void taking.save(kind))} />
        ))}
      </Group>
    </MenuFrame>
  );
}

function Group({ label, children }: { label: string; children: ComponentChildren }) {
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

function entries<K extends string>(table: Readonly<Record<K, string>>): [K, string][] {
  return Object.entries(table) as [K, string][];
}
