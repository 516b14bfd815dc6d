import { describe, expect, it } from "vitest";
import { csv } from "../../../src/docs/page/downloading";

function table(html: string): HTMLTableElement {
  const body = document.createElement("div");
  body.innerHTML = `<table>${html}</table>`;
  return body.firstElementChild as HTMLTableElement;
}

describe("a table as CSV", () => {
  it("keeps every cell in its column", () => {
    const made = csv(
      table(`<thead><tr><td></td><th colspan="2">Gender</th></tr>
        <tr><td></td><th><button>Men</button></th><th>Women</th></tr></thead>
        <tbody><tr><th>Over 1,000</th><td>9.1%*&nbsp;<small>112</small></td><td>"a"</td></tr></tbody>`),
    );
    expect(made).toBe(',Gender,\r\n,Men,Women\r\n"Over 1,000",9.1%* 112,"""a"""\r\n');
  });

  it("ends with what a table of ours says of itself", () => {
    const body = document.createElement("div");
    body.innerHTML = `<div class="mathjax_ignore"><div>=Pets</div><div>Unweighted</div>
      <table><tr><td>1</td></tr></table><pre>x = 1</pre><div>Source: kunden, 2026</div></div>`;
    const made = csv(body.querySelector("table") as HTMLTableElement);
    expect(made).toBe('1\r\n\r\n\'=Pets\r\nUnweighted\r\n"Source: kunden, 2026"\r\n');
  });

  it("escapes formulas", () => {
    expect(csv(table("<tr><td>=1+1</td><td>-0.5</td></tr>"))).toBe("'=1+1,-0.5\r\n");
  });
});
