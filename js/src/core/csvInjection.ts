/** Protection against formula injection in files for spreadsheets. */

/**
 * A spreadsheet runs text that begins like a formula, also after blanks or with a full-width sign;
 * a leading apostrophe makes it text. Same rule as `csv_injection.py`.
 */
export function defused(text: string): string {
  return BEGINNING.test(text) ? `'${text}` : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: white space as Python has it
const BEGINNING = /^(?:[\s\x1c-\x1f\x85]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/;
