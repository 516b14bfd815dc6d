// Builds the script that draws widgets in the pages of the documentation: the same components as in
// a notebook, with the style sheet in it, as one classic script that a page from the disk may load.
// Not part of any distribution. After build.mjs, whose style sheet it takes in.
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import * as esbuild from "esbuild";
import { bundling, here, licensesFile, put } from "./bundling.mjs";

const widgets = process.env.AUDIENCELAB_STATIC ?? join(here, "../src/audiencelab/widgets/static");
const outdir = process.env.AUDIENCELAB_LIVE ?? join(here, "../docs/_static/live");
/** Bytes: a page that is read over a slow line should not wait for seconds. */
const BUDGET = 450 * 1024;

/** The style sheet of all widgets as a text, for the shadow root that a widget stands in. */
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
