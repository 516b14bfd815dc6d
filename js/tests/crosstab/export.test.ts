import axe from "axe-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CellReport } from "../../src/crosstab/export/cellDetails";
import {
  documentHtml,
  markdown,
  spreadsheetHtml,
  spreadsheetText,
} from "../../src/crosstab/export/clipboardFormats";
import type { Line, Sheet } from "../../src/crosstab/export/sheet";
import { type Counted, counted, Page, pointer } from "./page";

/** A grid with its first cells, which records what is copied. */
async function ready(table: Counted = counted(4, 3)): Promise<Page & { clip: Clip }> {
  const page = Object.assign(new Page(table), { clip: clipboard() });
  await page.until(() => page.shows);
  return page;
}

interface Clip {
  text: string;
  html: string;
}

function clipboard(): Clip {
  const clip: Clip = { text: "", html: "" };
  vi.stubGlobal(
    "ClipboardItem",
    class {
      constructor(readonly forms: Record<string, Blob>) {}
    },
  );
  vi.spyOn(navigator, "clipboard", "get").mockReturnValue({
    writeText: async (text: string) => Object.assign(clip, { text, html: "" }),
    write: async ([item]: { forms: Record<string, Blob> }[]) => {
      clip.text = (await item?.forms["text/plain"]?.text()) ?? "";
      clip.html = (await item?.forms["text/html"]?.text()) ?? "";
    },
  } as unknown as Clipboard);
  return clip;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

// -- sheets in words -------------------------------------------------------------------------------

const cell = (value: number, text = String(value), mark: "" | "*" | "**" = "") => ({
  value,
  text,
  mark,
});
const row = (name: string, ...cells: ReturnType<typeof cell>[]): Line => ({
  kind: "row",
  name,
  own: { size: 1234.5, sample: 29 },
  cells,
});
const sheet = (lines: Line[], part: Partial<Sheet> = {}): Sheet => ({
  metric: "index",
  decimals: 1,
  label: "Index",
  base: "All",
  baseLine: "Base: All",
  notes: [],
  about: [],
  isWeighted: true,
  bands: [],
  columns: ["Women", "Men"],
  bases: null,
  lines,
  ...part,
});
const BASES = {
  all: { size: 100_000, sample: 500 },
  columns: [
    { size: 50_000.5, sample: 250 },
    { size: 49_999.5, sample: 250 },
  ],
};

describe("text for a spreadsheet", () => {
  it("has numbers as shown, and empty fields for missing values", () => {
    const lines = [row("Age 1", cell(1000.0000000000082), cell(Number.NaN, "–"), cell(-100 / 3))];
    expect(spreadsheetText([sheet(lines)])).toBe("Index\tWomen\tMen\nAge 1\t1000\t\t-33.3");
    expect(spreadsheetHtml([sheet(lines)])).toContain(`'0.0'">${-100 / 3}</td>`);
  });

  it("has both bases in the first row and column when requested", () => {
    const text = spreadsheetText([sheet([row("Age 1", cell(1), cell(2))], { bases: BASES })]);
    expect(text.split("\n").map((line) => line.split("\t"))).toEqual([
      ["Index", "Weighted base", "Unweighted base (n)", "Women", "Men"],
      ["Weighted base: All", "100000", "", "50000.5", "49999.5"],
      ["Unweighted base (n): All", "", "500", "250", "250"],
      ["Age 1", "1234.5", "29", "1", "2"],
      [""],
      ["Base: All"],
    ]);
  });

  it("has a block for each metric, separated by an empty row", () => {
    const blocks = [
      sheet([row("Age 1", cell(1), cell(2))]),
      sheet([row("Age 1", cell(3), cell(4))], { metric: "size", label: "Size" }),
    ];
    expect(spreadsheetText(blocks)).toBe(
      "Index\tWomen\tMen\nAge 1\t1\t2\n\nSize\tWomen\tMen\nAge 1\t3\t4",
    );
  });

  it("has a row for each group of rows and of columns", () => {
    const lines: Line[] = [{ kind: "head", name: "Age", level: 0 }, row("16–24", cell(1), cell(2))];
    expect(spreadsheetText([sheet(lines, { bands: [["Sex", "Sex"]] })]).split("\n")).toEqual([
      "\tSex\t",
      "Index\tWomen\tMen",
      "Age",
      "16–24\t1\t2",
    ]);
  });
});

describe("malicious names", () => {
  const lines = [row('=HYPERLINK("x")', cell(1), cell(2)), row("<b>|*_`\n#", cell(1), cell(2))];
  const hostile = sheet(lines, { columns: ["+1", "<img src=x onerror=alert(1)>"], base: "@x" });

  it("are not formulas in a spreadsheet", () => {
    const text = spreadsheetText([hostile]);
    expect(text.split("\n")[0]?.split("\t")[1]).toBe("'+1");
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect(spreadsheetHtml([hostile])).toContain("'=HYPERLINK(&quot;x&quot;)</td>");
  });

  it("are not markup in HTML", () => {
    for (const html of [spreadsheetHtml([hostile]), documentHtml([hostile])]) {
      const parsed = new DOMParser().parseFromString(html, "text/html");
      expect(parsed.querySelectorAll("img, b b")).toHaveLength(0);
      expect(parsed.body.textContent).toContain("<img src=x onerror=alert(1)>");
    }
  });

  it("are not markup in Markdown", () => {
    const table = markdown([hostile]).split("\n");
    expect(table[5]).toBe("| &lt;b>\\|\\*\\_\\` \\# | 1 | 2 |");
    expect(table[2]).toContain("&lt;img src=x onerror=alert(1)>");
    expect(table.slice(2).every((line) => line.startsWith("|"))).toBe(true);
  });
});

describe("text for a document", () => {
  const lines = [row("Age 1", cell(33.333, "33.3", "*"), cell(12, "12.0"))];

  it("is rounded as shown, with marks, bases, and an explanation of the marks", () => {
    expect(markdown([sheet(lines, { bases: BASES })])).toBe(
      [
        "**Index · Base: All**",
        "",
        "|  | weighted / n | Women | Men |",
        "| --- | ---: | ---: | ---: |",
        "| Base: All | 100.0K / 500 | 50.0K / 250 | 50.0K / 250 |",
        "| Age 1 | 1,235 / 29 | 33.3\\* | 12.0 |",
        "",
        "\\* fewer than 100 respondents in the denominator, \\*\\* fewer than 30",
      ].join("\n"),
    );
  });

  it("has no explanation without marks", () => {
    const plain = sheet([row("Age 1", cell(1), cell(2))]);
    expect(markdown([plain])).not.toContain("fewer");
    expect(documentHtml([plain])).not.toContain("fewer");
    expect(documentHtml([sheet(lines)])).toContain("fewer than 100 respondents");
  });
});

// -- in the page -----------------------------------------------------------------------------------

describe("copying", () => {
  it("copies the whole table with its bases, as text and as HTML", async () => {
    const page = await ready();
    page.button("Copy table").click();
    await page.until(() => page.clip.text);
    const lines = page.clip.text.split("\n").map((line) => line.split("\t"));
    expect(lines[0]).toEqual([
      "Index",
      "Weighted base",
      "Unweighted base (n)",
      "Column 1",
      "Column 2",
      "Column 3",
    ]);
    expect(lines[3]).toEqual(["Row 1", "100", "50", "100", "100", "100"]);
    const parsed = new DOMParser().parseFromString(page.clip.html, "text/html");
    const cells = [...parsed.querySelectorAll("tr")].map((line) =>
      [...line.querySelectorAll("td")].map((td) => td.textContent),
    );
    expect(cells).toEqual(lines);
    expect(lines.slice(-3, -1)).toEqual([["Base: all respondents"], ["waves: latest 4"]]);
    expect(lines.at(-1)?.[0]).toMatch(/^Source: demo survey/);
    expect(page.text).toContain("12 cells copied");
  });

  it("copies every metric of a cell, a block for each", async () => {
    const page = await ready();
    page.model.set("metrics", ["size", "column_percentage"]);
    page.button("Copy table").click();
    await page.until(() => page.clip.text);
    const [sizes, shares] = page.clip.text.split("\n\n").map((block) => block.split("\n"));
    expect(sizes?.[4]).toBe("Row 2\t200\t100\t4\t8\t12");
    expect(shares?.[4]).toBe("Row 2\t200\t100\t2\t2\t2");
  });

  it("omits suppressed values, as the page does", async () => {
    const page = await ready();
    page.model.set("metrics", ["column_percentage"]);
    page.model.set("hide_under", 150);
    page.button("Copy table").click();
    await page.until(() => page.clip.text);
    expect(page.clip.text.split("\n")[3]).toBe("Row 1\t100\t50\t\t1\t1");
  });

  it("copies letters with the letters of the columns", async () => {
    const page = await ready();
    page.model.set("metrics", ["letters"]);
    page.button("Copy table").click();
    await page.until(() => page.clip.text);
    const lines = page.clip.text.split("\n").map((line) => line.split("\t").slice(3));
    expect(lines[0]).toEqual(["Column 1 (A)", "Column 2 (B)", "Column 3 (C)"]);
    expect(lines[4]).toEqual(["R1 C0", "R1 C1", "R1 C2"]);
  });

  it("copies only the selection", async () => {
    const page = await ready();
    page.at({ row: 2, column: 3 })?.focus();
    page.press("ArrowDown", { shiftKey: true });
    await page.until(() => page.has("Copy 2 cells"));
    page.button("Copy 2 cells").click();
    await page.until(() => page.clip.text);
    expect(page.clip.text).toBe("Index\tColumn 1\nRow 1\t100\nRow 2\t100");
  });

  it("takes the table once the selected row is hidden, and says so", async () => {
    const page = await ready();
    page.at({ row: 3, column: 0 })?.dispatchEvent(pointer("pointerdown"));
    await page.until(() => page.has("Copy 3 cells"));
    page.button("Send").click();
    await page.until(() => page.text.includes("Send the selected 3 cells"));
    page.at({ row: 3, column: 0 })?.focus();
    page.press("h");
    await page.until(() => page.has("Copy table"));
    await page.until(() => JSON.stringify(page.model.get("_selected_cells")).includes('"rows":[]'));
    page.button("Copy table").click();
    await page.until(() => page.clip.text);
    const names = page.clip.text.split("\n").map((line) => line.split("\t")[0]);
    expect(names.slice(3, 7)).toEqual(["Row 1", "Row 3", "Row 4", ""]);
  });

  it("has other formats in its menu, which supports the keyboard", async () => {
    const page = await ready();
    page.answers.code = (args) => [{ code: `asked with ${Object.keys(args)}` }];
    page.button("Send").click();
    const items = await page.until(() => {
      const found = page.all('[role="menuitem"]');
      return found.length > 0 && found;
    });
    expect(document.activeElement).toBe(items[0]);
    const step = (key: string) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
      );
    step("ArrowUp");
    expect(document.activeElement).toBe(items.at(-1));
    step("Home");
    expect((await axe.run(page.element)).violations).toEqual([]);
    const item = (label: string) => items.find((each) => each.textContent?.startsWith(label));
    item("Copy as Markdown")?.click();
    await page.until(() => page.clip.text.startsWith("**Index"));
    expect(page.all('[role="menu"]')).toEqual([]);
    expect(document.activeElement).toBe(page.button("Send"));
    page.button("Send").click();
    const code = () =>
      page.all('[role="menuitem"]').find((each) => each.textContent?.startsWith("Copy as Python"));
    (await page.until(code)).click();
    await page.until(() => page.clip.text === "asked with generation");
  });

  it("closes its menu with Tab, and letters find an item in it", async () => {
    const page = await ready();
    page.button("Send").click();
    const items = await page.until(() => {
      const found = page.all('[role="menuitem"]');
      return found.length > 0 && found;
    });
    const step = (key: string) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
      );
    const wanted = items.at(-1)?.textContent ?? "";
    step(wanted[0] as string);
    expect(document.activeElement).not.toBe(items[0]);
    expect(document.activeElement?.textContent?.[0]).toBe(wanted[0]);
    step("Tab");
    expect(document.activeElement).toBe(page.button("Send"));
    await page.until(() => page.all('[role="menu"]').length === 0);
  });
});

