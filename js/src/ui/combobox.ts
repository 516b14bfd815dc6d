/**
 * What a search box and the list that it controls are to a browser, where the box does all of the
 * keyboard's work: the active row is named by aria-activedescendant, so that focus never leaves.
 */

/** Properties of the box. */
export const SEARCH_BOX = {
  class: "al-input",
  type: "text",
  role: "combobox",
  autocomplete: "off",
  spellcheck: false,
  "aria-expanded": "true",
} as const;

/** Properties of the list. */
export const SEARCHED_LIST = {
  "aria-multiselectable": true,
  // Browsers make whatever scrolls a stop of Tab.
  tabIndex: -1,
  // Pressing a row must not take the keyboard out of the box; but this would prevent a drag too.
  onMouseDown: (event: MouseEvent) => {
    const isDraggable = (event.target as Element).closest("[draggable=true]");
    if (!isDraggable) event.preventDefault();
  },
} as const;
