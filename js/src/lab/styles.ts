/**
 * Style sheets of the extension's own parts. They are inserted before all others: a widget in a
 * notebook brings the same rules later, followed by its own.
 */
export function addStyle(page: Document, id: string, sheets: readonly string[]): void {
  if (page.getElementById(id)) return;
  const style = page.createElement("style");
  style.id = id;
  style.textContent = sheets.join("\n");
  page.head.prepend(style);
}
