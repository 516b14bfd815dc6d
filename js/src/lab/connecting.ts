/**
 * What a cell needs in front of it to run where it is put: the import, and the client of the
 * survey that its code is about. Reads code as people write it; it runs none.
 */

/** Python that connects, as the first cell of a notebook has it. */
function connectingLine(code: string): string {
  return `client = ${code}`;
}

const IMPORT = "import audiencelab as al";
const IMPORTED = /^\s*import\s+audiencelab\s+as\s+al\s*(#.*)?$/m;
const CLIENT = /^client\s*(?::[^=\n]+)?=(?!=)\s*/gm;

/**
 * The code of a cell that runs: with the import and the connecting line, unless the cells above
 * have them. A notebook that has connected to another survey is connected to this one: the codes
 * of one survey mean something else in another. A client that was made in a way which cannot be
 * read is taken for the right one.
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

/** Which survey a call of `connect` means; null where that is not said in so many words. */
function targetOf(code: string): string | null {
  const call = CALL.exec(code);
  if (!call) return null;
  const given = inParentheses(code.slice(call[0].length));
  if (given === null) return null;
  const survey = /(?:^|[,\s])survey\s*=\s*(["'])(.*?)\1/.exec(given);
  if (survey) return `survey ${survey[2]}`;
  const address = /^\s*(?:base_url\s*=\s*)?(["'])(.*?)\1/.exec(given);
  if (address) return `address ${address[2]?.replace(/\/+$/, "")}`;
  // What is left names its survey by a variable or by a recording, or leaves it to the default.
  const named = /(?:^|[,\s])(?:survey|base_url|snapshot)\s*=/.test(given);
  return !named && /^\s*(?:$|\w+\s*=)/.test(given) ? "default" : null;
}

/** Up to the parenthesis that closes; null where there is none. */
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
