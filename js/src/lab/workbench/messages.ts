/** What a tab shows before there is a workbench, and above it: messages with buttons, progress. */
import { written } from "../../core/numbers";
import type { Report } from "./running";
import { words } from "./strings";

export type Way = readonly [label: string, run: () => void];

export interface Message {
  sentence: string;
  ways?: readonly Way[];
}

/** A message in place of the workbench; the first button is the usual one. */
export function say(node: HTMLElement, { sentence, ways = [] }: Message): void {
  const box = made(node, "div", "audiencelab-tab-message");
  box.setAttribute("role", "status");
  const text = made(node, "p", "");
  text.textContent = sentence;
  const buttons = made(node, "div", "audiencelab-tab-ways");
  for (const [at, [label, run]] of ways.entries()) {
    buttons.append(button(node, label, at === 0 ? "jp-mod-styled jp-mod-accept" : PLAIN, run));
  }
  box.append(text, ...(ways.length ? [buttons] : []));
  putAbove(node, box);
}

const BODY = "audiencelab-tab-body";
const LAST = "audiencelab-tab-last";

/** The element in which a workbench is drawn, in place of everything else. */
export function bodyIn(node: HTMLElement): HTMLElement {
  const body = made(node, "div", BODY);
  node.replaceChildren(body);
  return body;
}

/** Keeps a still copy of what is drawn, in grey, below messages until it is drawn again. */
export function keepLast(node: HTMLElement): void {
  const body = node.querySelector<HTMLElement>(`:scope > .${BODY}`);
  if (!body?.firstElementChild) return;
  const last = body.cloneNode(true) as HTMLElement;
  last.className = `${BODY} ${LAST}`;
  last.inert = true;
  // A copy is not scrolled, and the cells in view are where the table was scrolled to.
  const scrolled = [...body.querySelectorAll("*")].map((each) => [each.scrollLeft, each.scrollTop]);
  node.replaceChildren(last);
  for (const [at, each] of [...last.querySelectorAll("*")].entries()) {
    const [left = 0, top = 0] = scrolled[at] ?? [];
    if (left || top) each.scrollTo(left, top);
  }
}

function putAbove(node: HTMLElement, box: HTMLElement): void {
  node.replaceChildren(box, ...node.querySelectorAll(`:scope > .${LAST}`));
}

const PLAIN = "jp-mod-styled jp-mod-reject";

/** A line above the workbench, until it is closed. */
export function note(node: HTMLElement, { sentence, ways = [] }: Message): void {
  const line = made(node, "div", "audiencelab-tab-note");
  line.setAttribute("role", "note");
  const text = made(node, "span", "");
  text.textContent = sentence;
  const close = button(node, "×", "audiencelab-tab-close", () => line.remove());
  close.setAttribute("aria-label", words.closeNote);
  line.append(text, ...ways.map(([label, run]) => button(node, label, PLAIN, run)), close);
  node.prepend(line);
}

/**
 * The progress of some code until the returned function is called; it takes reports.
 *
 * @param stop Called by the button; without it there is none.
 */
export function showProgress(
  node: HTMLElement,
  { title, code, stop }: { title: string; code: string; stop: () => void },
): { report(report: Report): void; end(): void } {
  const box = made(node, "div", "audiencelab-tab-progress");
  const head = made(node, "p", "");
  head.setAttribute("role", "status");
  head.textContent = title;
  const shown = made(node, "code", "");
  shown.textContent = code;
  const bar = made(node, "progress", "");
  bar.setAttribute("aria-label", title);
  const state = made(node, "span", "audiencelab-tab-state");
  const line = made(node, "div", "audiencelab-tab-ways");
  const stopping = button(node, words.stop, PLAIN, () => {
    stopping.disabled = true;
    stopping.textContent = words.stopping;
    stop();
  });
  line.append(stopping, state);
  box.append(head, ...(code ? [shown] : []), bar, line);
  putAbove(node, box);
  const began = Date.now();
  let last: Report | null = null;
  const write = () => {
    state.textContent = progressLine(last, (Date.now() - began) / 1000);
    if (last?.step && last.share < 1) (bar as HTMLProgressElement).value = last.share;
    else bar.removeAttribute("value");
  };
  const clock = setInterval(write, 500);
  write();
  return {
    report(report) {
      last = report;
      write();
    },
    end: () => clearInterval(clock),
  };
}

/** "kunden.sav: 420,000 of 1,000,000 rows, 14 s" */
export function progressLine(report: Report | null, seconds: number): string {
  const time = words.seconds(written(Math.floor(seconds), 0));
  if (!report) return time;
  if (!report.step) return `${words.counting}, ${time}`;
  const { step, rows, share } = report;
  if (share === 1 && rows && !step.startsWith("writing")) {
    return `${words.rowsRead(step, written(rows, 0))}, ${time}`;
  }
  const done = rows
    ? words.rowsOf(written(Math.floor(rows * share), 0), written(rows, 0))
    : words.percentOf(written(100 * share, 0));
  return `${step}: ${done}, ${time}`;
}

function made(node: HTMLElement, tag: string, className: string): HTMLElement {
  const element = node.ownerDocument.createElement(tag);
  if (className) element.className = className;
  return element;
}

function button(node: HTMLElement, label: string, className: string, run: () => void) {
  const element = node.ownerDocument.createElement("button");
  element.type = "button";
  element.className = className;
  element.textContent = label;
  element.addEventListener("click", run);
  return element;
}
