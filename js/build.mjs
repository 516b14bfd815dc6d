// Builds the front end of all widgets: one ES module, one style sheet, and the loader that every
// widget carries instead of them (see src/loader.ts). And the script of an exported notebook. The
// licences of what is bundled lie beside them.
//
// Module and style sheet travel deflated, once for each kernel, so what they weigh then is a
// budget and not a wish: the build fails when they outgrow it.
import { Buffer } from "node:buffer";
import { join, relative } from "node:path";
import process from "node:process";
import { deflateRawSync } from "node:zlib";
import * as esbuild from "esbuild";
import { bundling, here, licensesFile, put } from "./bundling.mjs";

const outdir = process.env.AUDIENCELAB_STATIC ?? join(here, "../src/audiencelab/widgets/static");
const watching = process.argv.includes("--watch");
/** Bytes, deflated: of the module and the style sheet together, and of what stands alone. */
const BUDGETS = { "front end": 120 * 1024, "loader.js": 1024, "page.js": 3 * 1024 };

const options = {
  ...bundling,
  entryPoints: {
    widget: "src/index.ts",
    loader: "src/loader.ts",
    page: "src/docs/page/index.ts",
  },
  outdir,
  format: "esm",
  // Icons are inlined: the bundle must never ask a server for a file.
  loader: { ".svg": "text" },
};

/** While somebody works on the code: legible, and written at every save. */
const legible = {
  ...options,
  write: true,
  minify: false,
  sourcemap: "inline",
  define: { "process.env.NODE_ENV": '"development"' },
  logLevel: "info",
};

/** Holds the files to their budgets, and puts all of them in place at once. */
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
