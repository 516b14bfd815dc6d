/**
 * A view whose kernel is gone: it stays readable, its controls do nothing, and its edits are kept
 * for the view that takes its position when the cell runs again.
 */
import type { Signal } from "@preact/signals";
import { sameTable } from "../core/merge";
import type { Refused, Trait } from "../core/traits";
import { sameJson } from "../core/undo";

const CONTROLS = "button, select, input, textarea, [role=menuitem]";

/** What works without a kernel: the line that reports it, and what only looks at a table or copies. */
const LOCAL = ".al-status, [data-local], [role=grid]";

const CHANGES = ["click", "dblclick", "pointerdown", "contextmenu", "beforeinput"] as const;
const MOVED = ["dragstart", "drop", "paste", "cut"] as const;
const READING = /^(Tab|Escape|Shift|Control|Meta|Arrow\w+|Home|End|Page\w+|F\d+)$/;

type Traits = ReadonlyMap<string, Trait<unknown>>;

/** Leaves a view to be read, and keeps what was edited in it. */
export function freeze(root: HTMLElement, traits: Traits, lifetime: AbortSignal): void {
  keepEdits(root, traits);
  root.dataset.kernel = "gone";
  for (const control of root.querySelectorAll<HTMLElement>(CONTROLS)) {
    if (control.closest(LOCAL)) continue;
    // Text can still be selected.
    if (control.matches("textarea, input:not([type=checkbox], [type=radio])")) {
      (control as HTMLInputElement).readOnly = true;
    }
    control.setAttribute("aria-disabled", "true");
  }
  const options = { capture: true, signal: lifetime };
  for (const name of CHANGES) root.addEventListener(name, keepFrom, options);
  for (const name of MOVED) root.addEventListener(name, keepFrom, options);
  root.addEventListener(
    "keydown",
    (event) => {
      const copies = (event.ctrlKey || event.metaKey) && /^[ac]$/i.test(event.key);
      if (copies || (READING.test(event.key) && !event.altKey)) return;
      keepFrom(event);
    },
    options,
  );
}

function keepFrom(event: Event): void {
  if (event.target instanceof Element && event.target.closest(LOCAL)) return;
  event.stopImmediatePropagation();
  // Text is selected with the pointer, and the browser's own menu copies it.
  if (event.type !== "pointerdown" && event.type !== "contextmenu") event.preventDefault();
}

/** Edits by the cell that held their view, and in it by the kind of widget and the trait. */
const kept = new WeakMap<Element, Map<string, unknown>>();

function keepEdits(root: HTMLElement, traits: Traits): void {
  const cell = cellOf(root);
  const edited = [...traits].filter(([, trait]) => trait.isEdited);
  // Which of several views an edit was made in is not known of the next ones.
  const isOnly = cell?.querySelectorAll(".audiencelab").length === 1;
  if (cell && isOnly && edited.length > 0) {
    kept.set(cell, new Map(edited.map(([name, trait]) => [name, trait.peek()])));
  }
}

/** Offers once to make the edits again that were kept, where they fit. */
export function offerEdits(
  root: HTMLElement,
  traits: Traits,
  refused: Signal<Refused | null>,
): void {
  const cell = cellOf(root);
  const edits = cell && kept.get(cell);
  if (!cell || !edits) return;
  const fitting = () =>
    [...edits].flatMap(([name, value]) => {
      const trait = traits.get(name);
      const fits = trait && sameTable(trait.peek(), value) && !sameJson(trait.peek(), value);
      return fits ? [{ trait, value }] : [];
    });
  if (fitting().length === 0) return;
  kept.delete(cell);
  const again = () => {
    refused.value = null;
    for (const { trait, value } of fitting()) trait.set(value);
  };
  refused.value = { why: "restart", again };
}

function cellOf(root: HTMLElement): Element | null {
  return root.closest(".jp-Cell");
}
