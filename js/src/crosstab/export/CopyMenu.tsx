/** The button that copies the table, and the menu of other formats and files. */
import "./export.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { useNotebook } from "../../ui/InsertButton";
import { Icon, IconButton } from "../../ui/icons";
import { MenuButton, MenuFrame } from "../../ui/Menu";
import { usePopover } from "../../ui/Popover";
import { strings as shared } from "../../ui/strings";
import { strings } from "../strings";
import type { Controller } from "../view/controller";
import type { Exporter, FileKind, Form } from "./exporter";
import { words } from "./strings";

/** Copies the selection or the table, and briefly shows that it did. */
export function CopyTable({
  controller,
  exporter,
}: {
  controller: Controller;
  exporter: Exporter;
}) {
  useCopyKey(controller, exporter);
  const { chosen } = exporter;
  const copied = exporter.copied.value;
  return (
    <button
      type="button"
      class={copied ? "al-button al-copied" : "al-button"}
      title={strings.copyHint}
      onClick={() => void exporter.copy("table")}
    >
      <Icon name={copied ? "check" : "copy"} />
      {copied ? shared.copied : chosen > 0 ? strings.copyCells(chosen) : strings.copyTable}
    </button>
  );
}

export function CopyMenu({ controller, exporter }: { controller: Controller; exporter: Exporter }) {
  const { isOpen, opener, panel } = usePopover("menu");
  return (
    <>
      <span class="al-export">
        <CopyTable controller={controller} exporter={exporter} />
        <button
          type="button"
          class="al-button al-export-more"
          aria-label={words.menu}
          title={words.menu}
          {...opener}
        >
          <Icon name="down" />
        </button>
      </span>
      {isOpen && <Formats exporter={exporter} {...panel} />}
      {exporter.busy.value !== null && (
        <span class="al-grid-progress">
          <span class="al-quiet">{exporter.busy.value}</span>
          <IconButton icon="stop" label={words.stopSaving} onClick={() => exporter.stop()} />
        </span>
      )}
    </>
  );
}

/** Ctrl+C in the table does the same as the button. */
function useCopyKey({ viewport: { scroller } }: Controller, exporter: Exporter): void {
  useLayoutEffect(() => {
    const copy = (event: ClipboardEvent) => {
      event.preventDefault();
      void exporter.copy("table");
    };
    scroller.addEventListener("copy", copy);
    return () => scroller.removeEventListener("copy", copy);
  }, [scroller, exporter]);
}

interface MenuProps {
  exporter: Exporter;
  anchor: { current: HTMLButtonElement | null };
  onClose(): void;
}

function Formats({ exporter, anchor, onClose }: MenuProps) {
  const { chosen } = exporter;
  const notebook = useNotebook();
  const act = (run: () => void) => () => {
    anchor.current?.focus();
    onClose();
    run();
  };
  return (
    <MenuFrame anchor={anchor} onClose={onClose} label={words.menu} class="al-export-menu">
      <Group label={words.copyHeading(chosen)}>
        {entries(words.forms).map(([form, label]: [Form, string]) => (
          <MenuButton
            key={form}
            label={label}
            hint={words.hints[form]}
            onClick={act(() => void exporter.copy(form))}
          />
        ))}
        {notebook.value && (
          <MenuButton
            label={words.insert}
            hint={words.insertHint}
            onClick={({ shiftKey }) => act(() => void exporter.insert(shiftKey))()}
          />
        )}
      </Group>
      <Group label={words.saveHeading(chosen)}>
        {entries(words.files).map(([kind, label]: [FileKind, string]) => (
          <MenuButton key={kind} label={label} onClick={act(() => void exporter.save(kind))} />
        ))}
      </Group>
    </MenuFrame>
  );
}

function Group({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu groups its items so
    <div role="group" aria-label={label} class="al-export-group">
      <div class="al-export-heading" aria-hidden="true">
        {label}
      </div>
      {children}
    </div>
  );
}

function entries<K extends string>(table: Readonly<Record<K, string>>): [K, string][] {
  return Object.entries(table) as [K, string][];
}
