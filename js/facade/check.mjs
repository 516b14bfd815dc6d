// Compiles facade.ts with the types of the oldest supported JupyterLab and of the latest one.
//
//     node facade/check.mjs            both
//     node facade/check.mjs 4.3        one
//
// Packages of these versions go into .artifacts, from the registry that npm is set to; they are no
// part of the front end's own packages, which would be ten times as large with them.
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const VERSIONS = ["4.3", "4.6"];

/** Packages whose numbers run beside those of JupyterLab 4.x: what is added to its minor version. */
const NUMBERS = {
  "@jupyterlab/apputils": [4, 1],
  "@jupyterlab/coreutils": [6, 0],
  "@jupyterlab/observables": [5, 0],
  "@jupyterlab/rendermime-interfaces": [3, 8],
  "@jupyterlab/services": [7, 0],
  "@jupyterlab/toc": [6, 0],
};
const IMPORTED = [
  ...["application", "apputils", "docregistry", "filebrowser", "launcher", "notebook"],
  ...["rendermime", "rendermime-interfaces", "services", "settingregistry", "ui-components"],
].map((name) => `@jupyterlab/${name}`);
/** Those that the imported ones bring: held to the same version, which npm would not do. */
const BROUGHT = [
  ...["attachments", "cell-toolbar", "cells", "codeeditor", "codemirror", "coreutils"],
  ...["docmanager", "documentsearch", "lsp", "mainmenu", "markedparser-extension", "mermaid"],
  ...["nbformat", "observables", "outputarea", "statedb", "statusbar", "toc", "translation"],
].map((name) => `@jupyterlab/${name}`);

let failed = false;
for (const version of process.argv[2] ? [process.argv[2]] : VERSIONS) {
  const folder = join(root, ".artifacts/facade", version);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(packages(version), null, 2));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(configuration(folder), null, 2));
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], folder);
  const found = run("npx", ["tsc", "-p", folder], join(root, "js"));
  console.log(`JupyterLab ${version}: ${found ? "as declared" : "not as declared"}`);
  failed ||= !found;
}
process.exit(failed ? 1 : 0);

function packages(version) {
  const minor = Number(version.split(".")[1]);
  const range = (name) => {
    const [major, beside] = NUMBERS[name] ?? [4, 0];
    return `~${major}.${minor + beside}.0`;
  };
  const ranges = (names) => Object.fromEntries(names.map((name) => [name, range(name)]));
  return { private: true, dependencies: ranges(IMPORTED), overrides: ranges(BROUGHT) };
}

function configuration(folder) {
  const from = (scope) => [join(folder, "node_modules", scope, "*")];
  return {
    extends: join(root, "js/tsconfig.json"),
    compilerOptions: {
      types: [],
      paths: { "@jupyterlab/*": from("@jupyterlab"), "@lumino/*": from("@lumino") },
    },
    include: [],
    files: [join(here, "facade.ts")],
  };
}

function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: "inherit" }).status === 0;
}
