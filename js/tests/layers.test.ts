/**
 * Packages import in one direction only, as docs/project/architecture.md shows. Type imports count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../src");

const LAB = [
  ...["lab/jupyter", "lab", "lab/charts", "lab/datafile", "lab/saved", "lab/sidebar"],
  "lab/workbench",
];

/** The packages that each package may import; a file that is in no folder is a package. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  core: [],
  ui: ["core"],
  catalogue: ["protocol", "core", "ui"],
  picker: ["protocol", "core", "ui", "catalogue"],
  editor: ["protocol", "core", "ui", "catalogue"],
  crosstab: ["protocol", "core", "ui", "catalogue"],
  workbench: ["protocol", "core", "ui", "catalogue", "picker", "editor", "crosstab"],
  "index.ts": ["protocol", "core", "ui", "picker", "editor", "crosstab", "workbench"],
  docs: ["core", "index.ts"],
  "loader.ts": [],
  "lab/jupyter": [],
  lab: ["protocol", "core", "ui", "lab/jupyter", "catalogue"],
  "lab/charts": ["protocol", "core", "ui", "lab/jupyter", "lab"],
  "lab/datafile": ["core", "ui", "lab/jupyter", "lab"],
  "lab/saved": ["protocol", "core", "ui", "lab/jupyter", "lab", "crosstab"],
  "lab/sidebar": [
    ...["protocol", "core", "ui", "lab/jupyter", "lab", "lab/datafile", "lab/workbench"],
    ...["catalogue", "picker"],
  ],
  "lab/workbench": ["core", "ui", "lab/jupyter", "lab"],
};

/** Entry points of JupyterLab and its commands: they connect the parts of the extension. */
const FRONT_DOORS = ["lab/extension.ts", "lab/mime.ts", "lab/commands.ts"];

const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(sep).join("/"))
  .sort();

function packageOf(file: string): string {
  const folders = file.split("/").slice(0, -1);
  return folders.slice(0, folders[0] === "lab" ? 2 : 1).join("/") || file;
}

/** The files and folders of ours that a file imports. */
function importsOf(file: string, source: string): string[] {
  const found = source.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => {
    const target = relative(SOURCE, resolve(join(SOURCE, dirname(file)), path));
    const name = target.split(sep).join("/");
    if (name === "") return "index.ts";
    return name + (MAY_IMPORT[name] !== undefined ? "/index" : "");
  });
}

/** The imports of a file, including type imports. */
function filesOf(file: string): string[] {
  const source = readFileSync(join(SOURCE, file), "utf8");
  return importsOf(file, source).flatMap((target) =>
    FILES.filter((each) => each.replace(/\.tsx?$/, "") === target),
  );
}

/** The transitive imports of a file. */
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
  const from = packageOf(file);
  const allowed = new Set([from, ...(MAY_IMPORT[from] ?? [])]);
  if (FRONT_DOORS.includes(file)) for (const each of LAB) allowed.add(each);
  return importsOf(file, source).filter((target) => !allowed.has(packageOf(target)));
}

describe("the packages of the front end", () => {
  it.each(FILES)("%s imports downwards", (file) => {
    expect(forbidden(file, readFileSync(join(SOURCE, file), "utf8"))).toEqual([]);
  });

  it("have no import cycles", () => {
    const imports = new Map(FILES.map((file) => [file, filesOf(file)]));
    expect(FILES.filter((file) => reached(file, imports).has(file))).toEqual([]);
  });

  it("are all in the table", () => {
    expect([...new Set(FILES.map(packageOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  it.each([
    ["ui/Menu.tsx", 'import { words } from "../crosstab/strings";'],
    ["editor/Editor.tsx", 'import type { Table } from "../crosstab/data/table";'],
    ["crosstab/view/axis.ts", 'export { Editor } from "../../editor/Editor";'],
    ["lab/saved/view.ts", 'const late = await import("../sidebar/page");'],
    ["lab/server.ts", 'import "./sidebar/page";'],
    ["docs/place.ts", 'import { Grid } from "../crosstab/Grid";'],
  ])("%s may not: %s", (file, source) => {
    expect(forbidden(file, source)).toHaveLength(1);
  });

  it.each([
    ["lab/commands.ts", 'import { words } from "./sidebar/strings";'],
    ["lab/saved/view.ts", 'import { Grid } from "../../crosstab/Grid";'],
    ["lab/charts/menu.ts", 'import type { Menu } from "../jupyter";'],
    ["docs/place.ts", 'import widget from "..";'],
    ["crosstab/view/axis.ts", 'import { h } from "preact";'],
  ])("%s may: %s", (file, source) => {
    expect(forbidden(file, source)).toEqual([]);
  });
});
