/**
 * The catalogue of the selected survey: the question picker on a model that asks the server, with
 * rows that can be dragged into a notebook, and the actions for selected questions below.
 */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Selection } from "../../catalogue/selection";
import { Picker } from "../../picker/Picker";
import type { ConnectionRecord } from "../../protocol";
import { mount } from "../../ui/host";
import { Menu } from "../../ui/Menu";
import type { Kind, Snippet } from "../snippets";
import { strings as common } from "../strings";
import { ActionBar } from "./ActionBar";
import { useSidebar } from "./context";
import { words } from "./strings";

export function CatalogueSection() {
  const { state } = useSidebar();
  const connection = state.connection.value;
  if (!connection) return null;
  const revived = state.revived.value[connection.name] ?? 0;
  return (
    <>
      <PickerOf key={`${connection.name} ${revived}`} connection={connection} />
      <ActionBar />
    </>
  );
}

interface AskedFor {
  row: RefObject<HTMLElement | null>;
  from: RefObject<HTMLElement | null>;
}

function PickerOf({ connection }: { connection: ConnectionRecord }) {
  const { state, draggable, insert, copy } = useSidebar();
  const place = useRef<HTMLDivElement>(null);
  const menu = useSignal<AskedFor | null>(null);
  useLayoutEffect(() => {
    const el = place.current;
    if (!el) return;
    const ended = new AbortController();
    const { signal } = ended;
    mount(Picker, {
      model: state.modelOf(connection.name),
      el,
      label: words.sections.catalogue,
      hostKeys: true,
      signal,
    });
    draggable(el, (target) => pieceOf(rowAt(target), connection), signal);
    el.addEventListener("contextmenu", (event) => ask(event, event.target as Element), { signal });
    el.addEventListener(
      "keydown",
      (event) => {
        if (isMenuKey(event)) ask(event, event.target as Element);
      },
      { signal },
    );
    const ask = (event: Event, target: Element) => {
      const row = rowAt(target) ?? activeRow(target);
      if (!row) return;
      event.preventDefault();
      event.stopPropagation();
      const from = el.querySelector<HTMLElement>("input[role=combobox]");
      menu.value = { row: { current: row }, from: { current: from } };
    };
    return () => ended.abort();
  }, [connection.name]);

  const asked = menu.value;
  const snippet = pieceOf(asked?.row.current ?? null, connection);
  const close = () => {
    asked?.from.current?.focus();
    menu.value = null;
  };
  return (
    <>
      <div ref={place} class="al-sidebar-picker" />
      {asked && snippet && (
        <Menu
          anchor={asked.row}
          from={asked.from}
          label={words.menuOf(snippet.label)}
          onClose={close}
          items={[
            ...(["question", "crosstab", "audience"] as const).map((kind: Kind) => ({
              label: common.pieces[kind],
              run: ({ shiftKey }: MouseEvent) =>
                void insert({ ...snippet, kind }, { run: shiftKey }),
            })),
            { label: words.menuCopy, run: () => void copy(snippet), apart: true },
          ]}
        />
      )}
    </>
  );
}

function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === "ContextMenu" || (key === "F10" && shiftKey);
}

function rowAt(target: Element | null): HTMLElement | null {
  return target?.closest<HTMLElement>("[data-question]") ?? null;
}

/** The row that is active in the search box. */
function activeRow(box: Element): HTMLElement | null {
  const id = box.getAttribute("aria-activedescendant");
  return rowAt(id ? box.ownerDocument.getElementById(id) : null);
}

/** A question becomes a table of its answers; one answer becomes an audience. */
function pieceOf(row: HTMLElement | null, connection: ConnectionRecord): Snippet | null {
  const { question, datapoint } = row?.dataset ?? {};
  if (!row || question === undefined) return null;
  const datapoints = datapoint === undefined ? [] : [datapoint];
  const selection: Selection = [{ question, datapoints, suffixes: [] }];
  const kind = datapoint === undefined ? "question" : "audience";
  return { kind, label: row.title, connection, selection };
}
