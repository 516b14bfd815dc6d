// @vitest-environment node
import { describe, expect, it } from "vitest";
import { scrollStep } from "../../src/core/autoscroll";

describe("scrolling during a drag", () => {
  const at = (y: number) => scrollStep(y, 100, 500);

  it("scrolls up at the upper edge and down at the lower one, faster near them", () => {
    expect(Math.abs(at(300))).toBe(0);
    expect(Math.abs(at(148))).toBe(0);
    expect(at(140)).toBeLessThan(0);
    expect(at(101)).toBeLessThan(at(140));
    expect(at(460)).toBeGreaterThan(0);
    expect(at(499)).toBeGreaterThan(at(460));
  });

  it("is bounded beyond the edges", () => {
    expect(at(0)).toBe(at(100));
    expect(at(900)).toBe(at(500));
  });

  it("leaves a drop target in the middle of a low view", () => {
    expect(Math.abs(scrollStep(15, 0, 30))).toBe(0);
    expect(scrollStep(4, 0, 30)).toBeLessThan(0);
    expect(scrollStep(5, 0, 0)).toBe(0);
  });
});
