// What all builds share: esbuild options, licences and writing files. Entry points and formats are
// set by each build.
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { licenses } from "./licenses.mjs";

export const here = dirname(fileURLToPath(import.meta.url));
const watching = process.argv.includes("--watch");

/** esbuild options of every build; the output is returned and not yet written. */
export const bundling = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  metafile: true,
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  // Components import their style sheets for their effect; parts of the extension, as a text.
  loader: { ".svg": "text", ".css": "text" },
  logOverride: { "ignored-bare-import": "silent" },
  minify: !watching,
  sourcemap: watching && "inline",
  legalComments: "none",
  charset: "utf8",
  define: {
    "process.env.NODE_ENV": watching ? '"development"' : '"production"',
    "Number.NaN": "NaN",
    "Number.POSITIVE_INFINITY": "Infinity",
  },
  logLevel: "warning",
};

/** A plugin: the module of a name is this text, or what the text says in JSON. */
export function given(name, contents, loader = "text") {
  return {
    name,
    setup(build) {
      const namespace = name.replace(":", "-");
      build.onResolve({ filter: new RegExp(`^${name}$`) }, ({ path }) => ({ path, namespace }));
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents, loader }));
    },
  };
}

/** The licences of bundled packages, as a file beside the output. */
export async function licensesFile(folder, outputs) {
  return {
    path: join(folder, "third-party-licenses.json"),
    text: json(await licenses(here, { outputs })),
  };
}

/**
 * Writes files one after the other, each by a rename, so that readers never see half a file; then
 * removes the scripts and style sheets of a folder that an older build has left there.
 */
export async function put(files, folders) {
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(folder, { recursive: true });
  }
  for (const { path, text } of files) {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  const kept = new Set(files.map(({ path }) => path));
  for (const folder of folders) {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (/\.(js|css)$/.test(name) && !kept.has(path)) await rm(path, { force: true });
    }
  }
}

export function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The name of an entry point or a built file: of `src/lab/charts/draw.ts` it is draw. */
export function stem(path) {
  return basename(path).split(".")[0];
}
