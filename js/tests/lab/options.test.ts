// @vitest-environment node
import { describe, expect, it } from "vitest";
import { fillsWidth } from "../../src/lab/charts/chart";
import { chartName, chartOptions } from "../../src/lab/charts/options";

const plain = { renderer: "svg", menu: true, scale: 2 };

describe("options of a chart", () => {
  it("are empty by default", () => {
    expect(chartOptions({ mark: "bar" }, undefined)).toEqual(plain);
  });

  it("come from the output and the specification, the output's first", () => {
    const spec = { usermeta: { embedOptions: { renderer: "canvas", theme: "dark" } } };
    expect(chartOptions(spec, undefined)).toEqual({ ...plain, renderer: "canvas", theme: "dark" });
    const told = { embed_options: { renderer: "svg", actions: false, width: 300 } };
    expect(chartOptions(spec, told)).toEqual({
      ...plain,
      theme: "dark",
      menu: false,
      width: 300,
    });
  });

  it("count only with a value of the right type", () => {
    const asked = { width: "<b>", height: -3, theme: {}, renderer: 7, formatLocale: "x" };
    expect(chartOptions({}, { embed_options: asked })).toEqual(plain);
    expect(chartOptions(null, "nonsense")).toEqual(plain);
  });

  it("may set the padding to zero, but not the size", () => {
    const asked = { padding: 0, width: 0, height: 0 };
    expect(chartOptions({}, { embed_options: asked })).toEqual({ ...plain, padding: 0 });
  });

  it("exclude code, URLs and styles", () => {
    const asked = {
      patch: "https://a.test",
      loader: {},
      defaultStyle: "x",
      ast: false,
      config: "u",
    };
    expect(chartOptions({}, { embed_options: asked })).toEqual(plain);
  });

  it("accept a scale factor in both of altair's forms", () => {
    expect(chartOptions({}, { embed_options: { scaleFactor: 3 } }).scale).toBe(3);
    expect(chartOptions({}, { embed_options: { scaleFactor: { png: 4 } } }).scale).toBe(4);
  });
});

describe("the name of a chart", () => {
  it("is its description, or else its title", () => {
    expect(chartName({ description: "Who reads", title: "T" })).toBe("Who reads");
    expect(chartName({ title: "Shares" })).toBe("Shares");
    expect(chartName({ title: { text: ["Two", "lines"] } })).toBe("Two lines");
    expect(chartName({})).toBe("Chart");
    expect(chartName(null)).toBe("Chart");
  });
});

describe("the width of a chart", () => {
  it("follows its container where requested", () => {
    expect(fillsWidth({ width: "container" })).toBe(true);
    expect(fillsWidth({ width: 300 })).toBe(false);
  });
});
