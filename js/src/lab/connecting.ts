/**
 * Code that an inserted cell needs to run: the import, and the client of its survey. Parses Python
 * with regular expressions; runs nothing.
 */

/** The line that connects, as in the first cell of a notebook. */
function connectingLine(code: string): string {
  return `client = ${code}`;
}

const IMPORT = "import audiencelab as al";
const IMPORTED = /^\s*import\s+audiencelab\s+as\s+al\s*(#.*)?$/m;
const CLIENT = /^client\s*(?::[^=\n]+)?=(?!=)\s*/gm;

/**
 * The code of a cell that runs: with the import and the connecting line, unless the cells above
 * have them. If the notebook is connected to another survey, the line is added, because codes
 * differ between surveys. A client whose survey cannot be recognised is assumed to be the right
 * one.
 */
export function runnable(code: string, connect: string, above: readonly string[]): string {
  const text = above.join("\n");
  const lines: string[] = [];
  if (!IMPORTED.test(text)) lines.push(IMPORT);
  if (!connects(text, connect)) lines.push(connectingLine(connect));
  return lines.length ? `${lines.join("\n")}\n\n${code}` : code;
}

function connects(text: string, connect: string): boolean {
  const last = [...text.matchAll(CLIENT)].at(-1);
  if (!last) return false;
  const made = targetOf(text.slice(last.index + last[0].length));
  return made === null || made === targetOf(connect);
}

const CALL = /^(?:await\s+)?al\.connect(?:_async)?\s*\(/;

/** The survey that a call of `connect` names; null if it cannot be recognised. */
function targetOf(code: string): string | null {
  const call = CALL.exec(code);
  if (!call) return null;
  const given = inParentheses(code.slice(call[0].length));
  if (given === null) return null;
  const survey = /(?:^|[,\s])survey\s*=\s*(["'])(.*?)\1/.exec(given);
  if (survey) return `survey ${survey[2]}`;
  const address = /^\s*(?:base_url\s*=\s*)?(["'])(.*?)\1/.exec(given);
  if (address) return `address ${address[2]?.replace(/\/+$/, "")}`;
  // The remaining calls name a survey by a variable or a snapshot, or use the default.
  const named = /(?:^|[,\s])(?:survey|base_url|snapshot)\s*=/.test(given);
  return !named && /^\s*(?:$|\w+\s*=)/.test(given) ? "default" : null;
}

/** The text up to the closing parenthesis; null for none. */
function inParentheses(code: string): string | null {
  let depth = 1;
  let quote = "";
  for (let at = 0; at < code.length; at++) {
    const letter = code[at] as string;
    if (quote) {
      if (letter === "\\") at++;
      else if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "(") depth++;
    else if (letter === ")" && --depth === 0) return code.slice(0, at);
  }
  return null;
}
