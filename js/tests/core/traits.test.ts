// @vitest-environment node
import { describe, expect, it } from "vitest";
import { bindTrait } from "../../src/core/traits";
import { FakeModel } from "./fakes";

describe("a bound trait", () => {
  it("follows the model", () => {
    const model = new FakeModel({ metric: "index" });
    const trait = bindTrait<string>(model.asModel, "metric", new AbortController().signal);
    model.set("metric", "size");
    expect(trait.value).toBe("size");
  });

  it("sets and saves", () => {
    const model = new FakeModel({ metric: "index" });
    const trait = bindTrait<string>(model.asModel, "metric", new AbortController().signal);
    trait.set("size");
    expect([trait.peek(), model.get("metric")]).toEqual(["size", "size"]);
    expect(model.saved).toEqual(['{"metric":"size"}']);
  });

  it("unsubscribes from the model with its lifetime", () => {
    const model = new FakeModel({ metric: "index" });
    const view = new AbortController();
    bindTrait(model.asModel, "metric", view.signal);
    expect(model.listeners).toBe(1);
    view.abort();
    expect(model.listeners).toBe(0);
  });
});
