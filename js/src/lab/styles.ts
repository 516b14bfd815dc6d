/**
 * Style sheets of the extension's own parts. They stand before all others: a widget in a notebook
 * brings the same rules along, later, and after them what it changes.
 */
export function addStyle(page: Document, id: string, sheets: readonly string[]): void {
  if (page.getElementById(id)) return;
  const style = page.createElement("style");
  style.id = id;
  style.textContent = sheets.join("\n");
  page.head.prepend(style);
}
