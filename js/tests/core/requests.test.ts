// @vitest-environment node
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureOf, KernelGone, RequestError } from "../../src/core/answers";
import { abortError, isAbort } from "../../src/core/lifetime";
import { Requests } from "../../src/core/requests";
import { type AnyOperations, PlayedKernel, settle } from "./fakes";

function connected(patience = 500) {
  const kernel = new PlayedKernel();
  const view = new AbortController();
  const requests = new Requests<AnyOperations>(Promise.resolve(kernel.port), {
    signal: view.signal,
    patience,
  });
  return { kernel, view, requests };
}

/** The rejection of a promise. */
const reason = (promise: Promise<unknown>) =>
  promise.then(
    () => "resolved",
    (error) => error,
  );

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a request", () => {
  it("resolves with the data and buffers of its answer", async () => {
    const { kernel, requests } = connected();
    const first = requests.request("sizes", { node: 1 });
    const second = requests.request("sizes", { node: 2 });
    await settle();
    const [one, two] = kernel.asked("sizes");
    expect(one?.args).toEqual({ node: 1 });
    const tile = new DataView(new ArrayBuffer(8));
    kernel.answer(two, { size: 20 }, [tile]);
    kernel.answer(one, { size: 10 });
    expect((await first).data).toEqual({ size: 10 });
    expect(await second).toEqual({ data: { size: 20 }, buffers: [tile] });
  });

  it("has integer ids that are unique to each view", async () => {
    const a = connected();
    const b = connected();
    a.requests.prime();
    b.requests.prime();
    await settle();
    expect(a.kernel.sent[0]?.id).toBeTypeOf("number");
    expect(Number.isSafeInteger(a.kernel.sent[0]?.id)).toBe(true);
    expect(a.kernel.sent[0]?.id).not.toBe(b.kernel.sent[0]?.id);
  });

  it("rejects with the kernel's error and its pointers", async () => {
    const { kernel, requests } = connected();
    const failed = reason(requests.request("stats", {}));
    await settle();
    const faults = [{ pointer: "/and/0", detail: "No such question." }];
    kernel.fail(kernel.asked("stats")[0], { type: "Refused", message: "One fault", faults });
    const error = (await failed) as RequestError;
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ type: "Refused", message: "One fault", faults });
  });

  it("ignores answers to other views and to unknown requests", async () => {
    const { kernel, requests } = connected();
    const open = requests.request("stats", {});
    await settle();
    kernel.answer({ id: 1 }, "foreign");
    kernel.answer(undefined, "nobody's");
    kernel.answer(kernel.asked("stats")[0], "mine");
    expect((await open).data).toBe("mine");
  });

  it("is sent once the channel is found, however late", async () => {
    const kernel = new PlayedKernel();
    let found = (_: typeof kernel.port) => {};
    const port = new Promise<typeof kernel.port>((resolve) => {
      found = resolve;
    });
    const requests = new Requests<AnyOperations>(port, { signal: new AbortController().signal });
    const open = requests.request("stats", {});
    await settle();
    expect(kernel.sent).toEqual([]);
    found(kernel.port);
    await settle();
    kernel.answer(kernel.asked("stats")[0], 1);
    expect((await open).data).toBe(1);
  });
});

