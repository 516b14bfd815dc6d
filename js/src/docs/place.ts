/**
 * One widget in a documentation page: replaces the static content by the live widget, and states
 * the source of the data below.
 *
 * The widget is in a shadow root, so that neither style sheet affects the other.
 */

import widget from "..";
import { copyText } from "../core/clipboard";
import { modelsOf, unpack } from "./recording";
import { strings } from "./strings";

type Render = (context: { model: unknown; el: HTMLElement; signal: AbortSignal }) => unknown;

/**
 * The element contains `.audiencelab-live-view` and `.audiencelab-live-note`, as the site writes them.
 */
export async function bringToLife(place: HTMLElement, packed: string, style: string) {
  const view = place.querySelector<HTMLElement>(".audiencelab-live-view");
  const note = place.querySelector<HTMLElement>(".audiencelab-live-note");
  if (!view || !note) return;
  const said = place.ownerDocument.createElement("span");
  said.setAttribute("role", "status");
  said.textContent = strings.live;
  note.replaceChildren(said);
  try {
    const recording = await unpack(packed);
    note.append(" ", copyButton(note, recording.code));
    const model = modelsOf(recording, () => {
      said.textContent = strings.notRecorded;
      note.dataset.asked = "";
    });
    const el = dressed(view, style);
    place.dataset.live = "";
    // The widget lives as long as the page, so the signal is never aborted.
    const { signal } = new AbortController();
    (widget as { render: Render }).render({ model, el, signal });
  } catch (error) {
    said.textContent = strings.broken;
    throw error;
  }
}

/** A styled element inside `view`, which replaces its content. */
function dressed(view: HTMLElement, style: string): HTMLElement {
  const page = view.ownerDocument;
  const sheet = page.createElement("style");
  sheet.textContent = style;
  const el = page.createElement("div");
  view.replaceChildren();
  view.attachShadow({ mode: "open" }).append(sheet, el);
  return el;
}

function copyButton(note: HTMLElement, code: string): HTMLButtonElement {
  const button = note.ownerDocument.createElement("button");
  button.type = "button";
  button.textContent = strings.copyCode;
  button.addEventListener("click", async () => {
    if (await copyText(code, note)) button.textContent = strings.copied;
  });
  return button;
}
