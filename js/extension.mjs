// The JupyterLab extension, ready to be copied to share/jupyter/labextensions.
//
// JupyterLab loads the modules of a prebuilt extension through a module federation container. The
// container interface is small (see src/lab/container.ts), so esbuild bundles the extension as it
// bundles the widgets, without JupyterLab's own builder and its packages. Vega is fetched with the
// first chart, and a browser never mixes two builds, since files are named by their content.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { bundling, here, json, licensesFile } from "./bundling.mjs";
import { ofKinds, withLater } from "./modules.mjs";

/** Kinds that come from the kernel in JupyterLab, too: the simulations of lessons. */
const PULLED = ["play"];

/** The files of the extension, `package.json` last, because it names the other files. */
export async function extensionFiles(folder, built) {
  const entries = built.filter(({ entry }) => entry && !PULLED.includes(entry));
  const carried = withLater(
    built,
    entries.map(({ name }) => name),
  );
  const modules = built.filter(({ name }) => carried.includes(name));
  const served = join(folder, "static");
  const door = await esbuild.build({
    ...bundling,
    entryPoints: { remoteEntry: "src/lab/container.ts" },
    outdir: served,
    format: "iife",
    entryNames: "[name].[hash]",
    define: {
      ...bundling.define,
      MODULES: JSON.stringify({
        "./extension": `./${nameOf("extension")}`,
        "./mime": `./${nameOf("mime")}`,
      }),
      KINDS: JSON.stringify(ofKinds(modules).map(({ name }) => name)),
    },
  });
  const scripts = [
    ...modules.map(({ name, text }) => ({ path: join(served, name), text })),
    ...door.outputFiles,
  ];
  const python = join(here, "../src/audiencelab");
  const version = /^__version__ = "(.+)"$/m.exec(
    await readFile(join(python, "_version.py"), "utf8"),
  )[1];
  const entry = door.outputFiles[0].path.slice(folder.length + 1);
  const files = [
    ...scripts,
    await licensesFile(
      served,
      modules.map(({ output }) => output),
    ),
    {
      path: join(folder, "install.json"),
      text: json({
        packageManager: "python",
        packageName: "audiencelab",
        uninstallInstructions:
          "Uninstall the Python package audiencelab: pip uninstall audiencelab",
      }),
    },
    // The settings schema. JupyterLab's server reads the version from package.json.orig beside it.
    {
      path: join(folder, "schemas/audiencelab/plugin.json"),
      text: await readFile(join(here, "src/lab/schema/plugin.json"), "utf8"),
    },
    {
      path: join(folder, "schemas/audiencelab/package.json.orig"),
      text: json({ name: "audiencelab", version }),
    },
    {
      path: join(folder, "package.json"),
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
  return { files, scripts };

  function nameOf(part) {
    return modules.find(({ entry }) => entry === part).name;
  }
}
