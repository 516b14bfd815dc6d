/**
 * Sheets as text: HTML for spreadsheets, in full precision; tab-separated text, HTML and Markdown,
 * rounded as shown. Names are escaped against formulas and markup. No DOM.
 */
import { defused } from "../../core/csvInjection";
import { count, written } from "../../core/numbers";
import type { Margin } from "../arrangement/queryAxis";
import { formatCount, formatSize } from "../metrics/format";
import { LOW_BASES, type LowBase } from "../metrics/metrics";
import { strings } from "../strings";
import type { Cell, Sheet } from "./sheet";
import { words as taken } from "./strings";

/**
 * With the decimals that are shown: one sheet after the other, separated by an empty row, and after
 * a whole table what it is of.
 */
export function spreadsheetText(sheets: readonly Sheet[]): string {
  const blocks = sheets.map((sheet) => toTsv(fieldsOf(sheet), sheet.decimals)).join("\n\n");
  return [blocks, toTsv(aboutOf(sheets), 0)].filter(Boolean).join("\n");
}

/**
 * The same as an HTML table, in which a spreadsheet reads full precision and shows rounded numbers.
 */
export function spreadsheetHtml(sheets: readonly Sheet[]): string {
  return page(
    sheets.map((sheet) => {
      const { decimals } = sheet;
      const format = decimals ? `0.${"0".repeat(decimals)}` : "#,##0";
      const cell = (field: Field) =>
        typeof field === "number"
          ? Number.isFinite(field)
            ? `<td style="mso-number-format:'${Number.isInteger(field) ? "#,##0" : format}'">${field}</td>`
            : "<td></td>"
          : `<td style="mso-number-format:'\\@'">${escaped(defused(field))}</td>`;
      const lines = [...fieldsOf(sheet), ...(sheet === sheets.at(-1) ? aboutOf(sheets) : [])];
      return `<table>${rowsOf(lines.map((line) => line.map(cell)))}</table>`;
    }),
  );
}

/** For a document: rounded as shown, with low-base marks and their explanation. */
export function documentHtml(sheets: readonly Sheet[], lowBase: LowBase = LOW_BASES): string {
  const right = ' style="text-align:right"';
  return page(
    sheets.map((sheet) => {
      const { head, body } = wordsOf(sheet);
      const row = (words: readonly string[], tag: string) =>
        words.map((word, i) => `<${tag}${i ? right : ""}>${escaped(word)}</${tag}>`);
      const lines = [
        ...head.map((words) => row(words, "th")),
        ...body.map(({ words, isHead }) => row(words, isHead ? "th" : "td")),
      ];
      const summary = [captionOf(sheet), ...notesOf([sheet], lowBase)].map(escaped);
      return `<p><b>${summary[0]}</b></p><table border="1" cellspacing="0" cellpadding="4">${rowsOf(lines)}</table>${summary
        .slice(1)
        .map((note) => `<p><small>${note}</small></p>`)
        .join("")}`;
    }),
  );
}

/** For a Markdown document: one table for each metric. */
export function markdown(sheets: readonly Sheet[], lowBase: LowBase = LOW_BASES): string {
  const tables = sheets.map((sheet) => {
    const { head, body } = wordsOf(sheet);
    // A Markdown table has one header row, so column groups are part of the column names.
    const names = (head.at(-1) ?? []).map((name, i) =>
      [...new Set(head.slice(0, -1).map((band) => band[i] ?? "")), name]
        .filter(Boolean)
        .join(" › "),
    );
    const line = (words: readonly string[]) => `| ${words.map(inMarkdown).join(" | ")} |`;
    const filled = (words: readonly string[]) => [
      ...words,
      ...Array<string>(Math.max(0, names.length - words.length)).fill(""),
    ];
    return [
      `**${inMarkdown(captionOf(sheet))}**`,
      "",
      line(names),
      `| ${names.map((_, i) => (i ? "---:" : "---")).join(" | ")} |`,
      ...body.map(({ words, isHead }) =>
        isHead
          ? `| **${inMarkdown(words[0] ?? "")}** |${" |".repeat(names.length - 1)}`
          : line(filled(words)),
      ),
    ].join("\n");
  });
  return [...tables, ...notesOf(sheets, lowBase).map(inMarkdown)].join("\n\n");
}

// -- a sheet as rows of fields and of strings -----------------------------------------------------

const NO_MARGIN: Margin = { size: Number.NaN, sample: Number.NaN };

