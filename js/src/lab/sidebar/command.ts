/** The command that adds a remote service, safe to paste into a shell. */

import { CONNECTION_NAME } from "../../protocol/constants";

const NAME = new RegExp(CONNECTION_NAME);
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function isName(name: string): boolean {
  return NAME.test(name);
}

/** An address to which a credential may be sent: encrypted, or on this machine. */
export function isAddress(text: string): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  if (url.username || url.password) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
}

/** Missing values are placeholders in capitals. */
export function addCommand(name: string, address: string): string {
  const named = isName(name) ? name : "NAME";
  const at = isAddress(address) ? quoted(address) : "ADDRESS";
  return `audiencelab connections add ${named} ${at}`;
}

/** Within single quotes a shell interprets only the quote itself. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
