// Builds the front end of all widgets (one ES module, one style sheet, and the loader that each
// widget carries instead of them, see src/loader.ts) and the script of exported notebooks. Writes
// the licences of bundled packages beside them.
//
// Each kernel sends the module and the style sheet once, deflated. The build fails when they exceed
// their size budget.
import { Buffer } from "node:buffer";
import { join, relative } from "node:path";
import process from "node:process";
import { deflateRawSync } from "node:zlib";
import * as esbuild from "esbuild";
import { bundling, here, licensesFile, put } from "./bundling.mjs";

const outdir = process.env.AUDIENCELAB_STATIC ?? join(here, "../src/audiencelab/widgets/static");
const watching = process.argv.includes("--watch");
/** Bytes, deflated; "front end" is the module and the style sheet together. */
const BUDGETS = { "front end": 126 * 1024, "loader.js": 1024, "page.js": 3 * 1024 };

const options = {
  ...bundling,
  entryPoints: {
    widget: "src/index.ts",
    loader: "src/loader.ts",
    page: "src/docs/page/index.ts",
  },
  outdir,
  format: "esm",
  // Icons are inlined: the bundle never fetches a file from a server.
  loader: { ".svg": "text" },
};

/** The options of --watch: unminified, with source maps, written at every save. */
const legible = {
  ...options,
  write: true,
  minify: false,
  sourcemap: "inline",
  define: { "process.env.NODE_ENV": '"development"' },
  logLevel: "info",
};

/** Checks the size budgets, then writes all files. */
async function ship({ outputFiles, metafile }) {
  const weights = { "front end": 0 };
  for (const { path, text } of outputFiles) {
    const name = relative(outdir, path);
    const weight = deflateRawSync(text, { level: 9 }).length;
    console.log(`${name}: ${Buffer.byteLength(text)} bytes (${weight} deflated)`);
    if (name in BUDGETS) weights[name] = weight;
    else weights["front end"] += weight;
  }
  for (const [name, most] of Object.entries(BUDGETS)) {
    if (weights[name] > most) throw new Error(`the budget of the ${name} is ${most} bytes`);
  }
  await put([...outputFiles, await licensesFile(outdir, metafile)]);
}

if (watching) {
  const context = await esbuild.context(legible);
  await context.watch();
} else {
  await ship(await esbuild.build(options));
}
