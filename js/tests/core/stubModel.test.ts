// @vitest-environment node
import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/core/answers";
import { openPort } from "../../src/core/channel";
import { isAbort } from "../../src/core/lifetime";
import { Requests } from "../../src/core/requests";
import { type Ask, stubModel } from "../../src/core/stubModel";
import { bindTrait } from "../../src/core/traits";
import type { AnyOperations } from "./fakes";

function requestsOn(ask: Ask) {
  const ended = new AbortController();
  const model = stubModel({ _channel: "channel", selection: [] }, ask);
  const requests = new Requests<AnyOperations>(openPort(model, ended.signal), {
    signal: ended.signal,
    patience: 20,
  });
  return { model, requests, ended };
}

const soon = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe("a widget model without a kernel", () => {
  it("answers requests of its channel, with buffers", async () => {
    const buffer = new DataView(new ArrayBuffer(2));
    const { requests } = requestsOn(async (op, args) => ({
      data: { op, args },
      buffers: [buffer],
    }));
    const answer = await requests.request("catalogue", { start: 3 });
    expect(answer).toEqual({ data: { op: "catalogue", args: { start: 3 } }, buffers: [buffer] });
  });

  it("reports errors as a kernel does", async () => {
    const { requests } = requestsOn(async () => {
      throw new RequestError("InvalidRequest", "No.", [{ pointer: "/a", detail: "b" }]);
    });
    await expect(requests.request("size", {})).rejects.toMatchObject({
      type: "InvalidRequest",
      message: "No.",
      faults: [{ pointer: "/a", detail: "b" }],
    });
  });

  it("asks once, however long the answer takes, and never counts as a busy kernel", async () => {
    let asked = 0;
    const { requests } = requestsOn(async () => {
      asked += 1;
      await soon(120);
      return { data: "late", buffers: [] };
    });
    const answer = requests.request("figures", {});
    await soon(80);
    expect(requests.status.value).toBe("working");
    expect((await answer).data).toBe("late");
    expect(asked).toBe(1);
  });

  it("cancels requests that the page cancels", async () => {
    const signals: AbortSignal[] = [];
    const { requests } = requestsOn(async (_op, _args, signal) => {
      signals.push(signal);
      await soon(30);
      return { data: signals.length, buffers: [] };
    });
    const older = requests.request("size", {}, { key: "size" }).catch((error) => error);
    await soon(1);
    const newer = requests.request("size", {}, { key: "size" });
    expect(isAbort(await older)).toBe(true);
    expect((await newer).data).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it("shares traits between all listeners", () => {
    const { model, ended } = requestsOn(async () => ({ data: null, buffers: [] }));
    const one = bindTrait<string[]>(model, "selection", ended.signal);
    const other = bindTrait<string[]>(model, "selection", ended.signal);
    one.set(["q4"]);
    expect(other.value).toEqual(["q4"]);
    ended.abort();
    one.set([]);
    expect(other.value).toEqual(["q4"]);
  });
});
