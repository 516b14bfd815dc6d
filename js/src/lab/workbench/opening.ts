/**
 * The Python code that opens a workbench, and the connection that a document is opened with. A
 * document is an untrusted file. Its survey is compared with the connections of the server; code is
 * run only where it names a file (`localSource`), and by itself only where that is beside it.
 */
import type { ConnectionRecord, Connections } from "../../protocol";
import { type LocalSource, localSource } from "./source";
import { words } from "./strings";

type Json = Record<string, unknown>;

/** The object in a file; null for an empty file, which is a new workbench. */
export function parseDocument(text: string): Json | null {
  if (!text.trim()) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(words.notWorkbench((error as Error).message));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Error(words.notWorkbench(words.notObject));
}

/** The document as a file, in the same format as Python writes it. */
export function writeDocument(document: object): string {
  return `${JSON.stringify(document, null, 1)}\n`;
}

/**
 * The connection to open a document with, or the file that it names; null if neither is known.
 *
 * @param preferred The survey of the sidebar, which may be one of the server's folder.
 */
export function connectionFor(
  document: Json | null,
  { connections, default: first }: Connections,
  preferred: ConnectionRecord | null,
): ConnectionRecord | LocalSource | null {
  const code = typeof document?.connect === "string" ? document.connect : "";
  const all = preferred ? [preferred, ...connections] : connections;
  if (code) return all.find((each) => isOf(each, code)) ?? localSource(code);
  return preferred ?? connections.find(({ name }) => name === first) ?? connections[0] ?? null;
}

/** The demo survey is `al.connect()`, wherever it is. */
function isOf({ kind, code, location }: ConnectionRecord, wanted: string): boolean {
  if (wanted === "al.connect()") return kind === "demo";
  return code === wanted || wanted.includes(`'${location}'`);
}

/** Python that opens the document as `workbench`; its model is the value of `MODEL`. */
export function openingCode(document: Json | null, { code }: { code: string }): string {
  // A JSON string is a valid Python string. ASCII only: IPython splits lines at Unicode separators,
  // and would interpret what follows as commands.
  const ascii = JSON.stringify(document).replace(/[^ -~]/g, escaped);
  if (!document) return lines(code, "workbench = al.Workbench(client)");
  // Another page of this kernel may show the same document: both then show one workbench.
  return [
    "import json",
    `document = json.loads(${JSON.stringify(ascii)})`,
    'shown = workbench.to_document() if "workbench" in globals() else None',
    'if not shown or (shown != document and (document, shown) != globals().get("opened")):',
    indented(lines(code, "workbench = al.Workbench.load(client, document)")),
    "    opened = document, workbench.to_document()",
  ].join("\n");
}

/**
 * Python that opens a file with its first table.
 *
 * @param isNew Whether to open it also where the kernel has its workbench, as after a reload.
 */
export function firstCode(code: string, isNew: boolean): string {
  const first = "audiencelab.widgets.workbench.first";
  const made = lines(
    code,
    `from ${first} import first_workbench`,
    "workbench = first_workbench(client)",
  );
  if (isNew) return made;
  return `if "workbench" not in globals():\n${indented(made)}`;
}

function indented(code: string): string {
  return code.replace(/^(?=.)/gm, "    ");
}

/** Python that works in the folder that contains the survey folder of a tab. */
export function besideSurvey(code: string): string {
  const outside = 'os.path.exists("panel.json") and os.chdir("..")';
  return `import os\n\n${outside}\n${code}`;
}

function lines(code: string, ...made: string[]): string {
  return [
    "import audiencelab as al",
    "from audiencelab.jupyter.progress import reporting",
    "",
    'if "workbench" in globals():',
    "    workbench.close()",
    "    del workbench",
    "with reporting():",
    `    client = ${code.replace(/[^ -~]/gu, escapedInPython)}`,
    ...made,
  ].join("\n");
}

/** Letters outside of ASCII are in string literals only. */
function escapedInPython(letter: string): string {
  return `\\U${(letter.codePointAt(0) as number).toString(16).padStart(8, "0")}`;
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
