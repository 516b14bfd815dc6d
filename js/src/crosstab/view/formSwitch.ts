/**
 * The switch in a group's row for the form of its question: distribution, top two, mean. Its buttons
 * are hidden from screen readers, to whom the header's menu offers the same.
 */

export interface FormChoice {
  /** Equal where it looks the same. */
  readonly key: string;
  readonly forms: readonly {
    readonly name: string;
    readonly hint: string;
    readonly isShown: boolean;
    show(): void;
  }[];
  /** The edges of the bins that are shown, and what lets them be changed. */
  readonly bins?: string;
  editBins?(): void;
}

export class FormSwitch {
  readonly element: HTMLElement;
  #choice: FormChoice | null = null;

  constructor(private readonly document: Document) {
    this.element = document.createElement("span");
    this.element.className = "al-grid-forms al-segmented";
    this.element.setAttribute("aria-hidden", "true");
    this.element.hidden = true;
  }

  show(choice: FormChoice | null): void {
    const isSame = this.#choice?.key === choice?.key;
    this.#choice = choice;
    if (isSame) return;
    this.element.hidden = choice === null;
    this.element.replaceChildren(
      ...(choice?.forms ?? []).map(({ name, hint, isShown }, at) => {
        const button = this.#button(name, hint, () => this.#choice?.forms[at]?.show());
        button.setAttribute("aria-pressed", String(isShown));
        return button;
      }),
      ...(choice?.bins
        ? [this.#button(`${choice.bins} …`, "", () => this.#choice?.editBins?.())]
        : []),
    );
  }

  #button(name: string, hint: string, run: () => void): HTMLElement {
    const button = this.document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.textContent = name;
    if (hint) button.title = hint;
    for (const type of ["pointerdown", "mousedown", "dblclick"] as const) {
      button.addEventListener(type, (event) => {
        // Prevents folding and dragging the group below, and keeps the focus in the table.
        event.preventDefault();
        event.stopPropagation();
      });
    }
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      run();
    });
    return button;
  }
}
