// Builds the front end of all widgets: one ES module and one style sheet.
//
// Anywidget evaluates the module once for each widget, and it rides in every
// saved notebook, so its size is a budget and not a wish: the build fails when
// the module outgrows it. What counts is the module as shipped (see pack.mjs).
import { Buffer } from "node:buffer";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { pack } from "./pack.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = process.env.AUDIENCELAB_STATIC ?? join(here, "../src/audiencelab/widgets/static");
const watching = process.argv.includes("--watch");
const BUDGET = 100 * 1024;

const options = {
  absWorkingDir: here,
  entryPoints: { widget: "src/widgets/index.ts" },
  outdir,
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: !watching,
  sourcemap: watching ? "inline" : false,
  legalComments: "none",
  charset: "utf8",
  // Icons are inlined: the bundle must never ask a server for a file.
  loader: { ".svg": "text" },
  define: { "process.env.NODE_ENV": JSON.stringify(watching ? "development" : "production") },
  logLevel: watching ? "info" : "warning",
};

/** Packs the module, holds it to its budget, and puts all files in place at once. */
async function ship({ outputFiles }) {
  await mkdir(outdir, { recursive: true });
  for (const { path, text } of outputFiles) {
    const shipped = path.endsWith(".js") ? pack(text) : text;
    const [written, minified] = [Buffer.byteLength(shipped), Buffer.byteLength(text)];
    console.log(`${relative(here, path)}: ${written} bytes (${minified} minified)`);
    if (path.endsWith(".js") && written > BUDGET) {
      throw new Error(`the budget of ${relative(here, path)} is ${BUDGET} bytes`);
    }
    // Nobody who reads while we write gets half a file.
    await writeFile(`${path}.new`, shipped);
    await rename(`${path}.new`, path);
  }
}

if (watching) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await ship(await esbuild.build({ ...options, write: false }));
}
