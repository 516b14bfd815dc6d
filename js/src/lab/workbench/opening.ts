/**
 * Opens a workbench from a document: the connection to use, and the Python code that opens it. A
 * document is an untrusted file: none of it is run. Its survey is only compared with the
 * connections of the server.
 */
import type { Connection, Connections } from "../server";
import { strings } from "../strings";

type Json = Record<string, unknown>;

/** The object in a file; null for an empty file, which is a new workbench. */
export function parseDocument(text: string): Json | null {
  if (!text.trim()) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(strings.notWorkbench((error as Error).message));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Error(strings.notWorkbench(strings.notObject));
}

/** The document as a file, in the same format as Python writes it. */
export function writeDocument(document: object): string {
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** The connection to open a document with; null if none matches the document's survey. */
export function connectionFor(
  document: Json | null,
  { connections, default: first }: Connections,
  preferred: string | undefined,
): Connection | null {
  const code = typeof document?.connect === "string" ? document.connect : "";
  if (code) return connections.find((each) => isOf(each, code)) ?? null;
  const named = (name: string | undefined) => connections.find((each) => each.name === name);
  return named(preferred) ?? named(first) ?? connections[0] ?? null;
}

/** The demo survey is `al.connect()`, wherever it is. */
function isOf({ kind, code, place }: Connection, wanted: string): boolean {
  if (wanted === "al.connect()") return kind === "demo";
  return code === wanted || wanted.includes(`'${place}'`);
}

/** Python that opens the document as `workbench`; its model is the value of `MODEL`. */
export function openingCode(document: Json | null, connection: Connection): string {
  // A JSON string is a valid Python string. ASCII only: IPython splits lines at Unicode separators,
  // and would interpret what follows as commands.
  const ascii = JSON.stringify(document).replace(/[^ -~]/g, escaped);
  const text = JSON.stringify(ascii);
  const made = document ? `al.Workbench.load(client, json.loads(${text}))` : "al.Workbench(client)";
  return [
    "import json",
    "import audiencelab as al",
    "",
    'if "workbench" in globals():',
    "    workbench.close()",
    `client = ${connection.code}`,
    `workbench = ${made}`,
  ].join("\n");
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export const MODEL = "workbench.model_id";