describe("cancelling", () => {
  it("notifies the kernel and rejects at once", async () => {
    const { kernel, requests } = connected();
    const controller = new AbortController();
    const open = reason(requests.request("stats", {}, { signal: controller.signal }));
    await settle();
    controller.abort();
    expect(isAbort(await open)).toBe(true);
    await settle();
    expect(kernel.cancelled).toEqual([kernel.asked("stats")[0]?.id]);
  });

  it("sends nothing when the signal had aborted before", async () => {
    const { kernel, requests } = connected();
    const open = requests.request("stats", {}, { signal: AbortSignal.abort() });
    expect(isAbort(await reason(open))).toBe(true);
    await settle();
    expect(kernel.sent).toEqual([]);
  });

  it("cancels an older request of the same key, and no other", async () => {
    const { kernel, requests } = connected();
    const old = reason(requests.request("sizes", { v: 1 }, { key: "sizes" }));
    const other = requests.request("tile", {}, { key: "tile" });
    const latest = requests.request("sizes", { v: 2 }, { key: "sizes" });
    expect(isAbort(await old)).toBe(true);
    await settle();
    const [first, second] = kernel.asked("sizes");
    expect(kernel.cancelled).toEqual([first?.id]);
    // A late answer to the old one changes nothing.
    kernel.answer(first, "old");
    kernel.answer(second, "new");
    kernel.answer(kernel.asked("tile")[0], "tile");
    expect((await latest).data).toBe("new");
    expect((await other).data).toBe("tile");
  });

  it("does not affect other views", async () => {
    const { kernel, requests } = connected();
    const view = new AbortController();
    const second = new Requests<AnyOperations>(Promise.resolve(kernel.port), {
      signal: view.signal,
    });
    for (const each of [requests, requests, second]) {
      each.request("sizes", {}, { key: "sizes" }).catch(() => {});
    }
    await settle();
    const [first, next, other] = kernel.asked("sizes").map(({ key }) => key);
    expect(first).toBe(next);
    expect(first).not.toBe(other);
  });

  it("does not affect an answered request", async () => {
    const { kernel, requests } = connected();
    const controller = new AbortController();
    const open = requests.request("stats", {}, { signal: controller.signal });
    await settle();
    kernel.answer(kernel.asked("stats")[0], 1);
    await open;
    controller.abort();
    await settle();
    expect(kernel.cancelled).toEqual([]);
  });

  it("cancels all requests when the view closes, without a message to a closed view", async () => {
    const { kernel, view, requests } = connected();
    const open = reason(requests.request("stats", {}));
    await settle();
    view.abort();
    expect(isAbort(await open)).toBe(true);
    expect(isAbort(await reason(requests.request("stats", {})))).toBe(true);
    expect(kernel.asked("stats")).toHaveLength(1);
  });
});

describe("the status", () => {
  it("is idle, working while a request is open, idle again", async () => {
    const { kernel, requests } = connected();
    expect(requests.status.value).toBe("idle");
    const open = requests.request("stats", {});
    await settle();
    expect(requests.status.value).toBe("working");
    kernel.answer(kernel.asked("stats")[0], 1);
    await open;
    expect(requests.status.value).toBe("idle");
  });

  it("is waiting when there is no answer for longer than patience, and never an error", async () => {
    const { kernel, requests } = connected(500);
    const open = requests.request("stats", {});
    await vi.advanceTimersByTimeAsync(499);
    expect(requests.status.value).toBe("working");
    await vi.advanceTimersByTimeAsync(1);
    expect(requests.status.value).toBe("waiting");
    await vi.advanceTimersByTimeAsync(3_600_000);
    kernel.answer(kernel.asked("stats")[0], "after an hour");
    expect((await open).data).toBe("after an hour");
  });

  it("returns to working when a ping shows that only the answer is slow", async () => {
    const { kernel, requests } = connected(500);
    requests.request("stats", {});
    await vi.advanceTimersByTimeAsync(500);
    kernel.answer(kernel.asked("ping")[0], null);
    await settle();
    expect(requests.status.value).toBe("working");
  });

  it("goes on pinging while an answer is slow, as a host may send it with the next one only", async () => {
    const { kernel, requests } = connected(500);
    const open = requests.request("chart", {});
    await vi.advanceTimersByTimeAsync(500);
    kernel.answer(kernel.asked("ping")[0], null);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kernel.asked("ping")).toHaveLength(2);
    expect(requests.status.value).toBe("working");
    kernel.answer(kernel.asked("ping")[1], null);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(kernel.asked("ping")).toHaveLength(2);
    kernel.answer(kernel.asked("chart")[0], "drawn");
    expect((await open).data).toBe("drawn");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kernel.asked("ping")).toHaveLength(2);
  });

  it("waits for a kernel that stops to answer while an answer is slow", async () => {
    const { kernel, requests } = connected(500);
    requests.request("chart", {});
    await vi.advanceTimersByTimeAsync(500);
    kernel.answer(kernel.asked("ping")[0], null);
    await vi.advanceTimersByTimeAsync(1_000 + 2_000);
    expect(requests.status.value).toBe("waiting");
  });

  it("is gone when the kernel is, and all open requests are rejected", async () => {
    const { kernel, requests } = connected();
    const open = reason(requests.request("stats", {}));
    await settle();
    kernel.die();
    expect(await open).toBeInstanceOf(KernelGone);
    expect(requests.status.value).toBe("gone");
    expect(await reason(requests.request("stats", {}))).toBeInstanceOf(KernelGone);
  });

  it("is gone when no channel is found", async () => {
    const requests = new Requests<AnyOperations>(Promise.reject(new Error("model not found")), {
      signal: new AbortController().signal,
    });
    expect(await reason(requests.request("stats", {}))).toBeInstanceOf(KernelGone);
    expect(requests.status.value).toBe("gone");
  });
});

