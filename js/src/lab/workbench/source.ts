/**
 * The file that a workbench document names: a call of `al.open` or `al.connect(survey=…)` whose
 * arguments are literals, as Python writes it.
 */

/** isBeside: whether all paths lead below the folder of the document. */
export interface LocalSource {
  code: string;
  isBeside: boolean;
}

const TEXT = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`;
const PLAIN = String.raw`(?:${TEXT}|-?\d+(?:\.\d+)?|None|True|False)`;
const VALUE = String.raw`(?:${PLAIN}|\[(?:${PLAIN}(?:, ${PLAIN})*)?\])`;
const OPTIONS =
  "weight|base_of|wave|waves|person|codebook|labels|replicates|replicate_method|fay|encoding|to";
const CALL = new RegExp(
  String.raw`^al\.(?:open\(${TEXT}|connect\(survey=${TEXT})(?:, (?:${OPTIONS})=${VALUE})*\)` +
    String.raw`(?:\.with_options\((?:weight|base_of)=${PLAIN}(?:, weight=${PLAIN})?\))?$`,
);
const PATHS = new RegExp(String.raw`(?:\(|survey=|codebook=|labels=)(${TEXT})`, "g");

/** The source that some code names; null if it is other code. */
export function localSource(code: string): LocalSource | null {
  if (!CALL.test(code) || code.includes("://")) return null;
  const paths = [...code.matchAll(PATHS)].map(([, path = ""]) => path.slice(1, -1));
  return { code, isBeside: paths.every(isBelow) && !/\bto=/.test(code) };
}

function isBelow(path: string): boolean {
  return !/^[/~]|^[A-Za-z]:|\\|(^|\/)\.\.(\/|$)/.test(path);
}
