/** Paths of the file of a document that may have been moved with it. */
import type { LocalSource } from "./source";

/** Folders of a path that may have been moved together. */
const DEEPEST = 4;

/**
 * Where to look for the file of a source, relative to the folder of its document: where it was, and
 * by the ends of its path. None for a pattern, which Python resolves.
 */
export function placesOf({ path, isBeside }: LocalSource): string[] {
  if (/[*?[]/.test(path)) return [];
  const parts = path.split(/[\\/]+/).filter((part) => !/^(|~|\.{1,2}|[A-Za-z]:)$/.test(part));
  const ends = parts.map((_, at) => parts.slice(at).join("/")).slice(-DEEPEST);
  return [...new Set(isBeside ? [path, ...ends] : ends)];
}

/** A path of the server as Python in a folder finds it. */
export function besideAt(folder: string, path: string): string {
  const from = folder.split("/").filter(Boolean);
  const to = path.split("/").filter(Boolean);
  const same = from.findIndex((part, at) => part !== to[at]);
  const shared = same < 0 ? from.length : same;
  return [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/");
}
