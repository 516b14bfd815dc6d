/**
 * Runs a Python file in Pyodide and prints what its function returns.
 *
 * node run.mjs RUNTIME SITE FOLDER FILE CALL
 *   RUNTIME  folder of Pyodide's files and compiled packages
 *   SITE     folder of pure packages and ours, for sys.path
 *   FOLDER   folder that the call reads and writes, /folder there
 *   FILE     the file; CALL  an expression that is awaited
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, site, folder, file, call] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(resolve(runtime, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: `${runtime}/` });
const compiled = ["numpy", "msgspec", "sqlite3", "ssl", "hashlib", "lzma", "pydecimal"];
await pyodide.loadPackage(compiled, { messageCallback() {}, errorCallback: console.error });
for (const [name, root] of Object.entries({ "/site": site, "/folder": folder })) {
  pyodide.FS.mkdirTree(name);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, name);
}
pyodide.runPython("import sys; sys.path.insert(0, '/site'); sys.dont_write_bytecode = True");
try {
  await pyodide.runPythonAsync(readFileSync(file, "utf8"));
  const result = await pyodide.runPythonAsync(call);
  // Waits until a pipe has taken all of it.
  await new Promise((written) => process.stdout.write(`${result}\n`, written));
} catch (error) {
  // Not thrown: Node would print a line of Pyodide's, which is a megabyte long.
  console.error(error.message);
  process.exit(1);
}
process.exit(0);
