/**
 * One widget in a documentation page: replaces the static content by the live widget, and states
 * the source of the data below.
 *
 * The widget is in a shadow root, so that neither style sheet affects the other.
 */

import { copyText } from "../core/clipboard";
import { bringLater, loadFrom, onShelf, pageShelf, type Text } from "../core/shelf";
import { modelsOf, unpack } from "./recording";
import { strings } from "./strings";

/**
 * The element contains `.audiencelab-live-view` and `.audiencelab-live-note`, as the site writes them.
 * The texts are those of all modules, each after those that it imports.
 */
export async function bringToLife(place: HTMLElement, packed: string, texts: readonly Text[]) {
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
    const shelf = pageShelf();
    const name = String(model.get("_front_end"));
    const { default: kind } = await (onShelf(shelf, name) ?? loadFrom(shelf, texts, name));
    place.dataset.live = "";
    // The widget lives as long as the page, so the signal is never aborted.
    const { signal } = new AbortController();
    bringLater(shelf, (later) => loadFrom(shelf, texts, later), signal);
    await kind.render({ model, el: rootIn(view), signal });
  } catch (error) {
    said.textContent = strings.broken;
    throw error;
  }
}

/** An element inside `view`, which replaces its content. */
function rootIn(view: HTMLElement): HTMLElement {
  const el = view.ownerDocument.createElement("div");
  view.replaceChildren();
  view.attachShadow({ mode: "open" }).append(el);
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
