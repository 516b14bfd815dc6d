// Builds the script that shows widgets in the documentation: the components of the notebook widgets
// with their style sheet, as one classic script, because a page opened from disk cannot load
// modules. It is not part of any distribution. Runs after build.mjs, whose style sheet it includes.
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import * as esbuild from "esbuild";
import { bundling, here, licensesFile, put } from "./bundling.mjs";

const widgets = process.env.AUDIENCELAB_STATIC ?? join(here, "../src/audiencelab/widgets/static");
const outdir = process.env.AUDIENCELAB_LIVE ?? join(here, "../docs/_static/live");
/** Bytes; keeps pages fast on slow connections. */
const BUDGET = 450 * 1024;

/** The style sheet of all widgets as a string, for the shadow root that holds a widget. */
const style = {
  name: "style",
  setup(build) {
    build.onResolve({ filter: /^audiencelab:style$/ }, ({ path }) => ({
      path,
      namespace: "style",
    }));
    build.onLoad({ filter: /.*/, namespace: "style" }, async () => ({
      contents: await readFile(join(widgets, "widget.css"), "utf8"),
      loader: "text",
    }));
  },
};

const { outputFiles, metafile } = await esbuild.build({
  ...bundling,
  entryPoints: { live: "src/docs/index.ts" },
  outdir,
  format: "iife",
  loader: { ".svg": "text", ".css": "empty" },
  plugins: [style],
});
await put([...outputFiles, await licensesFile(outdir, metafile)]);
const weight = Buffer.byteLength(outputFiles[0].text);
console.log(`live.js: ${weight} bytes`);
if (weight > BUDGET) throw new Error(`the budget of live.js is ${BUDGET} bytes`);
