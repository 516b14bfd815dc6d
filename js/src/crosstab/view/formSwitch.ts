/**
 * The switch in a group's row for the form of its question: distribution, top two, mean. Its buttons
 * are hidden from screen readers, to whom the header's menu offers the same.
 */

import type { FormChoice } from "../arrangement/target";
import { buttonIn } from "./mouseButton";

export class FormSwitch {
  readonly element: HTMLElement;
  /** The words that the names below have in common, which are left out of them. */
  readonly shared: HTMLElement;
  #choice: FormChoice | null = null;

  constructor(private readonly document: Document) {
    this.element = document.createElement("span");
    this.element.className = "al-grid-forms al-segmented";
    this.element.setAttribute("aria-hidden", "true");
    this.element.hidden = true;
    this.shared = document.createElement("span");
    this.shared.className = "al-grid-shared al-quiet";
    this.shared.setAttribute("aria-hidden", "true");
  }

  show(choice: FormChoice | null, shared: string): void {
    if (this.shared.textContent !== shared) this.shared.textContent = shared;
    this.shared.title = shared;
    const isSame = this.#choice?.key === choice?.key;
    this.#choice = choice;
    if (isSame) return;
    this.element.hidden = choice === null;
    this.element.replaceChildren(
      ...(choice?.forms ?? []).map(({ name, isShown }, at) => {
        const button = this.#button(name, () => this.#choice?.forms[at]?.show());
        button.setAttribute("aria-pressed", String(isShown));
        return button;
      }),
      ...(choice?.bins
        ? [this.#button(`${choice.bins} …`, (own) => this.#choice?.editBins?.(own))]
        : []),
    );
  }

  #button(name: string, run: (button: HTMLElement) => void): HTMLElement {
    const button = buttonIn(this.document);
    button.textContent = name;
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      run(button);
    });
    return button;
  }
}
