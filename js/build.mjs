// Builds the front end: the modules that draw widgets, for kernels (`widgets/static`), JupyterLab's
// extension and the documentation; the loader that each widget carries instead of them; and the
// script of exported notebooks. Licences of bundled packages are written beside each of them.
//
// Fails where something exceeds its size budget. With --watch, it builds again at every change,
// unminified and with source maps.
import { Buffer } from "node:buffer";
import { watch } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { bundling, given, here, json, licensesFile, put } from "./bundling.mjs";
import { extensionFiles } from "./extension.mjs";
import { buildModules, closure, ofKinds, withLater } from "./modules.mjs";

const root = join(here, "..");
const {
  AUDIENCELAB_STATIC: STATIC = join(root, "src/audiencelab/widgets/static"),
  AUDIENCELAB_LABEXTENSION: EXTENSION = join(root, "src/audiencelab/jupyter/labextension"),
  AUDIENCELAB_LIVE: LIVE = join(root, "docs/_static/live"),
} = process.env;
const watching = process.argv.includes("--watch");

/** The widgets of the documentation. */
const DOCUMENTED = ["grid", "editor", "picker"];

/** Bytes; of "pulled …", which a kernel sends, compressed. */
const BUDGETS = {
  "pulled chart": 26_000,
  "pulled editor": 66_500,
  "pulled grid": 114_000,
  "pulled picker": 45_500,
  "pulled play": 25_000,
  "pulled workbench": 152_000,
  "loader.js": 8_000,
  "page.js": 4_000,
  "extension without Vega": 541_000,
  "extension at start": 68_000,
  "live.js": 422_000,
};

async function build() {
  const modules = await buildModules();
  const kinds = ofKinds(modules);
  const pulled = closure(
    modules,
    withLater(
      modules,
      kinds.map(({ name }) => name),
    ),
  );
  const scripts = await script(STATIC, {
    loader: "src/loader/index.ts",
    page: "src/docs/page/index.ts",
  });
  const documented = withLater(modules, namesOf(modules, DOCUMENTED));
  const texts = closure(modules, documented).map(({ name, text }) => [name, text]);
  const carried = given("audiencelab:modules", JSON.stringify(Object.fromEntries(texts)), "json");
  const live = await script(LIVE, { live: "src/docs/index.ts" }, carried);
  const extension = await extensionFiles(EXTENSION, modules);

  const bytes = (files) => files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const vega = modules.filter(({ entry }) => entry === "draw");
  const first = closure(modules, namesOf(modules, ["extension", "mime"]));
  check({
    ...Object.fromEntries(
      kinds.map(({ entry, name }) => [
        `pulled ${entry}`,
        gzipSync(
          closure(modules, [name])
            .map(({ text }) => text)
            .join(""),
          { level: 9 },
        ).length,
      ]),
    ),
    "loader.js": bytes(scripts.filter(({ path }) => path.endsWith("loader.js"))),
    "page.js": bytes(scripts.filter(({ path }) => path.endsWith("page.js"))),
    "extension without Vega": bytes(extension.scripts) - bytes(vega),
    "extension at start": bytes(first),
    "live.js": bytes(live),
  });
  const outputs = (some) => some.map(({ output }) => output);
  const frontEnd = {
    kinds: Object.fromEntries(kinds.map(({ entry, name }) => [entry, name])),
    imports: Object.fromEntries(pulled.map(({ name, imports }) => [name, imports])),
  };
  await put(
    [
      ...pulled.map(({ name, text }) => ({ path: join(STATIC, name), text })),
      ...scripts,
      await licensesFile(STATIC, outputs(pulled)),
      // After the modules that it names.
      { path: join(STATIC, "front-end.json"), text: json(frontEnd) },
      ...extension.files,
      ...live,
      await licensesFile(LIVE, outputs(pulled)),
    ],
    [STATIC, join(EXTENSION, "static"), LIVE],
  );
}

/** Scripts without imports. */
async function script(outdir, entryPoints, ...plugins) {
  const format = plugins.length ? "iife" : "esm";
  const { outputFiles } = await esbuild.build({
    ...bundling,
    entryPoints,
    outdir,
    format,
    plugins,
  });
  return outputFiles;
}

function namesOf(modules, entries) {
  return modules.filter(({ entry }) => entries.includes(entry)).map(({ name }) => name);
}

function check(sizes) {
  for (const [what, size] of Object.entries(sizes)) console.log(`${what}: ${size} bytes`);
  const over = Object.keys(sizes).filter((what) => !(sizes[what] <= BUDGETS[what]));
  if (over.length > 0 && !watching) throw new Error(`over budget (build.mjs): ${over.join(", ")}`);
}

if (watching) {
  let waiting;
  const again = () => {
    clearTimeout(waiting);
    // Editors write a file in several steps.
    waiting = setTimeout(() => build().catch((error) => console.error(error.message)), 50);
  };
  watch(join(here, "src"), { recursive: true }, again);
  again();
} else {
  await build();
}
