// What all builds share: esbuild options, licences and writing files. Entry points and formats are
// set by each build.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { licenses } from "./licenses.mjs";

export const here = dirname(fileURLToPath(import.meta.url));

/** esbuild options of every build; the output is returned and not yet written. */
export const bundling = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  metafile: true,
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  charset: "utf8",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
};

/** The licences of bundled packages, as a file beside the output. */
export async function licensesFile(folder, metafile) {
  return {
    path: join(folder, "third-party-licenses.json"),
    text: json(await licenses(here, metafile)),
  };
}

/** Writes files one after the other, each by a rename, so that readers never see half a file. */
export async function put(files) {
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(folder, { recursive: true });
  }
  for (const { path, text } of files) {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
}

export function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
