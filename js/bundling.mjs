// What the builds have in common: how code becomes what browsers run, and how files get to their
// place. What is bundled, and for whom, each of them says itself.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { licenses } from "./licenses.mjs";

export const here = dirname(fileURLToPath(import.meta.url));

/** Esbuild's, of every build: what comes out is handed over and not yet written. */
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

/** The licences of what a build took in, as the file beside what came out of it. */
export async function licensesFile(folder, metafile) {
  return {
    path: join(folder, "third-party-licenses.json"),
    text: json(await licenses(here, metafile)),
  };
}

/** Puts files in place, one after the other; nobody who reads meanwhile gets half a file. */
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
