// The licences of bundled packages, in the format of JupyterLab's "Licenses" page. Licence texts
// must be distributed with the code, and so must copyright notices in the code, which minifying
// removes.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const IN_A_PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm;
const NOTICE = /copyright|licen[cs]e|adapted from|ported from/i;

/** One entry for each package that has code in a build, by name. */
export async function licenses(root, { outputs }) {
  const used = new Map();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = IN_A_PACKAGE.exec(file)?.[0];
      if (!folder || bytesInOutput === 0) continue;
      used.set(folder, (used.get(folder) ?? new Set()).add(join(root, file)));
    }
  }
  const folders = [...used.keys()].sort();
  const packages = folders.map((folder) => entry(join(root, folder), [...used.get(folder)].sort()));
  return { packages: await Promise.all(packages) };
}

async function entry(folder, files) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  if (!file) throw new Error(`${name} has no licence text to ship`);
  const notices = await Promise.all(files.map(noticesIn));
  return {
    name,
    versionInfo: version,
    licenseId: license,
    extractedText: [await readFile(join(folder, file), "utf8"), ...notices.flat()].join("\n"),
  };
}

async function noticesIn(file) {
  const comments = (await readFile(file, "utf8")).match(COMMENT) ?? [];
  return comments.filter((comment) => NOTICE.test(comment)).map((comment) => `${comment.trim()}\n`);
}
