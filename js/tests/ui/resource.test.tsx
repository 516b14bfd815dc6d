import { render } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import { type Resource, useResource } from "../../src/ui/resource";
import { settle } from "../core/fakes";

type Settled = { give(data: string): void; fail(error: Error): void; signal: AbortSignal };

describe("a resource of the kernel", () => {
  const el = document.createElement("div");
  const asked: Settled[] = [];
  let now: Resource<string>;
  const ask = (signal: AbortSignal) =>
    new Promise<string>((give, fail) => asked.push({ give, fail, signal }));
  function Part({ of, idle }: { of: string; idle?: boolean }) {
    now = useResource(of, idle ? null : ask);
    return null;
  }
  const draw = async (of: string, idle = false) => {
    render(<Part of={of} idle={idle} />, el);
    await settle();
  };
  afterEach(() => {
    render(null, el);
    asked.length = 0;
  });

  it("is awaited, kept while a newer answer loads, and replaced by it", async () => {
    await draw("a");
    expect(now).toMatchObject({ data: undefined, failure: "", isStale: false });
    asked[0]?.give("A");
    await settle();
    expect(now).toMatchObject({ data: "A", isStale: false });
    await draw("b");
    expect(now).toMatchObject({ data: "A", isStale: true });
    asked[1]?.give("B");
    await settle();
    expect(now).toMatchObject({ data: "B", isStale: false });
  });

  it("is cancelled by a newer request, and its late answer is ignored", async () => {
    await draw("a");
    await draw("b");
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[1]?.give("B");
    asked[0]?.give("late");
    await settle();
    expect(now.data).toBe("B");
  });

  it("reports a failure until it is retried", async () => {
    await draw("a");
    asked[0]?.fail(new Error("The service is down."));
    await settle();
    expect(now).toMatchObject({ data: undefined, failure: "The service is down." });
    now.retry();
    await settle();
    expect(now.failure).toBe("");
    asked[1]?.give("A");
    await settle();
    expect(now.data).toBe("A");
  });

  it("is not requested without a key, nor after it is unmounted", async () => {
    await draw("a", true);
    expect(asked).toEqual([]);
    await draw("a");
    render(null, el);
    expect(asked[0]?.signal.aborted).toBe(true);
  });
});
