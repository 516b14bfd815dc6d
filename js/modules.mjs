// The modules of the front end: one for each kind of widget (`src/kinds`), the code that kinds share
// in further ones, and in the same build the parts of the JupyterLab extension, which share it too.
//
// A module is named by its content: the first 16 hexadecimal digits of the SHA-256 of its text. Its
// imports name others in the same way, so the name of a module speaks for all that it imports.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import * as esbuild from "esbuild";
import { bundling, here, stem } from "./bundling.mjs";

const KINDS = ["chart", "grid", "editor", "picker", "workbench", "play"];
/** What kinds load later: found by its content, as they are. */
const PANELS = "src/crosstab/query/panels.ts";
const LAB = { extension: "src/lab/extension.ts", mime: "src/lab/mime.ts" };
/** What the extension loads later. */
const DRAWN_LATER = ["src/lab/saved/crosstab.tsx", "src/lab/sidebar/page.tsx"];
const LATER = ["charts/draw.ts", "workbench/dropping.ts", "workbench/view.ts"].map(
  (each) => `src/lab/${each}`,
);

/** Small files that most entry points need: all have them, so that they are one module, not ten. */
const SMALL = [
  ...["answers", "channel", "clipboard", "lifetime", "notebook"].map((each) => `core/${each}`),
  ...["lab/styles", "ui/strings", "ui/theme"],
];
/** Those that draw components have these, too. */
const SMALL_COMPONENTS = ["kinds/kind", "ui/Coming", "ui/Field", "ui/Menu"];

/**
 * Builds all modules, in the order of their imports: each has `name`, `text`, `imports` and `later`
 * (names), `entry` (for a kind or a part of the extension, else undefined), and `output`, what
 * esbuild says of it.
 */
export async function buildModules() {
  const { outputFiles, metafile } = await esbuild.build({
    ...bundling,
    entryPoints: { ...kindFiles(), ...LAB },
    outdir: "built",
    format: "esm",
    splitting: true,
    entryNames: "[name].[hash]",
    chunkNames: "[name].[hash]",
    plugins: [styleSheets(await cascade()), smallFiles],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  return named(texts, outputs);
}

/** The names of modules, with those that they and what they import load later. */
export function withLater(modules, names) {
  const wanted = new Set(names);
  for (const { name, imports, later } of [...modules].reverse()) {
    if (wanted.has(name)) for (const each of [...imports, ...later]) wanted.add(each);
  }
  return [...wanted];
}

/** The modules that some of them load at once, themselves included, in the same order. */
export function closure(modules, names) {
  const wanted = new Set(names);
  for (const { name, imports } of [...modules].reverse()) {
    if (wanted.has(name)) for (const each of imports) wanted.add(each);
  }
  return modules.filter(({ name }) => wanted.has(name));
}

export function ofKinds(modules) {
  return modules.filter(({ entry }) => KINDS.includes(entry));
}

function kindFiles() {
  return Object.fromEntries(KINDS.map((kind) => [kind, `src/kinds/${kind}.ts`]));
}

/** The style sheets of the components of widgets, in the order in which their rules apply. */
async function cascade() {
  const imports = ["./src/ui/theme.css", ...Object.values(kindFiles()).map((file) => `./${file}`)];
  const { metafile } = await esbuild.build({
    ...bundling,
    stdin: { contents: imports.map((each) => `import "${each}";`).join(""), resolveDir: here },
    outfile: "built/all.js",
    loader: { ...bundling.loader, ".css": "css" },
  });
  const [sheet] = Object.entries(metafile.outputs).filter(([path]) => path.endsWith(".css"));
  return Object.keys(sheet[1].inputs);
}

/** Has each entry point import the small files. */
const smallFiles = {
  name: "small files",
  setup(build) {
    const drawing = [...Object.values(kindFiles()), PANELS, ...DRAWN_LATER];
    const add = (entries, files) => {
      const filter = new RegExp(`/(${entries.join("|").replaceAll(".", "\\.")})$`);
      const imports = files.map((each) => `import ${JSON.stringify(join(here, "src", each))};`);
      build.onLoad({ filter }, async ({ path }) => ({
        contents: [await readFile(path, "utf8"), ...imports].join("\n"),
        loader: path.endsWith("x") ? "tsx" : "ts",
      }));
    };
    add(drawing, [...SMALL, ...SMALL_COMPONENTS]);
    add([...Object.values(LAB), ...LATER], SMALL);
  },
};

/** Style sheets as code: one of a widget adds itself to the page's, any other is a text. */
function styleSheets(order) {
  return {
    name: "style sheets",
    setup(build) {
      build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
        const { minify } = bundling;
        const { code } = await esbuild.transform(await readFile(path), { loader: "css", minify });
        // esbuild leaves the values of custom properties as they are.
        const css = code.trim().replace(/(--[\w-]+:) ([^;}]+)/g, (_, name, value) => {
          return name + (minify ? value.replace(/, /g, ",") : value);
        });
        const at = order.indexOf(relative(here, path));
        if (at < 0) return { contents: css, loader: "text" };
        const add = `import { addSheet } from ${JSON.stringify(join(here, "src/ui/sheets"))};`;
        return { contents: `${add}addSheet(${at},${JSON.stringify(css)})` };
      });
    },
  };
}

/** Names each module by its content, after those that it imports. */
function named(texts, outputs) {
  const done = new Map();
  /** What each module brings with it, by name. */
  const reach = new Map();
  const visit = (file, above) => {
    if (done.has(file)) return done.get(file).name;
    if (above.includes(file)) throw new Error(`${file} imports itself`);
    const output = outputs.get(file);
    const found = { imports: [], later: [] };
    let text = texts.get(file);
    for (const { path, kind } of output.imports) {
      const name = visit(basename(path), [...above, file]);
      found[kind === "dynamic-import" ? "later" : "imports"].push(name);
      text = text.replaceAll(`"./${basename(path)}"`, `"./${name}"`);
    }
    const imports = [...new Set(found.imports)];
    const reached = new Set(
      imports.flatMap((each) => [...reach.get(each)].filter((x) => x !== each)),
    );
    // Imports for their order alone, which nothing here depends on.
    text = text.replace(/\bimport\s*"\.\/([^"]+)";/g, (all, each) =>
      reached.has(each) ? "" : all,
    );
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const entry = output.entryPoint && stem(output.entryPoint);
    // Only modules of widgets are found by their content; the others say what they are.
    const isPulled = KINDS.includes(entry) || output.entryPoint === PANELS;
    const name = entry && !isPulled ? `${entry}.${digest}.js` : `${digest}.js`;
    reach.set(name, new Set([name, ...imports, ...reached]));
    const kept = imports.filter((each) => text.includes(`"./${each}"`));
    done.set(file, { name, text, entry, output, imports: kept, later: found.later });
    return name;
  };
  for (const file of texts.keys()) visit(file, []);
  return [...done.values()];
}
