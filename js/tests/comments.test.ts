// @vitest-environment node
/** Comments that name a file name one that exists: those who read them look for it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDERS = ["js/src", "js/tests", "src/audiencelab", "tests/widgets", "tools", "docs"];
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const NAMED = /[\w./-]*\w\.(?:tsx?|py|css|mjs)\b/g;

const files = [
  ...readdirSync(join(ROOT, "js")).map((name) => `/js/${name}`),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
      (name) => `/${folder}/${name.replaceAll(sep, "/")}`,
    ),
  ),
];

it("name files that exist", () => {
  const lost = files
    .filter((name) => /^\/js\/src\/.*\.(tsx?|css)$/.test(name))
    .flatMap((name) =>
      (readFileSync(join(ROOT, name), "utf8").match(COMMENT) ?? [])
        .flatMap((comment) => comment.match(NAMED) ?? [])
        .map((named) => named.replace(/^[./]+/, ""))
        .filter((named) => !files.some((each) => each.endsWith(`/${named}`)))
        .map((named) => `${name}: ${named}`),
    );
  expect(files.length).toBeGreaterThan(500);
  expect(lost).toEqual([]);
});
