/**
 * Copies text, also where the Clipboard API is unavailable (plain HTTP, frames). Returns whether it
 * was copied.
 */
export async function copyText(text: string, root: HTMLElement): Promise<boolean> {
  const page = root.ownerDocument;
  try {
    await page.defaultView?.navigator.clipboard.writeText(text);
    return page.defaultView !== null;
  } catch {
    return copySelected({ text }, root);
  }
}

/** Copies text and HTML; the target of a paste chooses the format. */
export async function copyRich(
  { text, html }: { text: string; html: string },
  root: HTMLElement,
): Promise<boolean> {
  // Undefined over plain HTTP, whatever the types say.
  const clipboard: Clipboard | undefined = root.ownerDocument.defaultView?.navigator.clipboard;
  if (!clipboard) return copySelected({ text, html }, root);
  if (!clipboard.write || typeof ClipboardItem === "undefined") return copyText(text, root);
  try {
    const form = (words: string, type: string) => new Blob([words], { type });
    const forms = { "text/plain": form(text, "text/plain"), "text/html": form(html, "text/html") };
    await clipboard.write([new ClipboardItem(forms)]);
    return true;
  } catch {
    return copySelected({ text, html }, root);
  }
}

/** Copies an image that is still made; false where the browser does not allow it. */
export async function copyImage(image: Promise<Blob>, root: HTMLElement): Promise<boolean> {
  const clipboard: Clipboard | undefined = root.ownerDocument.defaultView?.navigator.clipboard;
  if (!clipboard?.write || typeof ClipboardItem === "undefined") return false;
  try {
    // A promise, since the click allows it for a short time only.
    await clipboard.write([new ClipboardItem({ "image/png": image })]);
    return true;
  } catch {
    // It may be the image that failed: that error says more.
    await image;
    return false;
  }
}

/** Both formats are set in a copy event, which the page itself may handle. */
function copySelected({ text, html }: { text: string; html?: string }, root: HTMLElement): boolean {
  const page = root.ownerDocument;
  const before = page.activeElement;
  const field = page.createElement("textarea");
  field.className = "al-sr-only";
  field.value = text;
  root.append(field);
  field.select();
  field.addEventListener("copy", (event) => {
    if (html === undefined || !event.clipboardData) return;
    event.clipboardData.setData("text/plain", text);
    event.clipboardData.setData("text/html", html);
    event.preventDefault();
    event.stopPropagation();
  });
  try {
    return page.execCommand("copy");
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
