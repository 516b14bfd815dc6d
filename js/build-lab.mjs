// Builds the JupyterLab extension, ready to be copied to share/jupyter/labextensions.
//
// JupyterLab asks a prebuilt extension for its modules in the manner of a module federation
// container. That manner is small (see src/lab/container.ts), so the extension is bundled by
// esbuild as the widgets are, without JupyterLab's own builder and its packages. Code goes into
// chunks, named by what is in them, so that a chart's library is fetched with the first chart
// and a browser never mixes two builds.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { licenses } from "./licenses.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const python = join(here, "../src/audiencelab");
const outdir = process.env.AUDIENCELAB_LABEXTENSION ?? join(python, "lab/labextension");
const served = join(outdir, "static");

const options = {
  absWorkingDir: here,
  outdir: served,
  bundle: true,
  write: false,
  metafile: true,
  target: "es2022",
  minify: true,
  legalComments: "none",
  charset: "utf8",
  loader: { ".css": "text" },
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
};

const modules = await esbuild.build({
  ...options,
  entryPoints: { extension: "src/lab/extension.ts", mime: "src/lab/mime.ts" },
  format: "esm",
  splitting: true,
  entryNames: "[name].[hash]",
  chunkNames: "[name].[hash]",
});
const door = await esbuild.build({
  ...options,
  entryPoints: { remoteEntry: "src/lab/container.ts" },
  format: "iife",
  entryNames: "[name].[hash]",
  define: {
    MODULES: JSON.stringify({ "./extension": named("extension."), "./mime": named("mime.") }),
  },
});

/** The built file of an entry point, as its address beside the door. */
function named(start) {
  const files = modules.outputFiles.map(({ path }) => path.slice(served.length + 1));
  return `./${files.find((file) => file.startsWith(start))}`;
}

const version = /^__version__ = "(.+)"$/m.exec(
  await readFile(join(python, "_version.py"), "utf8"),
)[1];
const entry = door.outputFiles[0].path.slice(outdir.length + 1);
const files = new Map([
  ...[...modules.outputFiles, ...door.outputFiles].map(({ path, text }) => [path, text]),
  [join(served, "third-party-licenses.json"), json(await licenses(here, modules.metafile))],
  [
    join(outdir, "install.json"),
    json({
      packageManager: "python",
      packageName: "audiencelab",
      uninstallInstructions: "Uninstall the Python package audiencelab: pip uninstall audiencelab",
    }),
  ],
  // The last one: what it names is there when it is.
  [
    join(outdir, "package.json"),
    json({
      name: "audiencelab",
      version,
      description: "Audience research at home in JupyterLab",
      license: "BSD-3-Clause",
      jupyterlab: {
        extension: true,
        mimeExtension: true,
        _build: { load: entry, extension: "./extension", mimeExtension: "./mime" },
      },
    }),
  ],
]);

await mkdir(served, { recursive: true });
for (const [path, text] of files) {
  // Nobody who reads while we write gets half a file.
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
for (const name of await readdir(served)) {
  const path = join(served, name);
  if (!files.has(path)) await rm(path, { force: true });
}
const bytes = [...modules.outputFiles, ...door.outputFiles].map(({ contents }) => contents.length);
console.log(
  `${bytes.length} files of the JupyterLab extension: ${bytes.reduce((a, b) => a + b)} bytes`,
);

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
