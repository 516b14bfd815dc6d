/** The bar that sends a table: copy, the menu *Send*, and the deck. */
import "./deck.css";
import "./export.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { GridWidget } from "../../protocol";
import { useHost } from "../../ui/host";
import { useNotebook } from "../../ui/InsertButton";
import { Icon, IconButton, type IconName } from "../../ui/icons";
import { MenuButton, MenuFrame } from "../../ui/Menu";
import { usePopover } from "../../ui/Popover";
import { strings as shared } from "../../ui/strings";
import { strings } from "../strings";
import type { Controller } from "../view/controller";
import { DeckButton } from "./DeckButton";
import { Delivered } from "./Delivered";
import type { Exporter, FileKind } from "./exporter";
import { words } from "./strings";

interface Props {
  controller: Controller;
  exporter: Exporter;
}

/** Copies the selection or the table, and briefly shows that it did. */
export function CopyTable({ controller, exporter }: Props) {
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
      {copied ? shared.copied : labelOf(chosen)}
    </button>
  );
}

function labelOf(chosen: number): string {
  return chosen > 0 ? strings.copyCells(chosen) : strings.copyTable;
}

export function SendBar({ controller, exporter }: Props) {
  const host = useHost<GridWidget>();
  const { isOpen, opener, panel } = usePopover("menu");
  useCopyKey(controller, exporter);
  const copied = exporter.copied.value;
  return (
    <>
      <IconButton
        icon={copied ? "check" : "copy"}
        label={copied ? shared.copied : labelOf(exporter.chosen)}
        class={copied ? "al-copied" : ""}
        title={strings.copyHint}
        onClick={() => void exporter.copy("table")}
      />
      <span class="al-export">
        <button type="button" class="al-button" {...opener}>
          <Icon name="send" />
          {words.send}
          <Icon name="down" />
        </button>
        {isOpen && <Ways exporter={exporter} {...panel} />}
        <Delivered delivery={exporter.delivery} />
      </span>
      <DeckButton host={host} shown={() => exporter.shown()} />
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

export const ICONS: Record<FileKind, IconName> = {
  pptx: "slide",
  xlsx: "workbook",
  html: "page",
  png: "image",
  svg: "image",
  chart_pptx: "slide",
  chart_png: "image",
  chart_svg: "image",
  csv: "table",
  cells: "table",
};

function Ways({ exporter, anchor, onClose }: MenuProps) {
  const { chosen } = exporter;
  const notebook = useNotebook();
  const act = (run: () => void) => () => {
    anchor.current?.focus();
    onClose();
    run();
  };
  const files = (labels: Partial<Record<FileKind, string>>) =>
    entries(labels as Record<FileKind, string>).map(([kind, label]) => (
      <MenuButton
        key={kind}
        icon={ICONS[kind]}
        label={label}
        hint={words.fileHints[kind as keyof typeof words.fileHints]}
        onClick={act(() => void exporter.save(kind))}
      />
    ));
  return (
    <MenuFrame anchor={anchor} onClose={onClose} label={words.send} class="al-export-menu">
      <Group label={words.sendHeading(chosen)}>
        {files(words.files)}
        <MenuButton
          icon="copy"
          label={words.clipboard}
          hint={words.clipboardHint}
          onClick={act(() => void exporter.copy("table"))}
        />
      </Group>
      <Group label={words.chartHeading(chosen)}>{files(words.charts)}</Group>
      <Group label={words.otherHeading}>
        {files(words.otherFiles)}
        {entries(words.forms).map(([form, label]) => (
          <MenuButton
            key={form}
            icon={form === "code" ? "code" : "copy"}
            label={label}
            hint={words.hints[form]}
            onClick={act(() => void exporter.copy(form))}
          />
        ))}
        {notebook.value && (
          <MenuButton
            icon="insert"
            label={words.insert}
            hint={words.insertHint}
            onClick={({ shiftKey }) => act(() => void exporter.insert(shiftKey))()}
          />
        )}
      </Group>
    </MenuFrame>
  );
}

export function Group({ label, children }: { label: string; children: ComponentChildren }) {
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