describe("repeating a request", () => {
  it("happens once a later ping was answered, since the first may wait for a cell to end", async () => {
    const { kernel, requests } = connected(500);
    const open = requests.request("save", { name: "Young" }, { key: "save" });
    await vi.advanceTimersByTimeAsync(500);
    expect(kernel.asked("save")).toHaveLength(1);
    kernel.answer(kernel.asked("ping")[0], null);
    await settle();
    const [first, second] = kernel.asked("save");
    expect(second).toEqual({ ...first, again: true });
    kernel.answer(first, "saved");
    expect((await open).data).toBe("saved");
  });

  it("happens at most once, and not to requests after the ping", async () => {
    const { kernel, requests } = connected(500);
    requests.request("slow", {});
    await vi.advanceTimersByTimeAsync(500);
    requests.request("late", {});
    await settle();
    kernel.answer(kernel.asked("ping")[0], null);
    await settle();
    expect(kernel.asked("slow")).toHaveLength(2);
    expect(kernel.asked("late")).toHaveLength(1);
    // Without further requests, pings continue.
    await vi.advanceTimersByTimeAsync(500);
    expect(requests.status.value).toBe("waiting");
    kernel.answer(kernel.asked("ping")[1], null);
    await settle();
    expect(kernel.asked("slow")).toHaveLength(2);
    expect(kernel.asked("late")).toHaveLength(2);
  });

  it("is tried for as long as no ping is answered, at growing intervals", async () => {
    const { kernel, requests } = connected(500);
    requests.request("stats", {});
    await vi.advanceTimersByTimeAsync(500 + 1_000 + 2_000);
    expect(kernel.asked("ping")).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(kernel.asked("ping").length).toBeLessThan(370);
    // Whichever answer arrives first: the first ping may be stuck too.
    kernel.answer(kernel.asked("ping")[2], null);
    await settle();
    expect(kernel.asked("stats")).toHaveLength(2);
  });

  it("does not happen to answered or cancelled requests", async () => {
    const { kernel, requests } = connected(500);
    const called = new AbortController();
    void reason(requests.request("off", {}, { signal: called.signal }));
    void requests.request("done", {});
    void requests.request("open", {});
    await vi.advanceTimersByTimeAsync(500);
    called.abort();
    kernel.answer(kernel.asked("done")[0], 1);
    kernel.answer(kernel.asked("ping")[0], null);
    await settle();
    expect(kernel.sent.filter(({ again }) => again).map(({ op }) => op)).toEqual(["open"]);
  });
});

describe("the message of a failure", () => {
  it("is the message of the error", () => {
    expect(failureOf(new RequestError("Forbidden", "Not yours.", []))).toBe("Not yours.");
    expect(failureOf("no error at all")).toBe("no error at all");
  });

  it("is null for a cancelled request, and for a kernel that is gone", () => {
    expect(failureOf(abortError("superseded"))).toBeNull();
    expect(failureOf(new KernelGone())).toBeNull();
  });
});
