/** Downloads of tables in an exported notebook as CSV files, without network. */

import { defused } from "../../core/csvInjection";
import { words } from "./strings";

/** Adds a button below every table of an output; the file has the rows in their sorted order. */
export function makeDownloadable(page: Document): void {
  page.querySelectorAll<HTMLTableElement>(".output_area table").forEach((table, at) => {
    const name = `table-${at + 1}.csv`;
    const button = page.createElement("button");
    button.type = "button";
    button.className = "csv";
    button.textContent = words.download;
    button.setAttribute("aria-label", `${words.download}: ${name}`);
    button.addEventListener("click", () => {
      const link = page.createElement("a");
      // Excel detects UTF-8 by a byte order mark only.
      link.href = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv" }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    });
    table.after(button);
  });
}

/**
 * The text of a table's cells; a cell over several columns is followed by empty ones. What a table
 * of ours says of itself (title, base, weight, notes, source) is in lines after it.
 */
export function csv(table: HTMLTableElement): string {
  const rows = Array.from(table.rows, (row) =>
    Array.from(row.cells).flatMap(({ textContent, colSpan }) => [
      field(textContent),
      ...Array<string>(Math.max(colSpan, 1) - 1).fill(""),
    ]),
  );
  const said = table.parentElement?.querySelectorAll(
    ":scope.mathjax_ignore > div:not(:has(table))",
  );
  const about = Array.from(said ?? [], ({ textContent }) => [field(textContent)]);
  const isOfFigures = about.some(([line]) => line?.includes("Source: "));
  const lines = isOfFigures ? [...rows, [], ...about] : rows;
  return lines.map((fields) => `${fields.join(",")}\r\n`).join("");
}

function field(text: string | null): string {
  const shown = (text ?? "").replace(/\s+/g, " ").trim();
  const plain = /^[+-]?[\d.,]+%?$/.test(shown) ? shown : defused(shown);
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
