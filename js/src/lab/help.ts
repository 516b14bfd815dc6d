/** The dialog that describes the extension. */
import { strings as shared } from "../ui/strings";
import type { ApputilsPackage, Lumino } from "./jupyter";
import { strings } from "./strings";

export function helpDialog(
  { Dialog, showDialog }: ApputilsPackage,
  { Widget }: Lumino,
): () => void {
  return () => {
    const list = document.createElement("dl");
    for (const [name, meaning] of strings.helpEntries) {
      const term = document.createElement("dt");
      term.style.fontWeight = "600";
      term.textContent = name;
      const definition = document.createElement("dd");
      definition.style.margin = "0 0 8px";
      definition.textContent = meaning;
      list.append(term, definition);
    }
    const body = new Widget({ node: list });
    void showDialog({
      title: strings.helpTitle,
      body,
      buttons: [Dialog.okButton({ label: shared.close })],
    });
  };
}