describe("exporting", () => {
  const pick = async (page: Page, label: string) => {
    page.button("Send").click();
    const item = await page.until(() =>
      page.all('[role="menuitem"]').find(({ textContent }) => textContent?.startsWith(label)),
    );
    item.click();
  };

  it("loads a file part by part and saves it through the browser", async () => {
    const page = await ready();
    const bytes = Uint8Array.from({ length: 10 }, (_, i) => i);
    const part = (start: number) => [new DataView(bytes.buffer, start, Math.min(4, 10 - start))];
    page.answers.export = ({ format }) => [
      { number: 7, name: "a-by-b.xlsx", type: `application/${format}`, bytes: 10 },
      part(0),
    ];
    page.answers.part = ({ start }) => [null, part(start as number)];
    const saved: { name: string; file: Blob }[] = [];
    const files = new Map<string, Blob>();
    vi.spyOn(URL, "createObjectURL").mockImplementation((file) => {
      files.set("blob:1", file as Blob);
      return "blob:1";
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      saved.push({ name: this.download, file: files.get(this.href) as Blob });
    });
    await pick(page, "Workbook");
    await page.until(() => saved.length > 0);
    expect(saved[0]?.name).toBe("a-by-b.xlsx");
    expect(saved[0]?.file.type).toBe("application/xlsx");
    expect(new Uint8Array((await saved[0]?.file.arrayBuffer()) as ArrayBuffer)).toEqual(bytes);
    expect(page.requests("export")[0]?.args).toMatchObject({
      generation: 1,
      rows: [0, 1, 2, 3],
      columns: [0, 1, 2],
    });
    await page.until(() => page.text.includes("a-by-b.xlsx saved"));
    expect(page.all("a[download]")).toEqual([]);
  });

  it.each([
    ["no part", []],
    ["an empty part", [new DataView(new ArrayBuffer(0))]],
  ])("fails if %s arrives before the end", async (_, part) => {
    const page = await ready();
    page.answers.export = () => [{ number: 7, name: "a.csv", type: "text/csv", bytes: 10 }, []];
    let asked = 0;
    // A kernel that continues is left waiting, or the test would never end.
    page.answers.part = () => [null, ++asked < 9 ? part : [new DataView(new ArrayBuffer(10))]];
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
    await pick(page, "Workbook");
    await page.until(() => page.text.includes("Only a part of the file"));
    expect(page.requests("part")).toHaveLength(1);
    expect(page.all("a[download]")).toEqual([]);
  });

  it("can be cancelled, and the kernel is notified", async () => {
    const page = await ready();
    page.busy = true;
    await pick(page, "Workbook");
    const stop = await page.until(
      () => page.all("button").find((each) => each.title === "Stop") as HTMLElement,
    );
    const asked = page.requests("export")[0];
    stop.click();
    await page.until(() => page.asked.some(({ cancel, id }) => cancel && id === asked?.id));
    expect(page.text).not.toContain("Preparing");
  });
});

