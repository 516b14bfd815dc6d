// Builds the front end of all widgets: one ES module and one style sheet.
//
// Anywidget evaluates the module once for each widget, and it rides in every
// saved notebook, so its size is a budget and not a wish: the build fails when
// the module outgrows it.
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

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
  logLevel: "info",
};

/** Fails when the module is larger than a notebook should have to carry. */
async function checkBudget() {
  const { size } = await stat(join(outdir, "widget.js"));
  if (size > BUDGET) {
    throw new Error(`widget.js has ${size} bytes; the budget is ${BUDGET}`);
  }
}

if (watching) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
  await checkBudget();
}