function fieldsOf(sheet: Sheet): Field[][] {
  const { label, columns, bases, base } = sheet;
  const vary = sheet.lines.some((line) => line.kind === "row" && line.own?.base !== undefined);
  const weighted = <T>(field: T): T[] => (sheet.isWeighted ? [field] : []);
  const own = ({ size, sample, base }: Margin = NO_MARGIN): Field[] =>
    bases ? [...weighted(size), sample, ...(vary ? [base?.sample ?? Number.NaN] : [])] : [];
  const labels = [
    ...weighted(strings.size),
    strings.sample,
    ...(vary ? [strings.rowBaseSample] : []),
  ];
  const beside = bases ? labels.map(() => "") : [];
  const lines: Field[][] = sheet.bands.map((groups) => ["", ...beside, ...firsts(groups)]);
  lines.push([label, ...(bases ? labels : []), ...columns]);
  if (bases) {
    const sizes = bases.columns.map((margin) => margin?.size ?? Number.NaN);
    const samples = bases.columns.map((margin) => margin?.sample ?? Number.NaN);
    const last = vary ? [bases.all.sample] : [];
    const size = [`${strings.size}: ${base}`, bases.all.size, "", ...last.map(() => ""), ...sizes];
    const sample = [`${strings.sample}: ${base}`, ...weighted(""), bases.all.sample, ...last];
    lines.push(...weighted(size), [...sample, ...samples]);
  }
  for (const line of sheet.lines) {
    if (line.kind === "head") lines.push([line.name]);
    else lines.push([line.name, ...own(line.own), ...line.cells.map(({ value }) => value)]);
  }
  return lines;
}

/** The same as shown on the screen: both bases in one row, and values with their marks. */
function wordsOf(sheet: Sheet): { head: string[][]; body: { words: string[]; isHead: boolean }[] } {
  const { bases } = sheet;
  const own = ({ size, sample, base }: Margin = NO_MARGIN) => {
    const n = formatCount(sample);
    const counts = base ? strings.ofBase(n, formatCount(base.sample)) : n;
    return sheet.isWeighted ? `${formatSize(size)} / ${counts}` : counts;
  };
  const around = (words: readonly string[], beside: string, first: string) => [
    first,
    ...(bases ? [beside] : []),
    ...words,
  ];
  const head = [
    ...sheet.bands.map((groups) => around(firsts(groups), "", "")),
    around(sheet.columns, sheet.isWeighted ? strings.baseParts : strings.basePart, ""),
  ];
  const body = sheet.lines.map((line) =>
    line.kind === "head"
      ? { words: [line.name], isHead: true }
      : { words: around(line.cells.map(marked), own(line.own), line.name), isHead: false },
  );
  if (bases) {
    const words = around(bases.columns.map(own), own(bases.all), strings.base(sheet.base));
    body.unshift({ words, isHead: false });
  }
  return { head, body };
}

/** A group's name once, over its first column. */
function firsts(groups: readonly string[]): string[] {
  return groups.map((head, i) => (i > 0 && groups[i - 1] === head ? "" : head));
}

function marked({ text, mark }: Cell): string {
  return text + mark;
}

function captionOf({ label, baseLine }: Sheet): string {
  return `${label} · ${baseLine}`;
}

function notesOf(sheets: readonly Sheet[], { low, veryLow }: LowBase): string[] {
  const isMarked = sheets.some(({ lines }) =>
    lines.some((line) => line.kind === "row" && line.cells.some(({ mark }) => mark !== "")),
  );
  const marks = isMarked ? [taken.marks(count(low), count(veryLow))] : [];
  return [...(sheets[0]?.notes ?? []), ...marks, ...(sheets[0]?.about ?? [])];
}

/** An empty row, and rows that say what a whole table is of; none after a part of it. */
function aboutOf([sheet]: readonly Sheet[]): Field[][] {
  if (!sheet?.bases) return [];
  return ["", sheet.baseLine, ...sheet.about].map((line) => [line]);
}

// -- escaping ------------------------------------------------------------------------------------

function rowsOf(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `<tr>${cells.join("")}</tr>`).join("");
}

function page(tables: readonly string[]): string {
  return `<html><head><meta charset="utf-8"></head><body>${tables.join("<br>")}</body></html>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** A name in a Markdown cell: one line, with markup escaped. */
function inMarkdown(text: string): string {
  return text
    .replace(/[\t\r\n]+/g, " ")
    .replace(/[\\`*_[\]|~#$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}

export type Field = string | number;

export function toTsv(lines: readonly (readonly Field[])[], decimals: number): string {
  const field = (value: Field) =>
    typeof value === "string"
      ? quoted(defused(value))
      : Number.isFinite(value)
        ? written(value, decimals)
            .replace(/,|\.0+$/g, "")
            .replace("\u2212", "-")
        : "";
  return lines.map((line) => line.map(field).join("\t")).join("\n");
}

function quoted(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
