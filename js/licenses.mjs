// The licences of what is bundled, in the form that JupyterLab's "Licenses" page reads: the texts
// of other people's packages must go where their code goes.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** One entry for each package that has code in a build, by name. */
export async function licenses(root, { outputs }) {
  const folders = new Set();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  const packages = await Promise.all(
    [...folders].sort().map((folder) => entry(join(root, folder))),
  );
  return { packages };
}

async function entry(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  return {
    name,
    versionInfo: version,
    licenseId: license,
    extractedText: file ? await readFile(join(folder, file), "utf8") : "",
  };
}
