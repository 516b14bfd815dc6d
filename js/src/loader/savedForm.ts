/**
 * The saved form of a widget: its static HTML, as Python draws it for readers without a kernel. The
 * live widget replaces it when it is drawn.
 *
 * The HTML is not put into the page: known elements with known attributes are copied, since it
 * comes from a file.
 */
import { onAbort } from "../core/lifetime";
import { inflated } from "./pulling";

const WAITING = "Waiting for the kernel.";

const ELEMENTS = new Set(
  `b bdi br caption code col colgroup details div em h2 h3 h4 h5 h6 header hr i img li ol p pre section
   small span strong sub summary sup table tbody td tfoot th thead tr ul footer`.split(/\s+/),
);
const ATTRIBUTES =
  /^(alt|aria-[a-z]+|cellpadding|cellspacing|colspan|data-al|dir|lang|open|role|rowspan|scope|span|title)$/;
/** An image inside of the form: it runs no script and loads nothing. */
const IMAGE = /^data:image\/svg\+xml,[\w.~/%-]*$/;
/** What a declaration may set: nothing that loads, and nothing that moves it elsewhere. */
const DECLARATION =
  /^\s*(background|background-color|border|border-[a-z-]+|color|display|font|font-[a-z-]+|line-height|list-style|margin|margin-[a-z-]+|max-width|min-width|opacity|overflow|overflow-[a-z]+|padding|padding-[a-z-]+|print-color-adjust|text-[a-z-]+|user-select|vertical-align|white-space|width|word-break)\s*:(?!.*(\\|url|image|src\s*\(|\/\*))[^{}<>]+$/is;

/** About that of a large live table, so that little moves when it replaces the form. */
const LIVE_HEIGHT = "760px";
/** On paper nothing scrolls: a wide table is smaller, and no column is cut off. */
const PRINT = `@media print {
  .mathjax_ignore, :has(.mathjax_ignore) { overflow: visible !important; max-height: none !important }
  .mathjax_ignore table { display: table !important; font-size: 9px !important }
}`;

export class SavedForm {
  #box: HTMLElement | undefined;
  #note: HTMLElement | undefined;
  #isReplaced = false;

  constructor(
    private readonly el: HTMLElement,
    private readonly saved: unknown,
    private readonly lifetime: AbortSignal,
  ) {}

  /** Draws it, unless the live widget is there. */
  draw(): void {
    if (this.#box || this.#isReplaced || this.lifetime.aborted || !this.saved) return;
    const box = this.#opened("form");
    box.style.cssText = `overflow:auto;max-height:${LIVE_HEIGHT}`;
    // Pages with MathJax would set "$25,000 to $35,000" as a formula.
    box.className = "mathjax_ignore";
    const sheet = box.appendChild(this.el.ownerDocument.createElement("style"));
    sheet.textContent = PRINT;
    this.#box = box;
    htmlOf(String(this.saved)).then((html) => fill(box, html), console.error);
  }

  /** Draws it for good: no kernel answers. */
  keep(): void {
    this.draw();
    this.#note?.remove();
    this.#box?.style.removeProperty("max-height");
  }

  /** Says that the kernel is busy. */
  wait(): void {
    if (this.#isReplaced || this.lifetime.aborted) return;
    this.#box ??= this.#opened("form");
    const note = this.el.ownerDocument.createElement("div");
    note.setAttribute("role", "status");
    note.style.cssText = "margin:4px 0;opacity:.7;font:13px var(--jp-ui-font-family,system-ui)";
    note.textContent = WAITING;
    this.#box.append(note);
    this.#note = note;
  }

  /** Draws the live widget beside it, unseen, and replaces it by that at once when it is drawn. */
  async replaceBy(draw: (box: HTMLElement) => Promise<void>): Promise<void> {
    this.#isReplaced = this.#box === undefined;
    const box = this.#opened("live");
    if (this.#box) {
      this.el.style.position = "relative";
      box.style.cssText = "position:absolute;inset:0 0 auto 0;visibility:hidden";
    }
    try {
      await draw(box);
    } catch (error) {
      if (this.#box) box.remove();
      throw error;
    }
    if (!this.#box) return;
    this.#isReplaced = true;
    this.#box.remove();
    this.el.style.position = "";
    box.style.cssText = "";
  }

  #opened(part: "form" | "live"): HTMLElement {
    const box = this.el.appendChild(this.el.ownerDocument.createElement("div"));
    box.dataset.audiencelabPart = part;
    onAbort(this.lifetime, () => box.remove());
    return box;
  }
}

async function htmlOf(saved: string): Promise<string> {
  const packed = Uint8Array.from(atob(saved), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await inflated(packed));
}

function fill(box: HTMLElement, html: string): void {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  const parts = [...body.childNodes].flatMap((node) => copied(node, box.ownerDocument));
  box.prepend(...parts);
}

/** A copy of what is known of a node; elements that are not leave out what is in them, too. */
function copied(node: Node, page: Document): (HTMLElement | Text)[] {
  if (node.nodeType === Node.TEXT_NODE) return [page.createTextNode(node.nodeValue ?? "")];
  if (!(node.nodeType === Node.ELEMENT_NODE)) return [];
  const given = node as HTMLElement;
  const tag = given.tagName.toLowerCase();
  if (!ELEMENTS.has(tag)) return [];
  const copy = page.createElement(tag);
  for (const { name, value } of given.attributes) {
    const isKnown = name === "src" ? IMAGE.test(value) : ATTRIBUTES.test(name);
    if (isKnown) copy.setAttribute(name, value);
  }
  const style = given.getAttribute("style") ?? "";
  // Set by a property, which pages allow that allow no styles in HTML.
  if (style)
    copy.style.cssText = style
      .split(";")
      .filter((each) => DECLARATION.test(each))
      .join(";");
  copy.append(...[...given.childNodes].flatMap((child) => copied(child, page)));
  return [copy];
}
