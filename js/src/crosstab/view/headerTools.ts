/**
 * Two buttons on the header under the pointer, or with the focus: sort by it, and open its menu.
 */

import type { Position } from "../arrangement/position";
import { targetAt } from "../arrangement/target";
import { strings } from "../strings";
import type { Controller } from "./controller";
import { buttonIn } from "./mouseButton";

export class HeaderTools {
  readonly #element: HTMLElement;
  readonly #sort: HTMLElement;

  constructor(
    private readonly grid: Controller,
    signal: AbortSignal,
  ) {
    const { scroller } = grid.viewport;
    const { ownerDocument: document } = scroller;
    this.#element = document.createElement("span");
    this.#element.className = "al-grid-tools";
    // Hidden from screen readers: they would be read as part of the name. Enter and F2 do the same.
    this.#element.setAttribute("aria-hidden", "true");
    this.#sort = this.#button("sort", strings.sortByName, (at, add) => grid.act(at, add));
    this.#button("menu", strings.menuOfName, (at) => grid.openMenu(at));
    scroller.addEventListener("pointerover", ({ target }) => this.#show(target), { signal });
    scroller.addEventListener("focusin", ({ target }) => this.#show(target), { signal });
    scroller.addEventListener("pointerleave", () => this.#show(document.activeElement), { signal });
  }

  #show(target: EventTarget | null): void {
    const { table, viewport } = this.grid;
    if (this.#element.contains(target as Node)) return;
    const position = viewport.painter.positionOf(target);
    const line = position && targetAt(table.view, position);
    const header = line && viewport.painter.elementAt(position);
    this.#sort.hidden = line?.level !== undefined;
    if (!header) this.#element.remove();
    else if (this.#element.parentElement !== header) header.append(this.#element);
  }

  #button(
    name: "sort" | "menu",
    title: string,
    act: (at: Position, add: boolean) => void,
  ): HTMLElement {
    const button = buttonIn(this.#element.ownerDocument);
    // The glyph is in the style sheet, so that the text of a header is only its name.
    button.dataset.does = name;
    button.title = title;
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      const position = this.grid.viewport.painter.positionOf(this.#element);
      if (position) act(position, event.shiftKey);
    });
    this.#element.append(button);
    return button;
  }
}
