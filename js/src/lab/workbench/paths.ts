/** Paths of documents, data files and survey folders. */
import { BY_ITSELF, SURVEY_SUFFIXES } from "../../protocol/atStart";
import type { Contents } from "../jupyter";

/** The factory, the file type and the model of tabs of data files. */
export const DATA_FILE = "audiencelab-data-file";

export const SUFFIX = ".audiencelab.json";

/** The file that a survey folder is opened by. */
export const MANIFEST = "panel.json";

/** The folder of a path, with the slash at its end; "" for the root. */
export function folderIn(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** What is opened by a file: itself, or the survey folder that it is the manifest of. */
export function openedBy(file: string): string {
  return file.endsWith(`/${MANIFEST}`) ? folderIn(file).slice(0, -1) : file;
}

/** Whether there is such a file or folder. */
export async function exists(contents: Contents, path: string): Promise<boolean> {
  return contents.get(path, { content: false }).then(
    () => true,
    () => false,
  );
}

/** Whether a file has a name that `al.open` reads. */
export function isData(path: string): boolean {
  const name = path.toLowerCase();
  return [...SURVEY_SUFFIXES, ...BY_ITSELF].some((suffix) => name.endsWith(suffix));
}
