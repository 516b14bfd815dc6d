/**
 * Rooms import downwards only, as docs/explanation/architecture.md tells it. An import of a type
 * counts like any other: it says that a module knows of another.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../src");

const WIDGETS = ["widgets/picker", "widgets/editor", "widgets/grid", "widgets/workbench"];
const LAB = ["lab/jupyter", "lab", "lab/charts", "lab/saved", "lab/sidebar"];

/** What each room may import besides itself; a file that stands in no folder is a room. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  "widgets/picker": ["shared"],
  "widgets/editor": ["shared", "widgets/picker"],
  "widgets/grid": ["shared", "widgets/picker"],
  "widgets/workbench": ["shared", ...WIDGETS.slice(0, 3)],
  widgets: ["shared", ...WIDGETS],
  live: ["shared", "widgets"],
  page: [],
  "loader.ts": [],
  "lab/jupyter": [],
  lab: ["shared", "lab/jupyter", "widgets/picker"],
  "lab/charts": ["shared", "lab/jupyter", "lab"],
  "lab/saved": ["shared", "lab/jupyter", "lab", "widgets/grid"],
  "lab/sidebar": ["shared", "lab/jupyter", "lab", "widgets/picker"],
};

/** What JupyterLab loads, and what its commands do: they bring the rooms of the extension together. */
const FRONT_DOORS = ["lab/extension.ts", "lab/mime.ts", "lab/commands.ts"];

const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(sep).join("/"))
  .sort();

function roomOf(file: string): string {
  const parts = file.split("/");
  const folders = parts.slice(0, -1);
  const divided = folders[0] === "widgets" || folders[0] === "lab";
  return folders.slice(0, divided ? 2 : 1).join("/") || file;
}

/** The files and folders of ours that a file imports. */
function importsOf(file: string, source: string): string[] {
  const found = source.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => {
    const target = relative(SOURCE, resolve(join(SOURCE, dirname(file)), path));
    const isFolder = MAY_IMPORT[target.split(sep).join("/")] !== undefined;
    return target.split(sep).join("/") + (isFolder ? "/index" : "");
  });
}

/** The files that a file loads; a type is gone before anything is loaded. */
function loads(file: string): string[] {
  const source = readFileSync(join(SOURCE, file), "utf8").replaceAll(
    /^(im|ex)port type [^;]*;/gm,
    "",
  );
  return importsOf(file, source).flatMap((target) =>
    FILES.filter((each) => each.replace(/\.tsx?$/, "") === target),
  );
}

/** All that comes along with a file, at however many removes. */
function reached(file: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const each of imports.get(next) ?? []) {
      if (!found.has(each)) open.push(each);
      found.add(each);
    }
  }
  return found;
}

function forbidden(file: string, source: string): string[] {
  const room = roomOf(file);
  const allowed = new Set([room, ...(MAY_IMPORT[room] ?? [])]);
  if (FRONT_DOORS.includes(file)) for (const each of LAB) allowed.add(each);
  return importsOf(file, source).filter((target) => !allowed.has(roomOf(target)));
}

describe("the rooms of the front end", () => {
  it.each(FILES)("%s imports downwards", (file) => {
    expect(forbidden(file, readFileSync(join(SOURCE, file), "utf8"))).toEqual([]);
  });

  it("have no file that imports itself by way of others", () => {
    const imports = new Map(FILES.map((file) => [file, loads(file)]));
    expect(FILES.filter((file) => reached(file, imports).has(file))).toEqual([]);
  });

  it("are all in the table", () => {
    expect([...new Set(FILES.map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  it.each([
    ["shared/Menu.tsx", 'import { words } from "../widgets/grid/strings";'],
    ["widgets/editor/Editor.tsx", 'import type { Table } from "../grid/table";'],
    ["widgets/grid/lines/axis.ts", 'export { Editor } from "../../editor/Editor";'],
    ["lab/saved/view.ts", 'const late = await import("../sidebar/page");'],
    ["lab/server.ts", 'import "./sidebar/page";'],
    ["live/place.ts", 'import { Grid } from "../widgets/grid/Grid";'],
  ])("%s may not: %s", (file, source) => {
    expect(forbidden(file, source)).toHaveLength(1);
  });

  it.each([
    ["lab/commands.ts", 'import { words } from "./sidebar/strings";'],
    ["lab/saved/view.ts", 'import { Grid } from "../../widgets/grid/Grid";'],
    ["lab/charts/menu.ts", 'import type { Menu } from "../jupyter";'],
    ["live/place.ts", 'import widget from "../widgets";'],
    ["widgets/grid/lines/axis.ts", 'import { h } from "preact";'],
  ])("%s may: %s", (file, source) => {
    expect(forbidden(file, source)).toEqual([]);
  });
});
