import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { Trait } from "../../src/core/traits";
import {
  DisplaySettings,
  withFirst,
  withMoved,
  withToggled,
} from "../../src/crosstab/table/displaySettings";
import { DISPLAY } from "../../src/protocol/constants";

/** Settings over traits of a kernel. */
function showing(
  told: Record<string, unknown>,
  sent: Record<string, unknown>[] = [],
): DisplaySettings {
  const pending: Record<string, unknown> = {};
  const traits = new Map<string, Trait<unknown>>();
  return new DisplaySettings({
    trait<T>(name: string) {
      const current = signal(told[name]);
      const trait = traits.get(name) ?? {
        signal: current,
        get value() {
          return current.value;
        },
        peek: () => current.peek(),
        set: (next: unknown, send = true) => {
          current.value = next;
          pending[name] = next;
          if (send) sent.push({ ...pending });
        },
      };
      traits.set(name, trait);
      return trait as Trait<T>;
    },
  });
}

describe("the order of metrics", () => {
  it("puts one first, or swaps it with the first if it was shown", () => {
    expect(withFirst(["index", "size"], "z")).toEqual(["z", "size"]);
    expect(withFirst(["index", "size", "z"], "z")).toEqual(["z", "index", "size"]);
    expect(withFirst(["index", "size"], "index")).toEqual(["index", "size"]);
  });

  it("adds at the end, up to four, and keeps one", () => {
    expect(withToggled(["index"], "z")).toEqual(["index", "z"]);
    expect(withToggled(["index", "z"], "index")).toEqual(["z"]);
    expect(withToggled(["index"], "index")).toEqual(["index"]);
    const four = ["index", "size", "sample", "z"] as const;
    expect(withToggled(four, "letters")).toEqual(four);
  });

  it("moves by one position and not beyond the ends", () => {
    expect(withMoved(["index", "size", "z"], "z", -1)).toEqual(["index", "z", "size"]);
    expect(withMoved(["index", "size"], "index", 1)).toEqual(["size", "index"]);
    expect(withMoved(["index", "size"], "index", -1)).toEqual(["index", "size"]);
    expect(withMoved(["index", "size"], "letters", 1)).toEqual(["index", "size"]);
  });
});

describe("settings of another kernel", () => {
  it("are the defaults where it sends nothing", () => {
    const { style, room } = showing({});
    expect(style.value).toMatchObject({
      numbers: { decimals: null, units: "short" },
      bar: null,
      lowBase: { low: 100, veryLow: 30 },
      hideUnder: 0,
    });
    expect(style.value.metrics.map(({ key }) => key)).toEqual(["column_percentage"]);
    expect(style.value.heat?.metric.key).toBe("index");
    expect(room.value.cellLines).toBe(1);
  });

  it("are used as far as they are known", () => {
    const { style } = showing({ metrics: ["median", "z"], heat: "rainbow", units: "dozens" });
    expect(style.value.metrics.map(({ key }) => key)).toEqual(["z"]);
    expect(style.value.heat?.metric.key).toBe("index");
    expect(style.value.numbers.units).toBe("short");
  });
});

describe("the default settings", () => {
  it("are restored in one message", () => {
    const sent: Record<string, unknown>[] = [];
    const settings = showing({ metrics: ["z"], heat: "none", level: 0.99, units: "full" }, sent);
    settings.reset();
    expect(sent).toEqual([DISPLAY]);
    expect(settings.keys.value).toEqual(DISPLAY.metrics);
    expect(settings.level.value).toBe(DISPLAY.level);
  });
});

describe("the width of values", () => {
  const progress = { base_size: 616_490_371, heat: null };

  it("grows with decimals, and with weighted counts in full", () => {
    const usual = showing({ metrics: ["size"], _progress: progress }).room.value;
    const full = showing({ metrics: ["size"], units: "full", _progress: progress }).room.value;
    expect([usual.values, usual.size]).toEqual([["888.8M"], "888.8M"]);
    expect([full.values, full.size]).toEqual([["888,888,888"], "888,888,888"]);
    const exact = showing({ metrics: ["index"], decimals: 4 }).room.value;
    expect(exact.values).toEqual(["888.8888"]);
  });
});
