/**
 * One place in a page that holds a widget: the static form that stands there is replaced by the
 * widget itself, and a line below says where its figures come from.
 *
 * The widget stands in a shadow root, so that neither the site's style sheet nor ours reaches the
 * other.
 */

import widget from "..";
import { copyText } from "../core/clipboard";
import { modelsOf, unpack } from "./recording";
import { strings } from "./strings";

type Render = (context: { model: unknown; el: HTMLElement; signal: AbortSignal }) => unknown;

/** `place` holds `.audiencelab-live-view` and `.audiencelab-live-note`, as the site writes them. */
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
    // What ends with the page needs no end of its own.
    const { signal } = new AbortController();
    (widget as { render: Render }).render({ model, el, signal });
  } catch (error) {
    said.textContent = strings.broken;
    throw error;
  }
}

/** A place of its own style inside `view`, in place of what stood there. */
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
