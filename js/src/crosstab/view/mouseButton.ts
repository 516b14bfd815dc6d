/** Buttons over the table: those of a header, and the switch of a group. */

/** A button over the table, for the mouse alone: the keyboard has menus. */
export function buttonIn(page: Document): HTMLButtonElement {
  const button = page.createElement("button");
  button.type = "button";
  button.tabIndex = -1;
  for (const type of ["pointerdown", "mousedown", "dblclick"] as const) {
    button.addEventListener(type, (event) => {
      // Prevents selecting, folding and dragging what is below, and keeps the focus in the table.
      event.preventDefault();
      event.stopPropagation();
    });
  }
  return button;
}
