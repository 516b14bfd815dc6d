/**
 * Sortable tables of an exported notebook: a click on a header sorts descending, then ascending,
 * then restores the order. Values are parsed as displayed, whatever library wrote the table: "1.2M"
 * is more than "640K", "12.4%*", "* 12.4%", "▲ 12.4%" and "AB 12.4%" are 12.4, "+3.1" is more than
 * "−3.5", and "–" has no value. If a cell has several values, the first one counts.
 *
 * Group rows keep their positions, and so do bases and the row with the number of omitted rows.
 */

import { words } from "./strings";

type Direction = "descending" | "ascending";

/** Makes every table of a page sortable. */
export function makeSortable(page: ParentNode): void {
  for (const table of page.querySelectorAll("table")) {
    const heads = table.tHead?.lastElementChild;
    const body = table.tBodies[0];
    if (heads && body && heads.children.length > 1 && body.children.length > 1) {
      prepare(Array.from(heads.children), body);
    }
  }
}

function prepare(heads: readonly Element[], body: Element): void {
  const original = Array.from(body.children);
  const width = heads.length;
  heads.forEach((head, column) => {
    const button = head.ownerDocument.createElement("button");
    button.type = "button";
    button.append(...Array.from(head.childNodes));
    if (!button.textContent?.trim()) button.setAttribute("aria-label", words.sortByName);
    head.append(button);
    button.addEventListener("click", () => {
      const moving = original.filter((row) => moves(row, width));
      const areFigures = moving.some((row) => !Number.isNaN(figureIn(wordsOf(row, column))));
      const direction = next(head.getAttribute("aria-sort"), areFigures);
      for (const other of heads) other.removeAttribute("aria-sort");
      if (direction) head.setAttribute("aria-sort", direction);
      body.replaceChildren(...(direction ? sorted(original, width, column, direction) : original));
    });
  });
}

/** Numbers start descending, names start ascending. */
function next(now: string | null, areFigures: boolean): Direction | null {
  const order: Direction[] = areFigures ? ["descending", "ascending"] : ["ascending", "descending"];
  if (now === null) return order[0] ?? null;
  return now === order[0] ? (order[1] ?? null) : null;
}

/** The rows in their new order; each run between two fixed rows is sorted separately. */
function sorted(
  rows: readonly Element[],
  width: number,
  column: number,
  direction: Direction,
): Element[] {
  const out: Element[] = [];
  let run: Element[] = [];
  const close = () => {
    out.push(...run.sort((a, b) => compare(wordsOf(a, column), wordsOf(b, column), direction)));
    run = [];
  };
  for (const row of rows) {
    if (moves(row, width)) {
      run.push(row);
      continue;
    }
    close();
    out.push(row);
  }
  close();
  return out;
}

/** Not a full-width row, and not a base, which has paler text. */
function moves(row: Element, width: number): boolean {
  const pale = [row, row.children[width - 1]] as (HTMLElement | undefined)[];
  return row.children.length === width && !pale.some((part) => part?.style.opacity);
}

/** Cells without a value come last, in both directions. */
export function compare(a: string, b: string, direction: Direction): number {
  const sign = direction === "ascending" ? 1 : -1;
  const [left, right] = [figureIn(a), figureIn(b)];
  if (Number.isNaN(left) && Number.isNaN(right)) {
    return isNothing(a) || isNothing(b)
      ? Number(isNothing(a)) - Number(isNothing(b))
      : sign * a.localeCompare(b, undefined, { numeric: true });
  }
  if (Number.isNaN(left) || Number.isNaN(right)) {
    return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  }
  return sign * (left - right);
}

const UNITS: Record<string, number> = { K: 1e3, M: 1e6, B: 1e9 };
const FIGURE =
  /^([+−-]?)(\d[\d,\u202f\u00a0]*\.?\d*(?:e[+-]?\d+)?)\s*([KMB]?)\s*%?[*\s]*(?:[A-Za-z]*)$/;

/** What is in front of a value: an arrow or letters of tests, the mark of a low base. */
const MARKS =
  /^(?:[▲▼][\u00a0 ]|[A-Za-z]+(?: [A-Z]+)* (?=[*\u00a0]*[\d.,]+%))?(?:\*{1,2}[\u00a0 ])?/;

/** The value at the start of a cell; NaN for none. */
export function figureIn(words: string): number {
  // A second value, such as the index beside a share, follows in small type after a space.
  const [first = ""] = words
    .trim()
    .replace(MARKS, "")
    .split(/(?<=[%*\d])[\u00a0 ](?=\d)/);
  const found = FIGURE.exec(first.trim());
  if (!found) return Number.NaN;
  const [, sign, digits = "", unit = ""] = found;
  return (
    (sign && sign !== "+" ? -1 : 1) *
    Number(digits.replace(/[,\u202f\u00a0]/g, "")) *
    (UNITS[unit] ?? 1)
  );
}

function isNothing(words: string): boolean {
  return /^(–|-|—|nan|none|)$/i.test(words.trim());
}

/** The first line of a cell. */
function wordsOf(row: Element, column: number): string {
  const parts = Array.from(row.children[column]?.childNodes ?? []);
  const end = parts.findIndex(({ nodeName }) => nodeName === "BR");
  const line = end < 0 ? parts : parts.slice(0, end);
  return line.map(({ textContent }) => textContent ?? "").join("");
}
