/**
 * The tooltip of a chart. Its values come from data: they are shown as text, never as markup, and
 * nothing is fetched.
 */
import { onAbort } from "../../core/lifetime";

/**
 * Vega's tooltip handler, called with the mark under the pointer; an empty value hides the tooltip.
 */
export type TooltipHandler = (
  handler: unknown,
  event: { clientX: number; clientY: number },
  item: unknown,
  value: unknown,
) => void;

const LONGEST = 300;
const MOST = 30;
const APART = 12;

export function createTooltip(page: Document, lifetime: AbortSignal): TooltipHandler {
  let box: HTMLElement | undefined;
  const hide = () => {
    box?.remove();
    box = undefined;
  };
  onAbort(lifetime, hide);
  // A key or a scroll moves the mark from under the pointer without an event on the chart.
  page.addEventListener("scroll", hide, { capture: true, passive: true, signal: lifetime });
  return (_handler, event, _item, value) => {
    hide();
    if (value === undefined || value === null || value === "" || lifetime.aborted) return;
    box = page.createElement("div");
    box.className = "audiencelab-chart-tooltip";
    box.append(content(page, value));
    // On the body, because a cell clips its content.
    page.body.append(box);
    place(box, event.clientX, event.clientY, page.documentElement);
  };
}

/** One line, or a table of names and values. */
function content(page: Document, value: unknown): Node {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return page.createTextNode(written(value));
  }
  const table = page.createElement("table");
  for (const [name, each] of Object.entries(value).slice(0, MOST)) {
    const row = table.insertRow();
    const head = page.createElement("th");
    head.textContent = written(name);
    row.append(head);
    row.insertCell().textContent = written(each);
  }
  return table;
}

function written(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Beside the pointer, on the side with enough space. */
function place(box: HTMLElement, x: number, y: number, view: Element): void {
  const { width, height } = box.getBoundingClientRect();
  const beside = (at: number, size: number, room: number) =>
    at + APART + size > room ? Math.max(0, at - APART - size) : at + APART;
  box.style.left = `${beside(x, width, view.clientWidth)}px`;
  box.style.top = `${beside(y, height, view.clientHeight)}px`;
}
