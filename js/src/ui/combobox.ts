/**
 * ARIA properties of a search box and the list that it controls. The box keeps the focus:
 * aria-activedescendant names the active row.
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
  // Browsers make every scroller a tab stop.
  tabIndex: -1,
  // A press on a row must not take the focus from the box; but preventing it would also prevent a
  // drag.
  onMouseDown: (event: MouseEvent) => {
    const isDraggable = (event.target as Element).closest("[draggable=true]");
    if (!isDraggable) event.preventDefault();
  },
} as const;
