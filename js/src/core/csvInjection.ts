/** Text of other people in files for spreadsheets. */

/**
 * A spreadsheet runs a text that begins like a formula, be it after blanks or with a wide sign; an
 * apostrophe makes it text. As `csv_injection.py` does.
 */
export function defused(text: string): string {
  return /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? `'${text}` : text;
}
