/** Finds rows and columns by name: every typed word must occur in the name or its groups. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { usePageId } from "../../core/ids";
import type { GridWidget } from "../../protocol";
import { DidYouMean } from "../../ui/FilterList";
import { useHost } from "../../ui/host";
import { listKey } from "../../ui/keyboard";
import { learnWords } from "../../ui/matching";
import { useResource } from "../../ui/resource";
import { type Finding, type Found, finding } from "../arrangement/finding";
import type { Side } from "../arrangement/plan";
import { strings } from "../strings";
import type { Controller } from "../view/controller";
import { nameAt } from "../view/cursor";
import { words } from "./strings";

const MOST_LISTED = 60;

/** Asks for the synonyms, which the catalogue brings where it is loaded. */
function Words({ onKnown }: { onKnown(): void }) {
  const host = useHost<GridWidget>();
  useResource(host, async (signal) => {
    const { data } = await host.requests.request("search_words", {}, { signal });
    learnWords(data);
    onKnown();
  });
  return null;
}

interface Props {
  controller: Controller;
  /** Whether there is a kernel, which has the synonyms. */
  asksKernel: boolean;
}

export function Find({ controller, asksKernel }: Props) {
  const { table } = controller;
  const known = useSignal(false);
  const typed = useSignal("");
  const found = useSignal<Finding | null>(null);
  const active = useSignal(0);
  /** The name of an item that cannot be reached because it is not shown; "" for none. */
  const away = useSignal("");
  const id = usePageId("grid-found");

  useLayoutEffect(() => {
    let live = true;
    const text = typed.value;
    if (text.trim() === "") found.value = null;
    else
      void finding(table.view, text).then((all) => {
        if (!live) return;
        found.value = all;
        active.value = Math.max(0, Math.min(active.peek(), all.found.length - 1));
      });
    return () => {
      live = false;
    };
  }, [typed.value, table.revision.value, known.value]);

  /**
   * Goes to an item, and shows a hidden one; false where filters or collapsed groups keep it out.
   */
  const go = async ({ side, line, name }: Found): Promise<boolean> => {
    await controller.actions.bringBack(side, line);
    const isThere = isShown(controller, side, line);
    away.value = isThere ? "" : name;
    if (!isThere) return false;
    const axis = table.view.orientationOf(side);
    controller.moveTo(nameAt(axis, table.view.along(axis).position(line)), false);
    return true;
  };
  const press = (event: KeyboardEvent) => {
    const all = found.peek()?.found ?? [];
    const count = Math.min(all.length, MOST_LISTED);
    const moved = listKey(event.key, { index: active.peek(), count });
    if (moved !== null && event.key !== "Home" && event.key !== "End") {
      event.preventDefault();
      active.value = moved;
    } else if (event.key === "Enter") {
      event.preventDefault();
      const chosen = all[active.peek()];
      if (!chosen) return;
      void go(chosen);
      // Enter again goes to the next match.
      active.value = (active.peek() + (event.shiftKey ? count - 1 : 1)) % count;
    }
  };
  const all = found.value?.found;
  const meant = found.value?.meant;
  return (
    <div class="al-grid-find">
      {asksKernel && (
        <Words
          onKnown={() => {
            known.value = true;
          }}
        />
      )}
      <input
        class="al-input"
        role="combobox"
        aria-label={words.find}
        aria-expanded={all !== undefined && all.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={all && all.length > 0 ? `${id}-${active.value}` : undefined}
        placeholder={words.find}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          active.value = 0;
          away.value = "";
        }}
        onKeyDown={press}
      />
      {all && (
        <div class="al-quiet" role="status">
          {away.value ? words.leftOut(away.value) : words.found(all.length)}
        </div>
      )}
      {meant && (
        <DidYouMean
          meant={meant}
          onTake={() => {
            typed.value = meant;
          }}
        />
      )}
      {all && all.length > 0 && (
        <div id={id} class="al-grid-found" role="listbox" aria-label={words.find}>
          {all.slice(0, MOST_LISTED).map((one, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
            <div
              key={`${one.side} ${one.line}`}
              id={`${id}-${i}`}
              class="al-menu-item"
              role="option"
              tabIndex={-1}
              aria-selected={i === active.value}
              onClick={async () => {
                active.value = i;
                if (!(await go(one))) return;
                controller.arranging.value = false;
                controller.viewport.focus();
              }}
            >
              <span class="al-clip">{one.name}</span>
              <span class="al-spacer" />
              <span class="al-quiet">{strings.kinds[table.view.orientationOf(one.side)]}</span>
            </div>
          ))}
        </div>
      )}
      {all && all.length > MOST_LISTED && (
        <div class="al-quiet">{words.more(all.length - MOST_LISTED)}</div>
      )}
    </div>
  );
}

function isShown({ table }: Controller, side: Side, line: number): boolean {
  return table.view.axes[side].line(line) >= 0;
}
