/**
 * Text to the clipboard, also where the page may not use the modern way (plain HTTP, frames).
 * Returns whether it got there.
 */
export async function copyText(text: string, root: HTMLElement): Promise<boolean> {
  const page = root.ownerDocument;
  try {
    await page.defaultView?.navigator.clipboard.writeText(text);
    return page.defaultView !== null;
  } catch {
    return copySelected(text, root);
  }
}

function copySelected(text: string, root: HTMLElement): boolean {
  const page = root.ownerDocument;
  const before = page.activeElement;
  const field = page.createElement("textarea");
  field.className = "al-sr-only";
  field.value = text;
  root.append(field);
  field.select();
  try {
    return page.execCommand("copy");
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
