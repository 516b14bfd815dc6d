/** Style sheets of the extension's own parts. They are inserted before all others. */
export function addStyle(page: Document, id: string, sheets: readonly string[]): void {
  if (page.getElementById(id)) return;
  const style = page.createElement("style");
  style.id = id;
  style.textContent = sheets.join("\n");
  page.head.prepend(style);
}
