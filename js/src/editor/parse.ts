/**
 * Nodes as text, for the clipboard: in the service's JSON, so that copies can be pasted into
 * another editor, a notebook or a request. Python code is parsed by the kernel.
 */
import { type EditorNode, ENDS, type LeafNode, type NumberEnds, toWire } from "./document";

/** A placeholder id, replaced when the node is inserted. */
const UNPLACED = "";

export function writeNodes(nodes: readonly EditorNode[]): string {
  const written = nodes.map(toWire);
  return JSON.stringify(written.length === 1 ? written[0] : written, null, 2);
}

/**
 * The nodes in JSON of one expression, a list of expressions, or an audience; null for other text.
 */
export function readNodes(text: string): EditorNode[] | null {
  const json = parsed(text);
  const listed = Array.isArray(json) ? json : [json];
  const nodes = listed.map((each) => readNode(isRecord(each) ? (each.expression ?? each) : each));
  return nodes.length > 0 && nodes.every((node) => node !== null) ? nodes : null;
}

/** The name of the audience in JSON; empty for none. */
export function readName(text: string): string {
  const json = parsed(text);
  return isRecord(json) && typeof json.name === "string" ? json.name : "";
}

/** null for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readNode(json: unknown): EditorNode | null {
  if (!isRecord(json)) return null;
  const negated = json.not === true;
  const operator = "and" in json ? "and" : "or";
  const parts = json[operator];
  if (Array.isArray(parts)) {
    const children = parts.map(readNode);
    return children.every((child) => child !== null)
      ? { id: UNPLACED, kind: "group", operator, negated, muted: false, children }
      : null;
  }
  return readLeaf(json, negated);
}

function readLeaf(json: Record<string, unknown>, negated: boolean): LeafNode | null {
  const { question, datapoints, options, suffixes = [], min_count: count = 1, numbers } = json;
  if (numbers !== undefined && numbers !== null) return readRange(question, numbers, negated);
  // Saved audiences may name the answers `options`; both fields at once are ambiguous.
  const listed = datapoints ?? options ?? null;
  const answers = isCodes(listed) ? listed.map(String) : null;
  if ((listed !== null && answers === null) || (datapoints && options)) return null;
  if (typeof question !== "string" || !isCodes(suffixes)) return null;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1) return null;
  const all = count > 1 && count === answers?.length;
  return {
    id: UNPLACED,
    kind: "leaf",
    question,
    // An empty list is an incomplete condition, and is kept as one.
    datapoints: answers,
    suffixes: suffixes.map(String),
    quantifier: count === 1 ? "any" : all ? "all" : "at_least",
    count: Math.max(count, 2),
    negated,
    muted: false,
  };
}

function readRange(question: unknown, numbers: unknown, negated: boolean): LeafNode | null {
  if (typeof question !== "string" || !isRecord(numbers)) return null;
  const given = Object.entries(numbers).filter(([, end]) => end !== null);
  if (!given.every(([name, end]) => ENDS.some((each) => each === name) && Number.isFinite(end))) {
    return null;
  }
  return {
    id: UNPLACED,
    kind: "leaf",
    question,
    datapoints: null,
    suffixes: [],
    quantifier: "any",
    count: 2,
    negated,
    muted: false,
    numbers: Object.fromEntries(given) as NumberEnds,
  };
}

function isCodes(value: unknown): value is (string | number)[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each === "string" || typeof each === "number")
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equal except for the order of fields, which is not defined. */
export function alike(one: unknown, two: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(two)) {
    return one.length === two.length && one.every((each, i) => alike(each, two[i]));
  }
  if (isRecord(one) && isRecord(two)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(two).length && keys.every((key) => alike(one[key], two[key]))
    );
  }
  return one === two;
}
