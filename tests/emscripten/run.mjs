/**
 * Runs a Python file in Pyodide and prints what its function returns.
 *
 * node run.mjs RUNTIME SITE FOLDER FILE CALL
 *   RUNTIME  folder of Pyodide's files and compiled packages
 *   SITE     folder of pure packages and ours, for sys.path
 *   FOLDER   folder that the call reads and writes, /folder there
 *   FILE     the file; CALL  an expression that is awaited
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FETCH = `
  import { readFileSync } from "node:fs";
  const { url, body, ...rest } = JSON.parse(readFileSync(0, "utf8"));
  const answer = await fetch(url, { ...rest, body: body && Buffer.from(body, "base64") });
  const headers = [...answer.headers].map((pair) => pair.join(": ")).join("\\r\\n");
  const content = Buffer.from(await answer.arrayBuffer()).toString("base64");
  process.stdout.write(JSON.stringify({ status: answer.status, headers, content }));
`;

/** A request that waits for its response, as in a web worker; Node has none. */
globalThis.XMLHttpRequest = class {
  #headers = {};
  open(method, url) {
    Object.assign(this, { method, url });
  }
  setRequestHeader(name, value) {
    this.#headers[name] = value;
  }
  send(body) {
    const content = body && Buffer.from(body).toString("base64");
    const asked = { method: this.method, url: this.url, headers: this.#headers, body: content };
    const done = spawnSync(process.execPath, ["--input-type=module", "-e", FETCH], {
      input: JSON.stringify(asked),
      maxBuffer: 1 << 28,
    });
    if (done.status) throw new Error(String(done.stderr));
    this.found = JSON.parse(done.stdout);
    this.status = this.found.status;
    this.response = Uint8Array.from(Buffer.from(this.found.content, "base64")).buffer;
  }
  getAllResponseHeaders() {
    return this.found.headers;
  }
};

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
