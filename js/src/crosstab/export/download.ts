/** Hands a file to the browser to be saved, as a link that is pressed and forgotten. */

/** A browser may begin to read a moment after the press. */
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
