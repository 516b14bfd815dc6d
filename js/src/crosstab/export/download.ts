/** Saves a file through the browser, with a temporary link. */

/** Milliseconds until the object URL is revoked: a browser may start to read after the click. */
const KEPT_MS = 60_000;

export function download(file: Blob, name: string, root: HTMLElement): void {
  const address = URL.createObjectURL(file);
  const link = root.ownerDocument.createElement("a");
  link.href = address;
  link.download = name;
  link.className = "al-sr-only";
  root.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
