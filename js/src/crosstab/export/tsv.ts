/**
 * A table as tab-separated text that pastes into Excel and Sheets: numbers in full
 * precision, an empty field for no number, names that cannot act as formulas.
 */

export type Field = string | number;

export function toTsv(lines: readonly (readonly Field[])[]): string {
  return lines.map((line) => line.map(field).join("\t")).join("\n");
}

function field(value: Field): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return quoted(defused(value));
}

/**
 * A spreadsheet runs a text that begins like a formula, be it after blanks or with a wide sign; an
 * apostrophe makes it text. As `frames/formulas.py` says.
 */
export function defused(text: string): string {
  return /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
