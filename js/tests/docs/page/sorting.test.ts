import { describe, expect, it } from "vitest";
import { compare, figureIn, makeSortable } from "../../../src/docs/page/sorting";

function page(html: string): HTMLElement {
  const body = document.createElement("div");
  body.innerHTML = html;
  makeSortable(body);
  return body;
}

const names = (body: HTMLElement) =>
  Array.from(body.querySelectorAll("tbody tr"), (row) => row.firstElementChild?.textContent);

function click(body: HTMLElement, column: number): void {
  body
    .querySelectorAll("thead tr:last-child button")
    [column]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}

const CROSSTAB = `<table>
  <thead><tr><td colspan="2"></td><th colspan="2">Gender</th></tr>
    <tr><th></th><th>All</th><th>Men</th><th>Women</th></tr></thead>
  <tbody>
    <tr style="opacity:.7"><th>Sample</th><td>800</td><td>390</td><td>410</td></tr>
    <tr><th colspan="4">Age</th></tr>
    <tr><th>Young</th><td>1.2M</td><td>9.1%* <small>112</small></td><td>–</td></tr>
    <tr><th>Old</th><td>640K</td><td>12.4% <small>90</small></td><td>3</td></tr>
    <tr><th>Middle</th><td>2,000,000</td><td>–</td><td>20</td></tr>
    <tr><th colspan="4">Site</th></tr>
    <tr><th>B</th><td>1</td><td>1%</td><td>1</td></tr>
    <tr><th>A</th><td>2</td><td>2%</td><td>2</td></tr>
    <tr><td colspan="4">… and 3 more rows</td></tr>
  </tbody></table>`;

describe("a table", () => {
  it("is sorted descending, ascending, and in its original order, within its sections", () => {
    const body = page(CROSSTAB);
    const came = names(body);
    click(body, 2);
    expect(names(body)).toEqual([
      "Sample",
      "Age",
      "Old",
      "Young",
      "Middle",
      "Site",
      "A",
      "B",
      "… and 3 more rows",
    ]);
    click(body, 2);
    expect(names(body).slice(2, 5)).toEqual(["Young", "Old", "Middle"]);
    click(body, 2);
    expect(names(body)).toEqual(came);
  });

  it("marks the header by which it is sorted, and only that one", () => {
    const body = page(CROSSTAB);
    click(body, 1);
    click(body, 3);
    const heads = Array.from(body.querySelectorAll("thead tr:last-child th"));
    expect(heads.map((head) => head.getAttribute("aria-sort"))).toEqual([
      null,
      null,
      null,
      "descending",
    ]);
  });

  it("is sorted by names from A to Z first, and its empty header gets a name", () => {
    const body = page(CROSSTAB);
    expect(body.querySelector("thead tr:last-child button")?.getAttribute("aria-label")).toBe(
      "Sort by name",
    );
    click(body, 0);
    expect(names(body).slice(2, 5)).toEqual(["Middle", "Old", "Young"]);
  });

  it("is sorted by the first of several values, with marks and signs", () => {
    const cells = [
      "+3.1<br>640K",
      "*\u00a0−12.0<br>1.2M",
      "**\u00a0+0.4<br>9",
      "–<br>…",
      "−0.2<br>3",
    ];
    const rows = cells.map((cell, place) => `<tr><th>${place}</th><td>${cell}</td></tr>`);
    const body = page(
      `<table><thead><tr><th></th><th>Men</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
    );
    click(body, 1);
    expect(names(body)).toEqual(["0", "2", "4", "1", "3"]);
    click(body, 1);
    expect(names(body)).toEqual(["1", "4", "2", "0", "3"]);
  });

  it("is not sortable without headers or with one row", () => {
    expect(page("<table><tbody><tr><td>1</td></tr></tbody></table>").innerHTML).not.toContain(
      "button",
    );
  });
});

describe("values", () => {
  it.each([
    ["12.4%*", 12.4],
    ["12.4 %", 12.4],
    ["1.2M", 1_200_000],
    ["640K", 640_000],
    ["1,234", 1234],
    ["1\u202f234", 1234],
    ["−3.5", -3.5],
    ["-3.5", -3.5],
    ["+3.5", 3.5],
    ["*\u00a012.4%", 12.4],
    ["▲\u00a012.4%", 12.4],
    ["▼\u00a0*\u00a01,012.4%", 1012.4],
    ["CDef 12.4%", 12.4],
    ["A AB 12.4%", 12.4],
    ["**\u00a0−1.96", -1.96],
    ["1e-5", 1e-5],
    ["9.1%*\u00a0112", 9.1],
    ["54.2 AB", 54.2],
  ])("%s is %d", (words, figure) => expect(figureIn(words)).toBe(figure));

  it.each(["–", "", "18 to 24", "NaN", "q4_2"])("%s has no value", (words) =>
    expect(figureIn(words)).toBeNaN(),
  );

  it("come last in both directions if missing", () => {
    for (const direction of ["ascending", "descending"] as const) {
      expect(compare("–", "1", direction)).toBeGreaterThan(0);
      expect(compare("1", "", direction)).toBeLessThan(0);
    }
  });
});
