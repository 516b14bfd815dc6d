import { afterEach, describe, expect, it } from "vitest";
import { fileName } from "../../src/lab/charts/menu";
import { createTooltip } from "../../src/lab/charts/tooltip";

const HOSTILE = `<img src=x onerror="document.title='owned'">`;
const SELECTOR = ".audiencelab-chart-tooltip";

let life = new AbortController();
afterEach(() => {
  life.abort();
  life = new AbortController();
});

function show(value: unknown): Element | null {
  createTooltip(document, life.signal)(null, { clientX: 10, clientY: 10 }, null, value);
  return document.querySelector(SELECTOR);
}

describe("a chart's tooltip", () => {
  it("shows names and values as text", () => {
    const box = show({ [HOSTILE]: HOSTILE, share: 3, image: "https://a.test/x.png" });
    expect(box?.querySelector("img")).toBeNull();
    expect(box?.querySelector("th")?.textContent).toBe(HOSTILE);
    expect(box?.querySelector("td")?.textContent).toBe(HOSTILE);
    expect(box?.querySelectorAll("tr")).toHaveLength(3);
  });

  it("shows a single value as a line", () => {
    expect(show(HOSTILE)?.textContent).toBe(HOSTILE);
    expect(document.querySelectorAll(SELECTOR)).toHaveLength(1);
  });

  it("truncates long values", () => {
    expect(show("x".repeat(10_000))?.textContent?.length).toBeLessThan(400);
  });

  it("disappears with the mark and with the chart", () => {
    const tooltip = createTooltip(document, life.signal);
    const at = { clientX: 1, clientY: 1 };
    tooltip(null, at, null, "here");
    tooltip(null, at, null, "");
    expect(document.querySelector(SELECTOR)).toBeNull();
    tooltip(null, at, null, "here");
    life.abort();
    expect(document.querySelector(SELECTOR)).toBeNull();
  });
});

describe("the file of a saved chart", () => {
  it("has a name that every file system allows", () => {
    expect(fileName("Who reads: 2024/25?")).toBe("Who-reads-2024-25");
    expect(fileName("../../etc/passwd")).toBe("etc-passwd");
    expect(fileName("שלום")).toBe("שלום");
    expect(fileName("…")).toBe("chart");
  });
});
