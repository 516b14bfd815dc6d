/**
 * Drops of data files on the launcher, the sidebar and workbench tabs: from the file browser, and
 * from the desktop, whose files are written into the folder of the file browser first.
 */
import type { DefaultFileBrowser, LuminoDragEvent } from "../jupyter";
import { addStyle } from "../styles";
import style from "./drop.css";

const CONTENTS = "application/x-jupyter-icontents";
const PLACES = ".jp-Launcher, .audiencelab-sidebar, .audiencelab-tab";
const MARK = "audiencelab-drop";

interface DropInputs {
  browser: DefaultFileBrowser;
  isData(path: string): boolean;
  open(path: string): Promise<void>;
}

export function acceptDrops({ browser, isData, open }: DropInputs): void {
  const page = document;
  addStyle(page, "audiencelab-drop-style", [style]);
  let marked: Element | null = null;
  const mark = (place: Element | null) => {
    marked?.classList.remove(MARK);
    place?.classList.add(MARK);
    marked = place;
  };
  const placeOf = ({ target }: Event) =>
    target instanceof Element ? target.closest(PLACES) : null;
  const take = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  const moved = (event: LuminoDragEvent): string[] => {
    if (!event.mimeData.hasData(CONTENTS)) return [];
    const paths = event.mimeData.getData(CONTENTS) as string[];
    // A folder has no suffix that says what it is.
    return paths.every((path) => isData(path) || !/\.\w+$/.test(path)) ? paths : [];
  };
  const during = (event: Event) => {
    const place = placeOf(event);
    if (!place || moved(event as LuminoDragEvent).length === 0) return;
    take(event);
    (event as LuminoDragEvent).dropAction = (event as LuminoDragEvent).proposedAction;
    mark(place);
  };
  const on = (name: string, listen: (event: Event) => void) =>
    page.addEventListener(name, listen, { capture: true });
  on("lm-dragenter", during);
  on("lm-dragover", during);
  on("lm-dragleave", () => mark(null));
  on("lm-drop", (event) => {
    const paths = moved(event as LuminoDragEvent);
    const isHere = placeOf(event) !== null && paths.length > 0;
    mark(null);
    if (!isHere) return;
    take(event);
    (event as LuminoDragEvent).dropAction = (event as LuminoDragEvent).proposedAction;
    void openAll(paths);
  });

  const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const over = (event: Event) => {
    const place = placeOf(event);
    if (!place || !isFiles(event as DragEvent)) return;
    take(event);
    mark(place);
  };
  on("dragenter", over);
  on("dragover", over);
  on("dragleave", () => mark(null));
  on("drop", (event) => {
    const place = placeOf(event);
    mark(null);
    const { dataTransfer } = event as DragEvent;
    if (!place || !dataTransfer || !isFiles(event as DragEvent)) return;
    take(event);
    void upload([...dataTransfer.files]);
  });

  async function openAll(paths: readonly string[]): Promise<void> {
    for (const path of paths) await open(path);
  }

  async function upload(files: readonly File[]): Promise<void> {
    // All of them first: a .sss is read with the file beside it.
    const written: string[] = [];
    for (const file of files) {
      // Rejected where the user keeps the file that has its name, which is opened then.
      const path = await browser.model.upload(file).then(
        (made) => made.path,
        () => [browser.model.path, file.name].filter(Boolean).join("/"),
      );
      written.push(path);
    }
    await openAll(written.filter(isData));
  }
}
