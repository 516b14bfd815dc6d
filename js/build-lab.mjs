// Builds the JupyterLab extension, ready to be copied to share/jupyter/labextensions.
//
// JupyterLab loads the modules of a prebuilt extension through a module federation container. The
// container interface is small (see src/lab/container.ts), so esbuild bundles the extension as it
// bundles the widgets, without JupyterLab's own builder and its packages. Code is split into chunks
// with content hashes: Vega is fetched with the first chart, and a browser never mixes two builds.
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import * as esbuild from "esbuild";
import { bundling, here, json, licensesFile, put } from "./bundling.mjs";

const python = join(here, "../src/audiencelab");
const outdir = process.env.AUDIENCELAB_LABEXTENSION ?? join(python, "jupyter/labextension");
const served = join(outdir, "static");

const options = {
  ...bundling,
  outdir: served,
  loader: { ".css": "text" },
  // Components import their style sheets; sidebar/page.tsx imports those of the sidebar.
  logOverride: { "ignored-bare-import": "silent" },
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

/** The URL of the built file of an entry point, relative to the container. */
function named(start) {
  const files = modules.outputFiles.map(({ path }) => path.slice(served.length + 1));
  return `./${files.find((file) => file.startsWith(start))}`;
}

const version = /^__version__ = "(.+)"$/m.exec(
  await readFile(join(python, "_version.py"), "utf8"),
)[1];
const entry = door.outputFiles[0].path.slice(outdir.length + 1);
const files = [
  ...modules.outputFiles,
  ...door.outputFiles,
  await licensesFile(served, modules.metafile),
  {
    path: join(outdir, "install.json"),
    text: json({
      packageManager: "python",
      packageName: "audiencelab",
      uninstallInstructions: "Uninstall the Python package audiencelab: pip uninstall audiencelab",
    }),
  },
  // The settings schema. JupyterLab's server reads the version from package.json.orig beside it.
  {
    path: join(outdir, "schemas/audiencelab/plugin.json"),
    text: await readFile(join(here, "src/lab/schema/plugin.json"), "utf8"),
  },
  {
    path: join(outdir, "schemas/audiencelab/package.json.orig"),
    text: json({ name: "audiencelab", version }),
  },
  // Written last, because it names the other files.
  {
    path: join(outdir, "package.json"),
    text: json({
      name: "audiencelab",
      version,
      description: "Audience research at home in JupyterLab",
      license: "BSD-3-Clause",
      jupyterlab: {
        extension: true,
        mimeExtension: true,
        schemaDir: "schemas",
        _build: { load: entry, extension: "./extension", mimeExtension: "./mime" },
      },
    }),
  },
];

await put(files);
const kept = new Set(files.map(({ path }) => path));
for (const name of await readdir(served)) {
  const path = join(served, name);
  if (!kept.has(path)) await rm(path, { force: true });
}
const bytes = [...modules.outputFiles, ...door.outputFiles].map(({ contents }) => contents.length);
console.log(
  `${bytes.length} files of the JupyterLab extension: ${bytes.reduce((a, b) => a + b)} bytes`,
);
