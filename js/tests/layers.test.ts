/**
 * Packages import in one direction only, as docs/project/architecture.md shows. Type imports count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../src");

/** The folders of the crosstab; each imports those before it. */
const CROSSTAB = [
  ...["crosstab/strings.ts", "crosstab/data", "crosstab/metrics", "crosstab/arrangement"],
  ...["crosstab/table", "crosstab/view", "crosstab/export"],
];

const LAB = [...["lab/jupyter", "lab", "lab/charts", "lab/saved", "lab/sidebar"], "lab/workbench"];

/** The packages that each package may import; a file that has a row of its own is a package. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  core: ["protocol"],
  ui: ["protocol", "core"],
  catalogue: ["protocol", "core", "ui"],
  picker: ["protocol", "core", "ui", "catalogue"],
  editor: ["protocol", "core", "ui", "catalogue"],
  ...Object.fromEntries(
    CROSSTAB.map((each, at) => [each, ["protocol", "core", "ui", ...CROSSTAB.slice(0, at)]]),
  ),
  // Beside each other: what is done with the table, and with its query.
  "crosstab/panels": ["protocol", "core", "ui", ...CROSSTAB],
  "crosstab/query": ["protocol", "core", "ui", "catalogue", ...CROSSTAB],
  crosstab: ["protocol", "core", "ui", ...CROSSTAB, "crosstab/panels", "crosstab/query"],
  workbench: [
    ...["protocol", "core", "ui", "catalogue", "picker", "editor", "crosstab", "crosstab/export"],
  ],
  play: ["protocol", "core", "ui"],
  kinds: ["core", "ui", "picker", "editor", "crosstab", "crosstab/export", "workbench", "play"],
  docs: ["core"],
  loader: ["protocol", "core"],
  "lab/jupyter": [],
  lab: ["protocol", "core", "ui", "lab/jupyter", "catalogue"],
  "lab/charts": ["protocol", "core", "ui", "lab/jupyter", "lab"],
  "lab/saved": [
    ...["protocol", "core", "ui", "loader", "lab/jupyter", "lab", "crosstab", "crosstab/panels"],
    ...CROSSTAB,
  ],
  "lab/sidebar": [
    ...["protocol", "core", "ui", "lab/jupyter", "lab", "lab/workbench"],
    ...["catalogue", "picker"],
  ],
  "lab/workbench": ["protocol", "core", "ui", "lab/jupyter", "lab"],
};

/** Entry points of JupyterLab and its commands: they connect the parts of the extension. */
const FRONT_DOORS = ["lab/extension.ts", "lab/mime.ts", "lab/commands.ts"];

const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(sep).join("/"))
  .sort();

function packageOf(file: string): string {
  if (MAY_IMPORT[file] !== undefined) return file;
  const folders = file.split("/").slice(0, -1);
  const isDivided = folders[0] === "lab" || folders[0] === "crosstab";
  return folders.slice(0, isDivided ? 2 : 1).join("/") || file;
}

/** The files and folders of ours that a file imports. */
function importsOf(file: string, source: string): string[] {
  const found = source.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => {
    const target = relative(SOURCE, resolve(join(SOURCE, dirname(file)), path));
    const name = target.split(sep).join("/");
    const files = [name, `${name}.ts`, `${name}.tsx`, join(name, "index.ts")];
    return files.find((each) => FILES.includes(each)) ?? name;
  });
}

/** The imports of a file, including type imports. */
function filesOf(file: string): string[] {
  const source = readFileSync(join(SOURCE, file), "utf8");
  return importsOf(file, source).filter((target) => FILES.includes(target));
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
    ["loader/savedForm.ts", 'import { followTheme } from "../ui/theme";'],
    ["crosstab/metrics/format.ts", 'import type { Margin } from "../arrangement/queryAxis";'],
    ["crosstab/view/painter.ts", 'import { words } from "../panels/strings";'],
    ["crosstab/panels/Toolbar.tsx", 'import type { useGrid } from "../GridBody";'],
    ["crosstab/query/AddPanel.tsx", 'import { words } from "../panels/strings";'],
    ["crosstab/strings.ts", 'import { HIDDEN } from "./metrics/format";'],
  ])("%s may not: %s", (file, source) => {
    expect(forbidden(file, source)).toHaveLength(1);
  });

  it.each([
    ["lab/commands.ts", 'import { words } from "./sidebar/strings";'],
    ["lab/saved/view.ts", 'import { Grid } from "../../crosstab/Grid";'],
    ["lab/charts/menu.ts", 'import type { Menu } from "../jupyter";'],
    ["docs/place.ts", 'import { pageShelf } from "../core/shelf";'],
    ["crosstab/view/axis.ts", 'import { h } from "preact";'],
    ["crosstab/view/axis.ts", 'import { strings } from "../strings";'],
    ["crosstab/table/table.ts", 'import type { Margin } from "../arrangement/queryAxis";'],
  ])("%s may: %s", (file, source) => {
    expect(forbidden(file, source)).toEqual([]);
  });
});
