/** The arguments that the message of `al.open` proposes, as code that opens the file with them. */
import { localSource, sourceIn } from "./source";

export interface Fix {
  /** The arguments that are new, as code. */
  label: string;
  code: string;
}

/** A message may list each column of a file. */
const MOST = 6;
const CALL = /\bal\.open\(/g;
const ARGUMENT = /\b(sheet|encoding|weight)=('[^'\n]*'|"[^"\n]*"|None\b)/g;

/** What to try for a message about some code: calls that it contains, and single arguments. */
export function fixesOf(message: string, code: string): Fix[] {
  const asked = localSource(code);
  if (!asked) return [];
  const fixes = new Map<string, string>();
  let rest = message;
  for (const { index } of message.matchAll(CALL)) {
    const found = sourceIn(message, index);
    if (!found) continue;
    rest = rest.replace(found.code, "");
    if (found.path !== asked.path) continue;
    const label = Object.entries(found.given)
      .filter(([name, value]) => asked.given[name] !== value)
      .map(([name, value]) => `${name}=${value}`)
      .join(", ");
    if (label) fixes.set(label, found.code);
  }
  for (const [argument, name = "", value = ""] of rest.matchAll(ARGUMENT)) {
    if (asked.given[name] === value || fixes.has(argument)) continue;
    fixes.set(argument, withArgument(code, name, value));
  }
  return [...fixes].slice(0, MOST).map(([label, fixed]) => ({ label, code: fixed }));
}

/** The call with one argument more, or with another value of it. */
function withArgument(code: string, name: string, value: string): string {
  const asked = localSource(code);
  const before = asked?.given[name];
  if (before !== undefined) return code.replace(`, ${name}=${before}`, `, ${name}=${value}`);
  return code.replace(/\)$/, `, ${name}=${value})`);
}