describe("cell details", () => {
  const told = (row: number, column: number): CellReport => ({
    title: `<b>${row}</b> × ${column}`,
    counts: (["row", "column", "both", "base"] as const).map((role, i) => ({
      role,
      name: `${role} <i>name</i>`,
      words: `${role} in words`,
      size: "1.2M",
      sample: `${i}`,
      share: [0.5, 0.4, 0.2, 1][i] as number,
    })),
    formulas: [{ metric: "index", value: "100.0", written: "100 × 1", interval: "90.0 – 110.0" }],
    test: "significant at 95%",
    notes: ["Only 29 respondents"],
    waves: ["q1", "q2"],
    code: "al.Audience(name='x')",
  });

  async function drilled(): Promise<Page & { clip: Clip }> {
    const page = await ready();
    page.answers.drill = ({ row, column }) => [told(row as number, column as number)];
    page.at({ row: 2, column: 3 })?.focus();
    return page;
  }

  const panel = (page: Page) => page.all(".al-full")[0];
  const titleOf = (page: Page) => panel(page)?.getAttribute("aria-label");

  it("open below the table with Enter, follow the cursor, and close with Escape", async () => {
    const page = await drilled();
    page.press("Enter");
    await page.until(() => titleOf(page) === "<b>0</b> × 0");
    expect(page.focused).toBe("3,4");
    page.press("ArrowDown");
    page.press("ArrowRight");
    await page.until(() => titleOf(page) === "<b>1</b> × 1");
    expect(page.requests("drill").map(({ args }) => [args?.row, args?.column])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    page.press("Escape");
    await page.until(() => !panel(page));
    expect(page.focused).toBe("4,5");
  });

  it("use the positions of the query when the table is transposed", async () => {
    const page = await drilled();
    page.model.set("transposed", true);
    await page.until(() => page.words(2, 0) === "Column 1");
    page
      .at({ row: 4, column: 3 })
      ?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    page.at({ row: 4, column: 3 })?.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    await page.until(() => titleOf(page) === "<b>0</b> × 2");
    const roles = page.all(".al-full [data-role] .al-quiet:first-child");
    expect(roles.map(({ textContent }) => textContent)).toEqual(["Column", "Row", "Both", "Base"]);
  });

  it("show the audiences to one scale, overlapping by the respondents in both", async () => {
    const page = await drilled();
    page.press("Enter");
    const tracks = await page.until(() => {
      const found = page.all(".al-full-track > span");
      return found.length === 4 && found;
    });
    expect(tracks.map(({ style }) => [style.left, style.width])).toEqual([
      ["0%", "50%"],
      ["30%", "40%"],
      ["30%", "20%"],
      ["0%", "100%"],
    ]);
  });

  it("are a region without axe violations, whose names are text", async () => {
    const page = await drilled();
    page.press("Enter");
    await page.until(() => panel(page)?.textContent?.includes("significant at 95%"));
    expect(panel(page)?.textContent).toContain("column in words");
    expect(page.all(".al-full i, .al-full b b")).toEqual([]);
    expect((await axe.run(page.element)).violations).toEqual([]);
    page.button("Copy as Python").click();
    await page.until(() => page.clip.text === "al.Audience(name='x')");
    page.button("Hide details").click();
    await page.until(() => !panel(page));
  });

  it("show that their code could not be copied", async () => {
    const page = await drilled();
    page.press("Enter");
    await page.until(() => panel(page)?.textContent?.includes("significant at 95%"));
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("not allowed"));
    document.execCommand = () => false;
    page.button("Copy as Python").click();
    const shown = await page.until(() => page.all(".al-full .al-error")[0]);
    expect(shown.textContent).toBe("The browser did not allow copying.");
  });

  it("close with Escape on their opener too, and return the focus to the table", async () => {
    const page = await drilled();
    page.button("Show details").click();
    await page.until(() => panel(page)?.textContent?.includes("significant at 95%"));
    const stroke = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
    page.button("Hide details").dispatchEvent(stroke);
    expect(stroke.defaultPrevented).toBe(true);
    await page.until(() => !panel(page));
    expect(page.focused).toBe("3,4");
  });

  it("leave Enter on headers to sorting", async () => {
    const page = await drilled();
    page.at({ row: 0, column: 3 })?.focus();
    page.press("ArrowUp");
    page.press("Enter");
    expect(page.requests("drill")).toEqual([]);
  });
});
